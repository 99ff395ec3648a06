package executors

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/live"
)

// jobRun is a run under way.
type jobRun struct {
	job   *Job      // immutable
	due   time.Time // immutable
	start time.Time // mu of the job
	began time.Time // when it started by the clock of the pool, which does not jump; mu of the job
}

type runKey struct{}

// JobOf returns the job whose function was called with ctx, or with a context that ctx
// was derived from, and when this run of it was due, by the wall clock of the
// scheduler. A run begins later than that where the workers are busy, where it has
// waited for another run of the job (see [Queued]), and where it makes up for one that
// was missed (see [Missed]): a job that works on the hour before, or that must not do
// the same work twice, goes by the time when it was due. Without a job it returns nil
// and the zero time.
func JobOf(ctx context.Context) (job *Job, due time.Time) {
	if ctx == nil {
		return nil, time.Time{}
	}
	if r, ok := ctx.Value(runKey{}).(*jobRun); ok {
		return r.job, r.due
	}
	return nil, time.Time{}
}

// reserve adds a run that is due to those under way and returns it. If the job may not have
// one more now, it returns nil: the run waits in pending, or is left out. The caller holds mu.
func (j *Job) reserve(at time.Time) *jobRun {
	switch {
	case len(j.runs) == 0 || j.overlap.allow:
		r := &jobRun{job: j, due: at}
		j.runs[r] = struct{}{}
		return r
	case len(j.pending) < j.overlap.queue:
		j.pending = append(j.pending, at)
	default:
		j.stats.Skipped++
	}
	return nil
}

// launch gives a run that was reserved to the pool of runs, which has a goroutine for each. A refusal ends the job.
func (j *Job) launch(r *jobRun) {
	returned := false
	var err error
	defer func() {
		if !returned {
			err = caught(j.name, recover())
		}
		if err != nil {
			j.mu.Lock()
			delete(j.runs, r)
			j.mu.Unlock()
			j.refused(err)
		}
	}()
	_, err = j.s.runs.Track(context.Background(), func(ctx context.Context) { j.run(ctx, r) }, func(cause error) {
		j.leave(r)
		j.refused(cause)
	})
	returned = true
	err = j.named(err)
}

// run runs the job on the calling goroutine, unless it is over by now.
func (j *Job) run(ctx context.Context, r *jobRun) {
	timed := false
	defer func() {
		if !timed { // a clock has not returned; if it was the wall clock, read has ended the job
			j.leave(r)
		}
	}()
	start, began := j.now(), j.s.pool.Now()
	timed = true
	j.mu.Lock()
	if j.over {
		delete(j.runs, r)
		j.mu.Unlock()
		return
	}
	r.start, r.began = start, began
	j.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, runKey{}, r))
	stop := live.AfterContext(j.ctx, live.Func(func() { cancel(context.Cause(j.ctx)) }))
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

// leave takes a run off those under way, if it still is one.
func (j *Job) leave(r *jobRun) {
	j.mu.Lock()
	delete(j.runs, r)
	j.mu.Unlock()
}

// ran is called at the end of a run: it asks what to do about a failure, and goes on with the job.
func (j *Job) ran(r *jobRun, err error) {
	outcome := err
	defer func() { j.goOn(r, err, outcome) }() // also if the error handler ends the goroutine
	if err != nil {
		outcome = reactor.ErrGoexit
		outcome = j.failed(err)
	}
}

// goOn notes the end of a run, and plans what follows. failure is what the run has returned, err what the error handler has made
// of that: nil lets the job go on.
func (j *Job) goOn(r *jobRun, failure, err error) {
	defer j.leave(r) // also if a clock does not return
	now, took := j.now(), j.s.pool.Now().Sub(r.began)
	j.mu.Lock()
	delete(j.runs, r)
	j.stats.Runs++
	if failure != nil {
		j.stats.Failures++
	}
	j.stats.LastStart, j.stats.LastDuration, j.stats.LastError = r.start, took, failure
	if j.s.runs == nil || j.afterRun {
		j.last = behind(r.due, r.start, now)
	}
	if j.round != nil {
		*j.roundErr = err
		close(j.round)
		j.round = nil
	}
	var waiting *jobRun
	if err == nil && len(j.pending) > 0 && len(j.runs) == 0 {
		at := j.pending[0]
		j.pending = j.pending[1:]
		waiting = j.reserve(at)
	}
	exhausted, outcome := j.exhausted && len(j.runs) == 0, j.outcome
	j.mu.Unlock()
	switch {
	case err != nil:
		j.end(err)
	case waiting != nil:
		j.launch(waiting)
	case j.s.runs == nil || j.afterRun:
		j.advance()
	case exhausted:
		j.end(outcome)
	}
}

// failed asks what to do about a failure: nil is to go on.
func (j *Job) failed(err error) (outcome error) {
	if j.s.onError == nil {
		if j.isOver() && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) || errors.Is(err, ErrShutdown)) {
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
