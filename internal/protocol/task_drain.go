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
	task      atomic.Uint32 // taskNone and the others
	cancelled atomic.Bool   // Cancel was called; set before Cancel looks for a task
	more      bool          // the pass has called Yield; touched by the owner of the drain
	owner     taskDrainer   // the stage
	lane      lane
	run       func(context.Context) // start, made once
}

const (
	taskNone    = iota // no task is due; the owner of the drain, if there is one, is running
	taskPending        // a task is to become the owner: whoever takes this to taskNone first is it
	taskOffered        // the owner, which is running, is about to hand over to a fresh task
	taskMet            // that task has started too early and has left again: the owner stays it
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
	if d.cancelled.Load() { // Cancel may have looked before the task was pending
		d.takeOver()
		return
	}
	returned := false
	defer func() { // a lane of others may panic, or end the goroutine
		if !returned && d.task.Load() == taskPending {
			d.rejected(failure.Recovered(recover()))
		}
	}()
	err := d.lane.Execute(d.run)
	if returned = true; err != nil {
		d.rejected(err)
	}
}

// rejected is called if the lane does not take the task; but a lane of others that fails may have run it, or may run it yet.
func (d *TaskDrain) rejected(err error) {
	if d.task.CompareAndSwap(taskPending, taskNone) {
		defer d.loop() // also if a function that hears of the cancellation ends the goroutine
		d.owner.DrainRejected(err)
	}
}

// Cancel announces that the stage was cancelled. If nobody drains, or the task
// that is to do it has not started, the pass that cleans up runs right here:
// nothing that is queued depends on a worker that may be busy, or gone. A goroutine that is
// about to hand the work to the lane keeps it, and so does one that announces more.
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
		// The caller is still the owner: nobody else gets in before release.
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

// passOn gives the drain to a fresh task, and reports whether the caller has to leave. The caller
// stays the owner, and goes on, if the lane refuses, if the task has started before Execute returned
// and has left again, or after a cancellation.
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
		// Cancel may have looked meanwhile, before the task was pending.
		return !d.cancelled.Load() || !d.task.CompareAndSwap(taskPending, taskNone)
	}
	d.task.Store(taskNone)
	return false
}
