package executors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
)

// add makes a job and plans its first run.
func (s *TaskScheduler) add(trigger Trigger, fn func(ctx context.Context) error, opts []JobOption, repeating bool) (*Job, error) {
	if !s.made() {
		return nil, errNoScheduler
	}
	if fn == nil {
		return nil, ErrNilTask
	}
	j := &Job{s: s, fn: fn, trigger: trigger, repeating: repeating, done: make(chan struct{}), runs: map[*jobRun]struct{}{}}
	j.name = functionName(pcOf(fn))
	for _, o := range opts {
		if o == nil {
			return nil, fmt.Errorf("executors: a job option is nil: %w", errArgument)
		}
		o.applyJob(j)
	}
	switch t := trigger.(type) {
	case *repeat:
		if err := t.missed.check(); err != nil && t.rate {
			return nil, err
		}
		j.afterRun = !t.rate
	case Periodic:
		if err := t.check(); err != nil {
			return nil, err
		}
		j.afterRun = !t.FixedRate
	case *Periodic:
		if err := t.check(); err != nil {
			return nil, err
		}
		j.afterRun = !t.FixedRate
	}
	j.stats.Name = j.name
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	at, ok := trigger.Next(TriggerContext{Now: s.now()})
	if !ok {
		j.cancel(ErrNeverFires)
		return nil, ErrNeverFires
	}
	s.keep(j)
	if err := j.plan(at); err != nil {
		s.drop(j)
		j.cancel(err)
		return nil, err
	}
	return j, nil
}

// plan waits for an instant, or for the next time to look at the clock.
func (j *Job) plan(at time.Time) error {
	return j.wait(at, max(0, at.Sub(j.now())))
}

// early is how long a job waits at least that has looked at the clock too early. A clock that moves in steps, as one does that is
// read now and then, may stand just before the instant: nobody looks without a pause until it moves.
const early = 100 * time.Microsecond

// wait waits for an instant, which comes in so long if the clock runs as that of the pool does. The pool is called without mu,
// because it calls functions of the user.
func (j *Job) wait(at time.Time, wait time.Duration) error {
	wait = min(wait, j.s.rearm)
	look := j.poolNow().Add(wait)
	j.mu.Lock()
	if j.over {
		j.mu.Unlock()
		return nil
	}
	j.next, j.look = at, look
	j.plans++
	plan := j.plans
	j.mu.Unlock()
	withdraw, err := j.submit(wait)
	if err != nil {
		return err
	}
	j.mu.Lock()
	over := j.over
	if !over && j.plans == plan { // else it was due in the meantime
		j.withdraw = withdraw
	}
	j.mu.Unlock()
	if over {
		withdraw()
	}
	return nil
}

// now is the time of the scheduler. A clock that does not return ends the job, as a trigger does: it has no next time.
func (j *Job) now() time.Time { return j.read(j.s.now) }

func (j *Job) read(clock func() time.Time) (now time.Time) {
	returned := false
	defer func() {
		if !returned {
			j.refused(caught(j.name, recover()))
		}
	}()
	now = clock()
	returned = true
	return now
}

// leavesOut returns the trigger of a job that leaves out runs which it missed, else nil.
func (j *Job) leavesOut() *repeat {
	if r, ok := j.trigger.(*repeat); ok && r.rate && r.missed != MissedAll {
		return r
	}
	return nil
}

// poolNow is the time of the pool's clock, for a job that leaves out runs, else zero.
func (j *Job) poolNow() time.Time {
	if j.leavesOut() == nil {
		return time.Time{}
	}
	return j.read(j.s.pool.Now)
}

// regular returns the time that the job runs for, which waits for at and looks at the clock now: another one if the clock has passed a
// period or more by a jump, or because the machine was asleep. What the look itself came late, for want of a worker, by the clock of the
// pool, is no jump: a job that finds its worker busy each time runs late, not never. The caller holds mu.
func (j *Job) regular(at, now, pool time.Time) time.Time {
	r := j.leavesOut()
	if r == nil || now.Sub(at)-max(0, pool.Sub(j.look)) < r.period {
		return at
	}
	return r.from(at, now)
}

