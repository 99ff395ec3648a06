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

// plan has the job run at an instant: it waits for that, or for the next time to look at the clock.
func (j *Job) plan(at time.Time) error {
	return j.wait(at, max(0, at.Sub(j.now())))
}

// early is how long a job at least waits again if it has looked at the clock before its instant. A clock that moves in steps may
// stand just before the instant: without a pause the job would look again and again until it moves.
const early = 100 * time.Microsecond

// wait has due called after wait, or after rearm if that is shorter, to see whether the instant at has come. It calls the pool
// without mu, because the pool calls functions of the user.
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

// now is the time of the scheduler's clock, a function of the user. If that does not return, the job ends.
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

// leavesOut returns the trigger if the job is one at a fixed rate that leaves out missed runs, else nil.
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

// regular returns the time for which the job runs. That is at, for which the job has waited, unless the clock, which says now, was
// moved beyond at by a period or more, or the machine was asleep: then it is a later one. If the look at the clock itself was late,
// by the clock of the pool, because no worker was free, that does not count: such a job runs late, not never. The caller holds mu.
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
			j.refused(err) // nothing returns to the caller, who would end the job
		}
	}()
	withdraw, err = j.s.pool.TrackAfter(context.Background(), wait, j.due, j.dropped)
	returned = true
	return withdraw, j.named(err)
}

// named puts the name of the job into the refusal of a pool, in place of the name of a function of this package.
func (j *Job) named(err error) error {
	r, ok := err.(*RejectedError)
	if !ok {
		return err
	}
	named := *r
	named.Task = j.name
	return &named
}

// planned is plan for the runs after the first one: a refusal ends the job.
func (j *Job) planned(at time.Time) { j.waits(j.plan(at)) }

// waits ends the job if err says that the pool has not taken the task that waits for its next time.
func (j *Job) waits(err error) {
	if err != nil {
		j.refused(err)
	}
}

// refused ends the job because a pool has refused or dropped a task of it, or because a function of the user, a decorator or a
// clock, has not returned.
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
	waits := j.s.runs == nil || j.afterRun // the trigger is asked when the run has ended
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

// behind is what a trigger is told of a run. A LastScheduled of zero would tell the trigger that there was no run yet, and it would
// name its first time again. So a run that was due at the zero time, by a clock that begins with that, counts as due a nanosecond before.
func behind(due, start, end time.Time) TriggerContext {
	if due.IsZero() {
		due = due.Add(-1)
	}
	return TriggerContext{LastScheduled: due, LastStart: start, LastEnd: end}
}

// advance asks the trigger for the next time, and plans the run. If the trigger does not return, there is no next time.
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
