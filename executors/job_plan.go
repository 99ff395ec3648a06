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
		j.afterRun = !t.FixedRate
	case *Periodic:
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

// plan waits for an instant, or for the next time to look at the clock. The pool is
// called without mu, because it calls functions of the user.
func (j *Job) plan(at time.Time) error {
	wait := min(max(0, at.Sub(j.now())), j.s.rearm)
	j.mu.Lock()
	if j.over {
		j.mu.Unlock()
		return nil
	}
	j.next = at
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
func (j *Job) now() (now time.Time) {
	returned := false
	defer func() {
		if !returned {
			j.refused(caught(j.name, recover()))
		}
	}()
	now = j.s.now()
	returned = true
	return now
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
func (j *Job) planned(at time.Time) {
	if err := j.plan(at); err != nil {
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
	now := j.now()
	j.mu.Lock()
	at := j.next
	j.plans++
	j.withdraw = nil
	switch {
	case j.over:
		j.mu.Unlock()
		return
	case now.Before(at):
		j.mu.Unlock()
		j.planned(at)
		return
	}
	j.next = time.Time{}
	waits := j.s.runs == nil || j.afterRun
	if !waits {
		// The next run does not wait for this one: its end is taken to be now.
		j.last = TriggerContext{LastScheduled: at, LastStart: now, LastEnd: now}
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
