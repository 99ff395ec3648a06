package executors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
)

// Job is what a [TaskScheduler] runs. Its outcome is known when it will not run any
// more.
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
	withdraw  func() bool          // takes back what waits for next; mu
	runs      map[*jobRun]struct{} // under way; mu
	pending   []time.Time          // runs that wait for one under way to end; mu
	round     chan struct{}        // closed with the end of the run that is awaited; mu
	roundErr  *error               // what that ended with; mu
	exhausted bool                 // the trigger has no further time; mu
	over      bool                 // mu
	err       error                // written before done is closed
	stats     JobStats             // mu
}

// jobRun is a run under way.
type jobRun struct{ due, start time.Time }

// JobStats is a snapshot of a job.
type JobStats struct {
	Name         string
	Next         time.Time     // when it is due, zero if it is not
	Running      int           // runs under way
	Runs         uint64        // runs that ended
	Failures     uint64        // those among them that failed
	Skipped      uint64        // runs left out because of [Overlap]
	LastStart    time.Time     // of the last run that ended
	LastDuration time.Duration // as LastStart
	LastError    error         // as LastStart
	Done         bool          // it will not run any more
}

// Overlap says what happens when a run is due while another one of the same job is
// under way. It matters with [GoroutinePerRun] only: on a pool the runs of a job
// follow one another.
type Overlap struct {
	allow bool
	queue int
}

// What happens to runs that would overlap.
var (
	Forbid = Overlap{}            // left out, and counted; the default
	Allow  = Overlap{allow: true} // run beside the other ones
)

// Queued lets up to n runs wait for the one under way; further ones are left out. It
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

// StartAt is the instant of the first run of a job at a fixed rate or with a fixed
// delay; it changes nothing for others.
func StartAt(at time.Time) JobOption {
	return jobOption(func(j *Job) {
		if r, ok := j.trigger.(*repeat); ok {
			r.start = at
		}
	})
}

// add makes a job and plans its first run.
func (s *TaskScheduler) add(trigger Trigger, fn func(ctx context.Context) error, opts []JobOption, repeating bool) (*Job, error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	j := &Job{s: s, fn: fn, trigger: trigger, repeating: repeating, done: make(chan struct{}), runs: map[*jobRun]struct{}{}}
	j.name = functionName(pcOf(fn))
	for _, o := range opts {
		o.applyJob(j)
	}
	if r, ok := trigger.(*repeat); ok {
		j.afterRun = !r.rate
	}
	if p, ok := trigger.(Periodic); ok {
		j.afterRun = !p.FixedRate
	}
	j.stats.Name = j.name
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	at, ok := trigger.Next(TriggerContext{Now: s.now()})
	if !ok {
		j.cancel(ErrNeverFires)
		return nil, ErrNeverFires
	}
	if err := j.plan(at); err != nil {
		j.cancel(err)
		return nil, err
	}
	return j, nil
}

// plan waits for an instant, or for the next time to look at the clock.
func (j *Job) plan(at time.Time) error {
	wait := min(max(0, at.Sub(j.s.now())), j.s.rearm)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		return nil
	}
	withdraw, err := j.s.pool.TrackAfter(context.Background(), j.due, wait, j.dropped)
	if err != nil {
		return err
	}
	j.next, j.withdraw = at, withdraw
	return nil
}

// planned is plan for later runs: a pool that refuses has been shut down.
func (j *Job) planned(at time.Time) {
	if err := j.plan(at); err != nil {
		j.end(&CancelError{Cause: ErrShutdown})
	}
}

// due runs on a worker of the pool when the wait is over.
func (j *Job) due(ctx context.Context) {
	now := j.s.now()
	j.mu.Lock()
	at := j.next
	switch {
	case j.over:
		j.mu.Unlock()
		return
	case now.Before(at):
		j.mu.Unlock()
		j.planned(at)
		return
	}
	j.next, j.withdraw = time.Time{}, nil
	j.mu.Unlock()
	if j.s.runs == nil {
		j.run(ctx, at)
		return
	}
	if !j.afterRun {
		// The next run does not wait for this one: its end is taken to be now.
		j.mu.Lock()
		j.last = TriggerContext{LastScheduled: at, LastStart: now, LastEnd: now}
		j.mu.Unlock()
		j.advance()
	}
	j.dispatch(at)
}

// dispatch starts a goroutine for a run, if the job may have one more.
func (j *Job) dispatch(at time.Time) {
	j.mu.Lock()
	switch {
	case len(j.runs) == 0 || j.overlap.allow:
	case len(j.pending) < j.overlap.queue:
		j.pending = append(j.pending, at)
		j.mu.Unlock()
		return
	default:
		j.stats.Skipped++
		j.mu.Unlock()
		return
	}
	r := &jobRun{due: at}
	j.runs[r] = struct{}{}
	j.mu.Unlock()
	_, err := j.s.runs.Track(context.Background(), func(ctx context.Context) { j.runAs(ctx, r) }, j.end)
	if err != nil {
		j.mu.Lock()
		delete(j.runs, r)
		j.mu.Unlock()
		j.end(&CancelError{Cause: ErrShutdown})
	}
}

