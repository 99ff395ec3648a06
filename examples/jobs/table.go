package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// table draws what runs.
type table struct {
	jobs *jobs
	load *load
	due  map[job]string // when jobs were due before they were ended
}

// remember keeps when the jobs are due: when they have ended, they are not any more.
func (t *table) remember() {
	t.due = map[job]string{}
	for _, j := range t.jobs.list {
		s := j.Stats()
		t.due[j] = next(s.Next, s.Done)
	}
}

// page returns both tables.
func (t *table) page() string {
	var page strings.Builder
	t.drawJobs(&page)
	page.WriteByte('\n')
	t.drawLoad(&page)
	return page.String()
}

// events returns a function that writes a line for each job and pool of which there is
// something new since it was called last.
func (t *table) events(out io.Writer) func() {
	e := events{out: out, seen: map[string]counts{}}
	began := time.Now()
	return func() {
		since := time.Since(began).Seconds()
		for _, j := range t.jobs.list {
			s := j.Stats()
			e.look(since, s.Name+", "+j.when, counts{uint64(s.Runs), uint64(s.Failures), uint64(s.Skipped)},
				[3]string{"run", "failed", "skipped"}, short(s.LastError))
		}
		for _, p := range t.load.pools {
			s := p.Stats()
			e.look(since, "pool "+s.Name, counts{uint64(s.Completed), 0, uint64(s.Rejected + s.Discarded)},
				[3]string{"run", "", "refused or dropped"}, "")
		}
	}
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
