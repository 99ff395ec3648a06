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

// dropTime is the interval in which those who wait for a task look whether its scheduler has dropped
// the task: schedulers tell nobody.
const dropTime = time.Second

// firstLook returns after what time a task is looked at first: not before the end of a lease of that length, 0 without one, which ends
// the wait for the task, unless the clock of the lease has gone with the task.
func firstLook(lease time.Duration) time.Duration {
	return time.Duration(later(int64(dropTime), lease))
}

// delivery is how a stream that was granted a key goes on: by a task, which its scheduler may drop.
type delivery struct {
	taken atomic.Bool                 // the task has begun, or somebody else has given the key back
	stop  atomic.Pointer[func() bool] // stops the timer of the next look at the task, or nil
}

// receiver is a stream that goes on after its wait: with the key, or with an error.
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

// look sets a timer that looks, after that time and then each dropTime, whether the scheduler has dropped the task before it
// began. If so, the timer gives the key of h back, and tells to.
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

// later lets a stream go on that was granted the key: by a task, because the goroutine of the
// previous holder has nothing to do with that stream. If the scheduler refuses the task, or drops it, the key
// is given back.
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
