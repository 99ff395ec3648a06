package executors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
)

// Job is a job of a [TaskScheduler]. Its outcome is known when it will not run any
// more. The zero Job has no scheduler: it has ended, and its error matches
// [reactor.ErrIllegalState].
type Job struct {
	s         *TaskScheduler
	name      string
	fn        func(ctx context.Context) error
	trigger   Trigger
	repeating bool
	overlap   Overlap
	afterRun  bool // the next time depends on the end of a run
	ctx       context.Context
	cancel    context.CancelCauseFunc
	done      chan struct{}

	mu        sync.Mutex
	last      TriggerContext       // mu
	next      time.Time            // zero if there is none; mu
	look      time.Time            // when due is to look at the clock, by the clock of the pool; zero unless leavesOut; mu
	plans     int                  // how often next was set or taken: tells wait that the task of its withdraw has run already; mu
	withdraw  func() bool          // takes back the task of the pool that waits for next; mu
	runs      map[*jobRun]struct{} // under way; mu
	pending   []time.Time          // when the runs were due that wait for the end of one under way; mu
	round     chan struct{}        // closed when the next run ends, or the job; nil if nobody has asked since the last one; mu
	roundErr  *error               // the outcome of that run; written under mu before round is closed
	exhausted bool                 // the trigger has no further time; mu
	outcome   error                // what the job ends with when it is exhausted and its last run has ended; mu
	over      bool                 // the job has ended; mu
	err       error                // what it has ended with; mu
	stats     JobStats             // mu
}

// JobStats is a snapshot of a job.
type JobStats struct {
	Name         string
	Next         time.Time     // when the next run is due, zero if none is
	Running      int           // runs under way
	Runs         uint64        // runs that ended
	Failures     uint64        // runs among them that failed
	Skipped      uint64        // runs left out because of [Overlap]
	LastStart    time.Time     // start of the last run that ended
	LastDuration time.Duration // how long that took, by a clock that does not jump
	LastError    error         // what that returned
	Done         bool          // the job will not run any more
}

// String returns for example "\"export\" [next 2026-11-27T03:00:00Z, running 0, runs 7, failures 1, skipped 0]".
func (s JobStats) String() string {
	next := "never"
	if !s.Next.IsZero() {
		next = s.Next.Format(time.RFC3339)
	}
	return fmt.Sprintf("%q [next %s, running %d, runs %d, failures %d, skipped %d]", s.Name, next, s.Running, s.Runs, s.Failures, s.Skipped)
}

// dropped ends the job because the pool has dropped the task that waits for its next time: in a
// shutdown, or because a hook or a decorator has kept that task from running. It leaves the contexts of runs
// under way alone if the scheduler waits for them (WaitOnShutdown).
func (j *Job) dropped(err error) {
	if !j.finish(err) {
		return
	}
	if !errors.Is(err, ErrShutdown) {
		logJobError(j, err)
	}
	if !j.s.wait {
		j.cancel(err)
	}
}

// end ends the job, the first time, and the contexts of runs under way.
func (j *Job) end(err error) {
	if j.finish(err) {
		j.cancel(reactor.NonNil(err))
	}
}

// finish ends the job and reports whether it was the first to do so.
func (j *Job) finish(err error) bool {
	j.mu.Lock()
	if j.over {
		j.mu.Unlock()
		return false
	}
	j.over, j.err = true, err
	withdraw := j.withdraw
	j.withdraw, j.next, j.pending = nil, time.Time{}, nil
	if j.round != nil {
		*j.roundErr = err
		close(j.round)
		j.round = nil
	}
	close(j.done)
	j.mu.Unlock()
	j.s.drop(j)
	if withdraw != nil {
		withdraw()
	}
	return true
}

func (j *Job) isOver() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.over
}

// Name returns the name of the job: that of [Named], or of its function.
func (j *Job) Name() string { return j.name }

// Cancel ends the job: it does not run again, and the context of a run under way
// ends. The outcome is a [*CancelError] with cause, which may be nil. Cancel reports
// whether it came before the end of the job.
func (j *Job) Cancel(cause error) bool {
	if j.s == nil || j.isOver() {
		return false
	}
	why := &CancelError{Cause: cause}
	j.end(why)
	return j.Err() == error(why)
}

// Done returns a channel that is closed when the job will not be started any more.
func (j *Job) Done() <-chan struct{} {
	if j.s == nil {
		return closedChan
	}
	return j.done
}

// Err returns the error that ended the job: nil if its trigger had no further time,
// or if the job has not ended.
func (j *Job) Err() error {
	if j.s == nil {
		return errNoJob
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Wait waits for the current occurrence: the run under way, or else the next one.
// It returns the error of that occurrence as the error handler left it; the error
// of the job, if the job ends before; or the cause of ctx, if ctx ends first.
func (j *Job) Wait(ctx context.Context) error {
	switch {
	case j.s == nil:
		return errNoJob
	case ctx == nil:
		return errNoContext
	}
	j.mu.Lock()
	if j.over {
		defer j.mu.Unlock()
		return j.err
	}
	if j.round == nil {
		j.round, j.roundErr = make(chan struct{}), new(error)
	}
	round, err := j.round, j.roundErr
	j.mu.Unlock()
	select {
	case <-round:
		return *err
	case <-ctx.Done():
		return reactor.NonNil(context.Cause(ctx))
	}
}

// Stats returns a snapshot.
func (j *Job) Stats() JobStats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.Next, s.Running, s.Done = j.next, len(j.runs), j.over || j.s == nil
	return s
}
