package main

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table draws what runs.
type table struct {
	out   io.Writer
	jobs  *jobs
	load  *load
	lines int            // of the last drawing
	due   map[job]string // when jobs were due before they were ended
}

// remember keeps when the jobs are due: when they have ended, they are not any more.
func (t *table) remember() {
	t.due = map[job]string{}
	for _, j := range t.jobs.list {
		s := j.Stats()
		t.due[j] = next(s.Next, s.Done)
	}
}

// redraw draws over the last drawing, on a terminal.
func (t *table) redraw() {
	if t.lines > 0 {
		fmt.Fprintf(t.out, "\x1b[%dA\x1b[J", t.lines)
	}
	t.draw()
}

func (t *table) draw() {
	var page bytes.Buffer
	t.drawJobs(&page)
	page.WriteByte('\n')
	t.drawLoad(&page)
	t.lines = bytes.Count(page.Bytes(), []byte{'\n'})
	_, _ = t.out.Write(page.Bytes())
}

func (t *table) drawJobs(page io.Writer) {
	fmt.Fprintln(page, "Jobs. Skipped are runs that were due while the one before had not ended.")
	w := tabwriter.NewWriter(page, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JOB\tWHEN\tNEXT\tNOW\tRUNS\tFAILED\tSKIPPED\tTOOK\tLAST ERROR")
	for _, j := range t.jobs.list {
		s := j.Stats()
		now := "."
		if s.Running > 0 {
			now = fmt.Sprint(s.Running, " running")
		}
		due, ok := t.due[j]
		if !ok {
			due = next(s.Next, s.Done)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s.Name, j.when, due, now,
			s.Runs, s.Failures, s.Skipped, s.LastDuration.Round(time.Millisecond), short(s.LastError))
	}
	_ = w.Flush()
}

func (t *table) drawLoad(page io.Writer) {
	fmt.Fprintln(page, "Pools with more tasks than they can take, by rejection policy. # is a worker or a place in use.")
	w := tabwriter.NewWriter(page, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "POLICY\tWORKERS\tQUEUE\tRUN\tREFUSED\tBY CALLER\tDROPPED\tCANCELLED\tMOST WORKERS")
	for _, p := range t.load.pools {
		s := p.Stats()
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", s.Name, bar(s.Active, s.Max), bar(s.Queued, s.Capacity),
			s.Completed, s.Rejected, s.CallerRuns, s.Discarded, s.Cancelled, s.Largest)
	}
	_ = w.Flush()
}

// next says when a job is due.
func next(at time.Time, done bool) string {
	switch {
	case done:
		return "done"
	case at.IsZero():
		return "."
	case time.Until(at) < time.Minute:
		return fmt.Sprintf("in %.1fs", max(0, time.Until(at).Seconds()))
	case time.Until(at) < 24*time.Hour:
		return at.Format("15:04")
	}
	return at.Format("Mon 2 Jan 2006")
}

// bar draws n of most.
func bar(n, most int) string {
	b := make([]byte, most)
	for i := range b {
		if b[i] = '-'; i < n {
			b[i] = '#'
		}
	}
	return string(b)
}

func short(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%.40s", err.Error())
}
