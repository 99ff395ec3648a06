package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// line is the last line of a terminal, which shows how far the work is.
type line struct {
	mu    sync.Mutex
	out   io.Writer
	begin time.Time
	shown time.Time
	last  totals
	over  bool
}

func newLine(out io.Writer) *line { return &line{out: out, begin: time.Now()} }

// show shows t, ten times a second at most.
func (l *line) show(t totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over { // nobody waits for who is interrupted twice
		return
	}
	l.last = t
	if time.Since(l.shown) >= 100*time.Millisecond {
		l.print()
	}
}

func (l *line) print() {
	l.shown = time.Now()
	fmt.Fprintf(l.out, "\r\033[K%6.1fs  %v", time.Since(l.begin).Seconds(), l.last)
}

// end shows the last totals, ends the line, and returns them.
func (l *line) end() totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		l.print()
		fmt.Fprintln(l.out)
	}
	return l.last
}
