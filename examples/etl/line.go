package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// line shows how far the work is: in the last line of a terminal, which is written over and over, or in one
// line below the other where out is a file or a pipe.
type line struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	every    time.Duration // it is written, at most
	begin    time.Time
	shown    time.Time
	last     totals
	over     bool
}

func newLine(out io.Writer) *line {
	l := &line{out: out, terminal: isTerminal(out), every: time.Second, begin: time.Now()}
	if l.terminal {
		l.every = 100 * time.Millisecond
	}
	return l
}

// isTerminal reports whether out may be a terminal: the standard library does not tell more.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show shows t, unless it has shown something just before.
func (l *line) show(t totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over { // nobody waits for who is interrupted twice
		return
	}
	l.last = t
	if time.Since(l.shown) >= l.every {
		l.print()
	}
}

func (l *line) print() {
	l.shown = time.Now()
	before, after := "", "\n"
	if l.terminal {
		before, after = "\r\033[K", ""
	}
	fmt.Fprintf(l.out, "%s%6.1fs  %v%s", before, time.Since(l.begin).Seconds(), l.last, after)
}

// end shows the last totals, ends the line, and returns them.
func (l *line) end() totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		l.print()
		if l.terminal {
			fmt.Fprintln(l.out)
		}
	}
	return l.last
}