// submit hands the job to the pool for later, whatever its decorators do.
func (j *Job) submit(wait time.Duration) (withdraw func() bool, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if err = caught(j.name, recover()); err == reactor.ErrGoexit {
			j.refused(err) // who plans does not get round to it
		}
	}()
	withdraw, err = j.s.pool.TrackAfter(context.Background(), wait, j.due, j.dropped)
	returned = true
	return withdraw, j.named(err)
}

// named puts the name of the job into the refusal of a pool, which knows the function that it was to run for it.
func (j *Job) named(err error) error {
	r, ok := err.(*RejectedError)
	if !ok {
		return err
	}
	named := *r
	named.Task = j.name
	return &named
}

// planned is plan for later runs.
func (j *Job) planned(at time.Time) { j.waits(j.plan(at)) }

// waits ends the job if it does not wait for its next time, because of err.
func (j *Job) waits(err error) {
	if err != nil {
		j.refused(err)
	}
}

// refused ends a job that a pool does not take, or drops: that has been shut down, or can't, or a decorator has panicked.
func (j *Job) refused(err error) {
	if errors.Is(err, ErrShutdown) {
		err = becauseOfShutdown
	} else {
		logJobError(j, err)
	}
	j.end(err)
}

// due runs on a worker of the pool when the wait is over.
func (j *Job) due(ctx context.Context) {
	now, pool := j.now(), j.poolNow()
	j.mu.Lock()
	at := j.regular(j.next, now, pool)
	j.plans++
	j.withdraw = nil
	switch {
	case j.over:
		j.mu.Unlock()
		return
	case now.Before(at):
		j.mu.Unlock()
		j.waits(j.wait(at, max(early, at.Sub(now))))
		return
	}
	j.next = time.Time{}
	waits := j.s.runs == nil || j.afterRun
	if !waits {
		// The next run does not wait for this one: its end is taken to be now.
		j.last = behind(at, now, now)
	}
	// The run has its place before the trigger is asked, so that the job does not
	// end before it.
	r := j.reserve(at)
	j.mu.Unlock()
	if j.s.runs == nil {
		j.run(ctx, r)
		return
	}
	if r != nil {
		defer j.launch(r) // also if the trigger ends the goroutine
	}
	if !waits {
		j.advance()
	}
}

// behind is what a trigger is told of a run. To a trigger the zero time means that there was none yet: a run that was due then, by a
// clock that begins with it, was due a nanosecond before, else the trigger would name its first time again, and again.
func behind(due, start, end time.Time) TriggerContext {
	if due.IsZero() {
		due = due.Add(-1)
	}
	return TriggerContext{LastScheduled: due, LastStart: start, LastEnd: end}
}

// advance asks the trigger for the next time. One that does not return has none.
func (j *Job) advance() {
	j.mu.Lock()
	c := j.last
	over := j.over
	j.mu.Unlock()
	if over {
		return
	}
	if !j.repeating { // its instant is behind it, even the zero time
		j.advanced(time.Time{}, false, nil)
		return
	}
	if c.Now = j.now(); j.isOver() {
		return
	}
	var at time.Time
	var ok bool
	var err error = reactor.ErrGoexit
	defer func() { j.advanced(at, ok, err) }() // also if the trigger ends the goroutine
	at, ok, err = j.ask(c)
}

// advanced plans the run at the next time, or notes that there is none.
func (j *Job) advanced(at time.Time, ok bool, err error) {
	if ok {
		j.planned(at)
		return
	}
	if err != nil {
		logJobError(j, err)
	}
	j.mu.Lock()
	j.exhausted, j.outcome = true, err
	idle := len(j.runs) == 0 && len(j.pending) == 0
	j.mu.Unlock()
	if idle {
		j.end(err)
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
