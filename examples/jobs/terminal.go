package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// screen draws pages over each other on the alternate screen of a terminal, so that what
// was there before comes back at the end.
type screen struct {
	out  io.Writer
	size func() (columns, rows int, ok bool) // asked for each page: windows change their size
	open bool
}

// newScreen returns the screen of out, if that is a terminal.
func newScreen(out io.Writer) (*screen, bool) {
	f, ok := out.(*os.File)
	if !ok {
		return nil, false
	}
	s := &screen{out: out, size: func() (int, int, bool) { return terminalSize(f) }}
	_, _, ok = s.size()
	return s, ok
}

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	eraseLine   = "\x1b[K" // what is right of the cursor
	eraseRest   = "\x1b[J" // what is below
)

func (s *screen) enter() {
	_, _ = io.WriteString(s.out, enterScreen)
	s.open = true
}

// leave goes back to what was there before. A second one would put the cursor back on top of it.
func (s *screen) leave() {
	if s.open {
		_, _ = io.WriteString(s.out, leaveScreen)
		s.open = false
	}
}

// show draws a page in the place of the one before, cut to the size of the window: a line
// that wraps, or a page that scrolls, would leave something behind.
func (s *screen) show(page string) {
	columns, rows, ok := s.size()
	if !ok {
		columns, rows = 80, 24
	}
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if len(lines) > rows {
		lines = lines[:rows]
	}
	for i, line := range lines {
		lines[i] = cut(line, columns) + eraseLine
	}
	_, _ = io.WriteString(s.out, home+strings.Join(lines, "\r\n")+eraseRest)
}

// last leaves the screen and draws a page on the one that was there before.
func (s *screen) last(page string) {
	s.leave()
	columns, _, ok := s.size()
	for line := range strings.Lines(page) {
		if line = strings.TrimSuffix(line, "\n"); ok {
			line = cut(line, columns)
		}
		_, _ = io.WriteString(s.out, line+"\n")
	}
}

// cut returns the first columns characters of a line, the last of them a mark if there
// are more. The last column stays free: some terminals wrap when it is written.
func cut(line string, columns int) string {
	columns--
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	if columns < 1 {
		return ""
	}
	return string([]rune(line)[:columns-1]) + "…"
}

// events writes a line for everything that has happened since the last look.
type events struct {
	out  io.Writer
	seen map[string]counts
}

type counts struct{ runs, failures, skipped uint64 }

// look writes what is new of a job or pool after some seconds.
func (e *events) look(seconds float64, name string, now counts, words [3]string, last string) {
	before := e.seen[name]
	if now == before {
		return
	}
	e.seen[name] = now
	var news []string
	for i, n := range [3]uint64{now.runs - before.runs, now.failures - before.failures, now.skipped - before.skipped} {
		if n > 0 {
			news = append(news, fmt.Sprint(n, " ", words[i]))
		}
	}
	fmt.Fprintf(e.out, "%6.2fs  %-36s %s", seconds, name, strings.Join(news, ", "))
	if last != "" && now.failures > before.failures {
		fmt.Fprintf(e.out, ": %s", last)
	}
	fmt.Fprintln(e.out)
}
