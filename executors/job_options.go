package executors

import (
	"fmt"
	"time"
)

// Overlap says what happens when a run is due while another one of the same job is
// under way. It matters only with [GoroutinePerRun], and only for triggers that don't
// measure from the end of a run: otherwise the runs of a job follow one another
// anyway.
type Overlap struct {
	allow bool
	queue int
}

// What happens to runs that would overlap.
var (
	Forbid = Overlap{}            // left out, and counted; the default
	Allow  = Overlap{allow: true} // run beside the other ones
)

// Queued lets up to n runs wait for the run under way; further runs are left out. It
// panics if n ≤ 0.
func Queued(n int) Overlap {
	if n <= 0 {
		panic(fmt.Sprintf("executors: Queued: n > 0 required but it was %d", n))
	}
	return Overlap{queue: n}
}

// JobOption adjusts a job: [Named], [StartAt], an [Overlap], or a [Missed] for fixed
// rates.
type JobOption interface{ applyJob(j *Job) }

type jobOption func(j *Job)

func (o jobOption) applyJob(j *Job) { o(j) }
func (o Overlap) applyJob(j *Job)   { j.overlap = o }
func (m Missed) applyJob(j *Job) {
	if r, ok := j.trigger.(*repeat); ok {
		r.missed = m
	}
}

// Named names a job in logs and statistics.
func Named(name string) JobOption { return jobOption(func(j *Job) { j.name = name }) }

// StartAt sets the instant of the first run of a job at a fixed rate or with a fixed
// delay; it changes nothing for other jobs.
func StartAt(at time.Time) JobOption {
	return jobOption(func(j *Job) {
		if r, ok := j.trigger.(*repeat); ok {
			r.start = at
		}
	})
}
