package protocol

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// lane runs tasks on other goroutines: a worker of a scheduler runs them one after the
// other, an executor may run several at a time.
type lane interface {
	// Execute runs task soon, possibly within the call, or returns an error
	// and never runs it.
	Execute(task func(context.Context)) error
}

// taskDrainer is a stage whose work is done by a [TaskDrain].
type taskDrainer interface {
	Drainer
	// DrainRejected is called, before a pass on the goroutine that announced the work,
	// if the lane refuses that work.
	DrainRejected(err error)
}

// TaskDrain is a [Drain] whose passes run as tasks of a [lane]. Once work is
// announced, exactly one of three things happens to it: the task runs and does
// it, the lane refuses the task and the announcer does it (after DrainRejected),
// or [TaskDrain.Cancel] does it because no task has started.
//
// It is one task that is made once, so announcing allocates nothing.
type TaskDrain struct {
	drain     Drain
	task      atomic.Uint32 // see the constants
	cancelled atomic.Bool   // the lane gets nothing more; set before Cancel looks for a task
	more      bool          // touched by the owner of the drain: the pass wants to go on elsewhere
	owner     taskDrainer
	lane      lane
	run       func(context.Context)
}

const (
	taskNone    = iota // the owner of the drain, if any, is a goroutine that runs
	taskPending        // whoever moves on from here is the owner
	taskOffered        // a running owner is about to hand over to a fresh task
	taskMet            // that task came while the owner was still there
)

// Init sets stage and lane; it is called once, before anything else.
func (d *TaskDrain) Init(owner taskDrainer, lane lane) {
	d.owner, d.lane = owner, lane
	d.run = d.start
}

// Run announces work, for the lane to do. Kept small, to be inlined: it is called
// for every element, and has nothing to do for most.
func (d *TaskDrain) Run() {
	if d.drain.state.Load() != drainAgain {
		d.announce()
	}
}

func (d *TaskDrain) announce() {
	if d.drain.Announce() {
		d.submit()
	}
}

// submit hands the drain, which the caller owns, to the lane.
func (d *TaskDrain) submit() {
	d.task.Store(taskPending)
	chaos.Yield()
	if d.cancelled.Load() { // by somebody who may have come too early to find a task
		d.takeOver()
		return
	}
	err := d.lane.Execute(d.run)
	if err != nil && d.task.CompareAndSwap(taskPending, taskNone) {
		defer d.loop() // also if a function that hears of the cancellation ends the goroutine
		d.owner.DrainRejected(err)
	}
}

// Cancel announces that the stage was cancelled. If nobody drains, or the task
// that is to do it has not started, the pass that cleans up runs right here:
// nothing that is queued depends on a worker that may be busy, or gone. If the work is
// about to be handed to the lane, who does that keeps it, and so does who announces more.
//
// The stage disposes its worker in that pass, not before: the worker may hold the
// only task that would do the rest.
func (d *TaskDrain) Cancel() {
	d.cancelled.Store(true)
	if d.drain.Announce() {
		d.loop()
		return
	}
	chaos.Yield()
	d.takeOver()
}

// takeOver does the work of a task that has not started, if there is one.
func (d *TaskDrain) takeOver() {
	if d.task.CompareAndSwap(taskPending, taskNone) {
		d.loop()
	}
}

// Yield is called by a pass that has done its share and returns although there
// is more to do: the next pass runs in a fresh task, after others of the lane.
func (d *TaskDrain) Yield() { d.more = true }

// start is the task.
func (d *TaskDrain) start(context.Context) {
	for {
		switch d.task.Load() {
		case taskPending:
			if d.task.CompareAndSwap(taskPending, taskNone) {
				d.loop()
				return
			}
		case taskOffered:
			if d.task.CompareAndSwap(taskOffered, taskMet) {
				return
			}
		default:
			return // somebody else has done the work
		}
		chaos.Yield()
	}
}

// loop drains; the caller owns the drain.
func (d *TaskDrain) loop() {
	clean := false
	defer func() {
		if clean {
			return
		}
		// Still the owner: nobody else gets in before release.
		defer d.loop()
		crashed(d.owner, failure.Recovered(recover()))
	}()
	for {
		d.more = false
		d.owner.DrainPass()
		if d.more {
			if d.passOn() {
				break
			}
		} else if d.drain.release() {
			break
		}
	}
	clean = true
}

// passOn gives the drain to a fresh task and reports whether it is gone. It is
// not if the lane refuses, if it runs tasks within Execute or concurrently, where
// the task has come and left again, or after a cancellation: going on here is no different.
func (d *TaskDrain) passOn() bool {
	if d.cancelled.Load() {
		return false
	}
	d.task.Store(taskOffered)
	chaos.Yield()
	if err := d.lane.Execute(d.run); err != nil {
		d.task.Store(taskNone)
		d.owner.DrainRejected(err)
		return false
	}
	chaos.Yield()
	if d.task.CompareAndSwap(taskOffered, taskPending) {
		chaos.Yield()
		// Who has cancelled meanwhile may have come too early to find the task.
		return !d.cancelled.Load() || !d.task.CompareAndSwap(taskPending, taskNone)
	}
	d.task.Store(taskNone)
	return false
}
