package keylock

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/schedulers"
)

// dropTime is how often who waits for a task looks whether its scheduler has dropped it: nobody
// tells of that.
const dropTime = time.Second

// firstLook is after what time that is looked at first, if a lease of that length, 0 without one, ends the wait as
// a rule. The clock of the lease may have gone with the task.
func firstLook(lease time.Duration) time.Duration {
	return time.Duration(later(int64(dropTime), lease))
}

// delivery is how a stream that was granted a key goes on: by a task, which its scheduler may drop.
type delivery struct {
	taken atomic.Bool                 // the task has begun, or somebody else has given the key back
	stop  atomic.Pointer[func() bool] // stops the timer of the next look at the task, or nil
}

// receiver is who goes on, one way or the other.
type receiver interface {
	granted(context.Context)
	failed(err error)
}

// take reports whether the caller is the one to decide what becomes of the grant.
func (d *delivery) take() bool {
	if d.taken.Swap(true) {
		return false
	}
	chaos.Yield()
	if stop := d.stop.Load(); stop != nil {
		(*stop)()
	}
	return true
}

// look gives the key of h back and tells to, when it finds after that time or later that the task was dropped
// before it began.
func (d *delivery) look(h *hold, task schedulers.Disposable, to receiver, after time.Duration) {
	if d.taken.Load() {
		return
	}
	stop := live.After(after, func() {
		if !task.IsDisposed() {
			d.look(h, task, to, dropTime)
		} else if d.take() {
			h.undelivered(to, schedulers.ErrTaskDisposed)
		}
	})
	d.stop.Store(&stop)
	chaos.Yield()
	if d.taken.Load() {
		stop() // who took it may have looked too early
	}
}

// settledTo tells a stream the end of its wait.
func (h *hold) settledTo(on schedulers.Scheduler, d *delivery, to receiver, err error) {
	defer func() { // also if the meter ends the goroutine
		if err != nil {
			to.failed(err)
			return
		}
		h.later(on, d, to)
	}()
	h.stopWaiting()
}

// later goes on with a grant for which nobody's goroutine has waited: not on that of
// the previous holder, which has nothing to do with it. A refusal gives the key back, and so does a
// scheduler that drops the task.
func (h *hold) later(on schedulers.Scheduler, d *delivery, to receiver) {
	if d.taken.Load() {
		return // it was cancelled, or its lease is over
	}
	if on == nil {
		on = h.clk.sched
	}
	if on == nil {
		on = schedulers.Parallel()
	}
	returned := false
	defer func() {
		if !returned && d.take() { // the scheduler has ended the goroutine, in place of taking the task
			h.undelivered(to, failure.Recovered(recover()))
		}
	}()
	task, err := on.Schedule(to.granted)
	returned = true
	switch {
	case err == nil:
		d.look(h, task, to, firstLook(h.lease))
	case d.take():
		h.undelivered(to, err)
	}
}

// undelivered gives the key back because a scheduler does not run what was to go on with it.
func (h *hold) undelivered(to receiver, err error) {
	defer to.failed(h.notRun(err)) // also if the stream that has the key now goes on here, and ends the goroutine
	h.release()
}

// notRun returns the error for what a scheduler does not run.
func (h *hold) notRun(err error) error {
	return &Error{Op: h.op.String(), Kind: reactor.ErrRejected, Key: h.e.key, Cause: err}
}
