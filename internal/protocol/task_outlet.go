package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
)

// TaskFlow is a [Flow] that runs as tasks of a [lane].
type TaskFlow interface {
	Flow
	// Rejected returns the error that ends the stream because the lane has refused a task
	// with err.
	Rejected(err error) error
}

// TaskOutlet is an [Outlet] whose flow runs as tasks of a [lane]: announced here, done there, in
// turns that the flow may end by [TaskOutlet.Yield]. What a cancellation leaves behind is cleared
// on its own goroutine if no task has begun.
type TaskOutlet struct {
	outlet
	drain TaskDrain
	runs  *Half  // told of the passes, if somebody wants to know; written before the first request
	away  bool   // a run must not last while functions above are called; as runs
	run   uint32 // the number of the run, or 0; owner
}

// Not inlined, as [Outlet.init]: called once, from the code of every type.
//
//go:noinline
func (o *TaskOutlet) init(ctx context.Context, down Signals, flow TaskFlow, lane lane) {
	o.outlet.init(ctx, down, flow)
	o.drain.Init(o, lane)
}

// Begin hands the outlet down.
func (o *TaskOutlet) Begin() { o.down.OnSubscribe(o) }

// Request adds to the demand of downstream.
func (o *TaskOutlet) Request(n int64) {
	demand.Add(&o.demand, n)
	o.drain.Run()
}

// Cancel ends the stream: it stops what is above and discards what waits.
func (o *TaskOutlet) Cancel() {
	if o.cancel() {
		defer o.drain.Cancel() // also if a function that hears of it ends the goroutine
		o.stop()
	}
}

// Run announces that there is something to do.
func (o *TaskOutlet) Run() { o.drain.Run() }

// End takes the terminal signal of the source: see [Outlet.End].
func (o *TaskOutlet) End(err error) {
	if o.end(err) {
		o.drain.Run()
	}
}

// Ending is End without the pass of the flow: if it reports true, the caller calls Run.
func (o *TaskOutlet) Ending(err error) bool { return o.end(err) }

// Yield lets the next pass of the flow run in a task of its own, after others of the lane.
func (o *TaskOutlet) Yield() { o.drain.Yield() }

// Attach implements [emitter]: a pass is a run, until the end.
func (o *TaskOutlet) Attach(h *Half) bool {
	if h.WantsRequested() || o.runs != nil {
		return false
	}
	o.runs = h
	o.away = h.GoStraight(o.down)
	return true
}

// Refill requests n elements of up, which may call functions of the user: no run lasts meanwhile if somebody waits for the
// end. Owner.
func (o *TaskOutlet) Refill(up reactor.Subscription, n int64) {
	if !o.away {
		up.Request(n)
		return
	}
	o.endRun()
	up.Request(n)
	if !o.Stopped() {
		o.run = o.runs.BeginRun()
	}
}

func (o *TaskOutlet) endRun() {
	if run := o.run; run != 0 {
		o.run = 0
		o.runs.endRun(run)
	}
}

// DrainPass implements [Drainer].
func (o *TaskOutlet) DrainPass() {
	if o.runs != nil && !o.over() {
		o.run = o.runs.BeginRun()
	}
	o.flow.Flow()
	o.endRun()
}

// DrainCrashed implements [Drainer].
func (o *TaskOutlet) DrainCrashed(_ Drainer, err error) {
	defer o.endRun() // behind what becomes of that: who hears of the end may end the goroutine
	o.crashed(err)
}

// DrainRejected implements [taskDrainer]: it ends the stream because nobody runs the flow.
func (o *TaskOutlet) DrainRejected(err error) {
	if o.state.Load()&(outletCancelled|outletOver) != 0 {
		return
	}
	// An error of the source that waits goes nowhere else.
	failure.InTurn(o.stop, o.release, o.DropFailures, func() { o.down.OnError(o.flow.(TaskFlow).Rejected(err)) })
}
