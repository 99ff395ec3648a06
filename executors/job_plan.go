package executors

import (
	"context"
	"time"
)

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