// run runs the job on the calling goroutine.
func (j *Job) run(ctx context.Context, at time.Time) {
	r := &jobRun{due: at}
	j.mu.Lock()
	j.runs[r] = struct{}{}
	j.mu.Unlock()
	j.runAs(ctx, r)
}

func (j *Job) runAs(ctx context.Context, r *jobRun) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(j.ctx, func() { cancel(context.Cause(j.ctx)) })
	start := j.s.now()
	j.mu.Lock()
	r.start = start
	j.mu.Unlock()
	var err error
	returned := false
	defer func() {
		stop()
		cancel(nil)
		if !returned {
			err = caught(j.name, recover())
		}
		j.ran(r, err)
	}()
	err = j.fn(ctx)
	returned = true
}

// ran notes the end of a run, and plans what follows.
func (j *Job) ran(r *jobRun, err error) {
	failure := err
	if err != nil {
		err = j.failed(err)
	}
	now := j.s.now()
	j.mu.Lock()
	delete(j.runs, r)
	j.stats.Runs++
	if failure != nil {
		j.stats.Failures++
	}
	j.stats.LastStart, j.stats.LastDuration, j.stats.LastError = r.start, now.Sub(r.start), failure
	if j.s.runs == nil || j.afterRun {
		j.last = TriggerContext{LastScheduled: r.due, LastStart: r.start, LastEnd: now}
	}
	if j.round != nil {
		*j.roundErr = err
		close(j.round)
		j.round = nil
	}
	var waiting time.Time
	if len(j.pending) > 0 && len(j.runs) == 0 {
		waiting, j.pending = j.pending[0], j.pending[1:]
	}
	exhausted := j.exhausted && len(j.runs) == 0 && waiting.IsZero()
	j.mu.Unlock()
	switch {
	case err != nil:
		j.end(err)
	case !waiting.IsZero():
		j.dispatch(waiting)
	case j.s.runs == nil || j.afterRun:
		j.advance()
	case exhausted:
		j.end(nil)
	}
}

// failed asks what to do about a failure: nil is to go on.
func (j *Job) failed(err error) (verdict error) {
	if j.s.onError == nil {
		if j.isOver() && errors.Is(err, context.Canceled) {
			return err // it was asked to stop, and it did
		}
		logJobError(j, err)
		if j.repeating {
			return nil
		}
		return err
	}
	returned := false
	defer func() {
		if !returned {
			verdict = caught(j.name, recover())
		}
	}()
	verdict = j.s.onError(j, err)
	returned = true
	return verdict
}

// advance asks the trigger for the next time.
func (j *Job) advance() {
	j.mu.Lock()
	c := j.last
	over := j.over
	j.mu.Unlock()
	if over {
		return
	}
	c.Now = j.s.now()
	at, ok, err := j.ask(c)
	switch {
	case err != nil:
		logJobError(j, err)
		j.end(err)
	case ok:
		j.planned(at)
	default:
		j.mu.Lock()
		j.exhausted = true
		idle := len(j.runs) == 0 && len(j.pending) == 0 && (j.s.runs == nil || j.afterRun)
		j.mu.Unlock()
		if idle {
			j.end(nil)
		}
	}
}

// ask calls the trigger, whatever that does.
func (j *Job) ask(c TriggerContext) (at time.Time, ok bool, err error) {
	returned := false
	defer func() {
		if !returned {
			at, ok, err = time.Time{}, false, caught(j.name, recover())
		}
	}()
	at, ok = j.trigger.Next(c)
	returned = true
	return at, ok, nil
}

// dropped ends the job because of a shutdown, which may let runs under way go on.
func (j *Job) dropped(err error) {
	if j.finish(err) && !j.s.wait {
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
// ends. The outcome is a [*CancelError] with cause, which may be nil. It reports
// whether it came before the end.
func (j *Job) Cancel(cause error) bool {
	if j.isOver() {
		return false
	}
	why := &CancelError{Cause: cause}
	j.end(why)
	return j.Err() == error(why)
}

// Done returns a channel that is closed when the job will not be started any more.
func (j *Job) Done() <-chan struct{} { return j.done }

// Err returns what the job ended with: nil if its trigger had no further time, or it
// has not ended.
func (j *Job) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Wait waits for the current occurrence: the run under way, or else the next one.
// It returns what that ended with, after the error handler; what the job ended with
// if it ends before; the cause if ctx ends first.
func (j *Job) Wait(ctx context.Context) error {
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
	s.Next, s.Running, s.Done = j.next, len(j.runs), j.over
	return s
}
