package executors

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor/internal/live"
)

// jobRun is a run under way.
type jobRun struct {
	due, start time.Time
	began      time.Time // start on the clock of the pool, which does not jump
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
	stop := live.AfterContext(j.ctx, func() { cancel(context.Cause(j.ctx)) })
	start, began := j.s.now(), j.s.pool.Now()
	j.mu.Lock()
	r.start, r.began = start, began
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
	now, took := j.s.now(), j.s.pool.Now().Sub(r.began)
	j.mu.Lock()
	delete(j.runs, r)
	j.stats.Runs++
	if failure != nil {
		j.stats.Failures++
	}
	j.stats.LastStart, j.stats.LastDuration, j.stats.LastError = r.start, took, failure
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
func (j *Job) failed(err error) (outcome error) {
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
			outcome = caught(j.name, recover())
		}
	}()
	outcome = j.s.onError(j, err)
	returned = true
	return outcome
}
