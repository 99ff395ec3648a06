package protocol

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
)

// Flow is a stage that sends elements down through an [Outlet]. It embeds a [Sender] or a
// [SliceSender], which keeps the element that is on its way.
type Flow interface {
	// Flow sends what can be sent now: it goes on as long as [Outlet.Open] reports true and
	// there are demand and elements. It runs on one goroutine at a time, the owner of the
	// outlet, and again whenever something was announced while it ran.
	Flow()
	// Dry reports whether nothing waits to be sent. Once the source has ended, that is the
	// end of the stream. Called by the owner.
	Dry() bool
	// Drop discards what waits and releases what the stage holds. Called by the owner when
	// the stream is over, and again when something has come after that.
	Drop()
	// Stop cancels what is above: downstream has cancelled or failed, or the stream ends
	// before its source has ended. It is called at most once, on any goroutine.
	Stop()

	// crash ends the stream because the work of the owner has failed with err. The
	// embedded sender implements it, and the next method too.
	crash(o *outlet, err error)
	// ready takes the function that hands elements down, of a stage that sends in runs. It is called before the first
	// one: downstream has its subscription then, and knows of runs.
	ready(o *outlet)
}

// caller is a [Flow] that calls functions of the user whose failure is not that of the stream.
type caller interface {
	// CallFailed is called instead of the rest of a pass if a function whose call [Outlet]
	// Call marks has failed with err. The flow runs again afterwards.
	CallFailed(err error)
}

// Outlet is the downstream end of a stage at which several goroutines meet: those that bring
// elements, or say that some are due, and those that request or cancel. It is the
// subscription that the stage hands down. It counts demand, lets one goroutine at a time send
// (the owner), ends the stream, once, and takes care of a failure on the way down.
//
// In a generic stage it is a named field: the methods of an embedded one would be compiled for
// every type.
type Outlet struct {
	outlet
	drain Drain
	late  Lodging
	runs  *Half  // is told of a run for what each owner sends; nil if nobody wants to know; written before the first request
	run   uint32 // the number of the run, or 0 if there is none; owner
	begun bool   // Sending was called, and ready; owner
	// InRuns says that the stage calls Sending before it sends, so that stages below can be told of
	// runs. It is for stages that send many elements at a time. Written before the sender is
	// attached.
	InRuns bool
}

// outlet is an Outlet without the goroutine that owns it.
type outlet struct {
	ctx      context.Context
	down     Signals
	flow     Flow
	demand   atomic.Int64
	failures failure.List
	state    atomic.Uint32 // bits; 0 as long as elements flow
	// EagerErrors makes an error of the source overtake the elements that wait. Written
	// before the source is subscribed.
	EagerErrors bool
	// DelayErrors makes failures wait until nothing else is to be sent: Fail and Refuse record
	// them. Written before the first source is subscribed.
	DelayErrors bool
	Call        Calling // marks calls of functions of a [caller]; owner
	asking      bool    // Ask requests from the source; owner
	crashing    bool    // crash of the flow runs, which tells downstream in any case; owner
}

const (
	outletDone      = 1 << iota // the source has ended: what waits is the rest
	outletCut                   // the stream ends at once, whatever waits
	outletCancelled             // downstream has cancelled or failed
	outletStopped               // Stop was called
	outletOver                  // the end was sent, or nobody wants it; set by the owner
)

//go:noinline
func (o *outlet) init(ctx context.Context, down Signals, flow Flow) {
	o.ctx, o.down, o.flow = ctx, down, flow
}

// Context returns the context of the subscription.
func (o *outlet) Context() context.Context { return o.ctx }

// Stage returns the stage that the outlet belongs to.
func (o *outlet) Stage() Flow { return o.flow }

// Demand returns the open demand of downstream.
func (o *outlet) Demand() int64 { return o.demand.Load() }

// AddDemand adds to the demand of downstream, for the next pass of the flow, and returns what it
// was.
func (o *outlet) AddDemand(n int64) (before int64) { return demand.Add(&o.demand, n) }

// Produced takes n elements, which were sent, from the demand.
func (o *outlet) Produced(n int64) {
	if o.demand.Load() != reactor.Unbounded {
		demand.Produced(&o.demand, n)
	}
}

// Closed reports whether no further element counts: the source has ended, or the stream has.
// Any goroutine.
func (o *outlet) Closed() bool { return o.state.Load() != 0 }

// Stopped reports whether nothing more is sent: cancelled, cut off or over. Any goroutine.
func (o *outlet) Stopped() bool { return o.state.Load()&^outletDone != 0 }

// Done reports whether the source has ended. Any goroutine.
func (o *outlet) Done() bool { return o.state.Load()&outletDone != 0 }

// Cancelled reports whether downstream has cancelled or failed. Any goroutine.
func (o *outlet) Cancelled() bool { return o.state.Load()&outletCancelled != 0 }

// Ready reports to the owner whether an element can be sent, as far as downstream is
// concerned. It is for an element that comes when nobody is sending and nothing waits.
func (o *outlet) Ready() bool { return o.demand.Load() > 0 && o.state.Load() == 0 }

// Open reports to the owner whether more may be sent. If it is time to, it ends the stream:
// after a cancellation without a signal, else with the terminal signal.
func (o *outlet) Open() bool {
	state := o.state.Load()
	return state == 0 || o.stays(state)
}

// stays is Open where something has happened. The state was read before the check for
// waiting elements, because the last element comes before the end.
func (o *outlet) stays(state uint32) bool {
	chaos.Yield()
	switch {
	case state&outletOver != 0:
		o.flow.Drop()
	case state&outletCancelled != 0:
		o.release()
	case state&outletCut != 0:
		defer o.finish() // also if a function that hears of what follows ends the goroutine
		o.stop()
	case o.flow.Dry():
		o.finish()
	default:
		return true
	}
	return false
}

// finish sends the terminal signal.
func (o *outlet) finish() {
	defer Finish(o.down, o.failures.Terminate()) // also if a function that release calls ends the goroutine
	o.release()
}

func (o *outlet) release() {
	o.state.Or(outletOver)
	o.flow.Drop()
}

// Failure returns the failure that is to end the stream, as long as it has not ended
// the stream.
func (o *outlet) Failure() error { return o.failures.Peek() }

// TakeFailure is Failure for a caller that passes the failure on in the place of the outlet. Later
// failures are dropped.
func (o *outlet) TakeFailure() error { return o.failures.Terminate() }

// DropFailures reports the failures that nobody will get any more as dropped. It is for Drop.
func (o *outlet) DropFailures() {
	if err := o.failures.Terminate(); err != nil {
		reactor.DropError(o.ctx, err)
	}
}

// DropFailuresBehind is DropFailures for stages that send a failure after the elements that wait:
// if elements waited, the failure behind them is dropped with them, unreported, as in Reactor.
func (o *outlet) DropFailuresBehind(waited bool) {
	if waited {
		o.failures.Terminate()
		return
	}
	o.DropFailures()
}

// stop cancels what is above, unless that was done.
func (o *outlet) stop() {
	if o.state.Or(outletStopped)&outletStopped == 0 {
		o.flow.Stop()
	}
}

// cancel records the cancellation and reports whether it is the first one, after which the
// source is to be stopped.
func (o *outlet) cancel() bool {
	chaos.Yield()
	return o.state.Or(outletCancelled)&outletCancelled == 0
}

// end records the end of the source and reports whether it is the first one.
func (o *outlet) end(err error) bool {
	if o.Done() {
		if err != nil {
			reactor.DropError(o.ctx, err)
		}
		return false
	}
	bits := uint32(outletDone)
	if err != nil {
		if !o.failures.Add(err) {
			reactor.DropError(o.ctx, err)
		}
		if o.EagerErrors {
			bits |= outletCut | outletStopped
		}
	}
	chaos.Yield()
	o.state.Or(bits)
	return true
}

// Refuse is [Outlet.Fail] for a caller that makes the flow run afterwards. The owner is one: it
// looks at Open again.
func (o *outlet) Refuse(err error) bool { return o.cut(reactor.NonNil(err)) }

// cut records that the stream ends at once and reports whether that counts.
func (o *outlet) cut(err error) bool {
	var late error // of the source, which has waited
	counts, waits := err == nil, o.Done() && !o.DelayErrors
	switch {
	case err == nil || o.Cancelled():
		if waits {
			late = o.failures.Take()
		}
	case waits:
		late, counts = o.failures.Replace(err)
	default:
		counts = o.failures.Add(err)
	}
	if late != nil {
		reactor.DropError(o.ctx, late)
	}
	if !counts {
		reactor.DropError(o.ctx, err)
		return false
	}
	if err == nil || !o.DelayErrors {
		chaos.Yield()
		o.state.Or(outletCut)
	}
	return true
}

// over reports whether the stream has ended. Owner.
func (o *outlet) over() bool { return o.state.Load()&outletOver != 0 }

// fell ends the stream, but for the signal, because downstream has failed.
func (o *outlet) fell() {
	over := o.state.Or(outletCancelled)&outletOver != 0
	defer o.release() // also if a function that hears of what follows ends the goroutine
	if !over {
		o.stop()
	}
}

// crash ends the stream because v, if there was an element in flight, has failed with err.
func (o *outlet) crash(v any, full bool, err error) {
	err = o.failures.Untold(err)
	defer crashedWith(o.ctx, o.down, o.over(), v, full, err) // also if a function that fell calls ends the goroutine
	o.fell()
}

// Ask passes the demand of downstream on to the source and reports whether there was any. Owner.
func (o *outlet) Ask(up reactor.Subscription) bool {
	if o.demand.Load() == 0 {
		return false
	}
	o.asking = true
	up.Request(o.demand.Swap(0))
	o.asking = false
	return true
}

// told reports whether the source has sent err already: a Goexit within Ask, of which the source has made its error. Owner.
func (o *outlet) told(err error) bool {
	asking := o.asking
	o.asking = false
	return asking && o.Done() && errors.Is(err, reactor.ErrGoexit)
}

// crashed is called by the guard of the owner, because its work has failed with err.
func (o *outlet) crashed(err error) {
	switch {
	case o.told(err):
	case o.Call.Failed():
		o.flow.(caller).CallFailed(err)
	case o.crashing: // a function that has heard of the crash has ended the goroutine
		o.crashing = false
	default:
		o.fall(err)
	}
}

// fall has the flow crash, once.
func (o *outlet) fall(err error) {
	o.crashing = true
	o.flow.crash(o, err)
	o.crashing = false
}

// UnwindWithin is Unwind for an element that came while the flow asked for it.
func (o *outlet) UnwindWithin(err error) { o.unwind(err) }

// unwind ends the stream because an element that the source still has in flight has failed
// downstream: the guard above, which has reported that, has cancelled the source.
func (o *outlet) unwind(err error) {
	if o.state.Or(outletCancelled|outletStopped)&outletOver == 0 {
		err = o.failures.Untold(err)
		o.release()
		o.down.OnError(err)
	}
}

// Begin hands the outlet down.
func (o *Outlet) Begin() { o.down.OnSubscribe(o) }

// BeginWith hands down sub, a stage that does more with requests than the outlet does. sub
// passes cancellations to the outlet, and requests to the outlet or to AddDemand.
func (o *Outlet) BeginWith(sub reactor.Subscription) { o.down.OnSubscribe(sub) }

// Request adds to the demand of downstream.
func (o *Outlet) Request(n int64) {
	demand.Add(&o.demand, n)
	o.Run()
}

// Cancel ends the stream: it stops what is above and discards what waits.
func (o *Outlet) Cancel() {
	if o.cancel() {
		defer o.Run() // also if a function that hears of it ends the goroutine
		o.stop()
	}
}

// Run announces that there is something to do: the flow runs, here or where it runs already.
func (o *Outlet) Run() {
	if o.drain.Announce() {
		o.loop()
	}
}

// End takes the terminal signal of the source, err or completion: the end of the stream once
// nothing waits. A second one is reported as dropped.
func (o *Outlet) End(err error) {
	if o.end(err) {
		o.Run()
	}
}

// Fail ends the stream at once with err and stops what is above. What waits is discarded; an
// error of the source that waits is reported as dropped. It reports whether err counts; if it
// does not, it was reported as dropped.
func (o *Outlet) Fail(err error) bool {
	if !o.Refuse(err) {
		return false
	}
	o.Run()
	return true
}

// Complete ends the stream at once and stops what is above.
func (o *Outlet) Complete() {
	o.cut(nil)
	o.Run()
}

// TryEnter makes the caller the owner if nobody is, for an element that is sent without
// waiting. The caller then calls Leave.
func (o *Outlet) TryEnter() bool { return o.drain.TryEnter() }

// Leave gives up what TryEnter took, after it has done what was announced meanwhile.
func (o *Outlet) Leave() {
	if o.run != 0 {
		o.leaveRun()
		return
	}
	if !o.drain.release() {
		o.loop()
	}
}

// leaveRun is Leave for the end of a run; most elements come without a run.
func (o *Outlet) leaveRun() {
	if o.letRun() {
		o.settleAnd(o.Leave)
		return
	}
	o.Leave()
}

// Attach implements [emitter]: what an owner sends is a run, until the end.
func (o *Outlet) Attach(h *Half) bool {
	if !o.InRuns || h.WantsRequested() || o.runs != nil {
		return false
	}
	o.runs = h
	return true
}

// Host returns the outlet: its owner sends all elements.
func (o *Outlet) Host() Host { return o }

// Lodged implements [Host].
func (o *Outlet) Lodged() {}

// Tell implements [Host].
func (o *Outlet) Tell(h *Half) {
	o.late.Keep(h)
	o.Run()
}

// Sending begins a run, if there is none, which lasts as long as the caller is the owner. It
// reports false if the stream has ended since the caller has looked: then the Half that is told of
// the runs has delivered the end, and an element must not follow. A caller that looks at Stopped
// before each element need not ask.
func (o *Outlet) Sending() bool {
	if o.run == 0 && (o.runs != nil || !o.begun) {
		return o.beginRun()
	}
	return true
}

func (o *Outlet) beginRun() bool {
	if !o.begun {
		o.begun = true
		o.flow.ready(&o.outlet)
	}
	if o.runs == nil {
		return true
	}
	if !o.over() {
		o.run = o.runs.BeginRun()
	}
	chaos.Yield()
	return !o.Stopped()
}

// letRun ends the run, if there is one, because the owner has sent what there was. If it reports
// true, an end has waited, and the caller settles runs.
func (o *Outlet) letRun() bool {
	run := o.run
	o.run = 0
	return run != 0 && o.runs.letRun(run)
}

// settleAnd settles runs, and then does what the caller would do, because a function that hears of
// the end may end the goroutine.
func (o *Outlet) settleAnd(then func()) {
	defer then()
	o.runs.Settle()
}

// Unwind is called if an element that was sent within OnNext has failed, instead of what would
// follow it: downstream counts as cancelled and gets the error, and the outlet is left.
func (o *Outlet) Unwind(err error) {
	defer o.Leave() // also if downstream ends the goroutine
	o.unwind(err)
}

// Pass is Leave after one more pass of the flow: the element for which TryEnter was
// called now waits.
func (o *Outlet) Pass() {
	if o.letRun() {
		o.settleAnd(o.loop)
		return
	}
	o.loop()
}

func (o *Outlet) loop() {
	clean := false
	defer func() {
		if clean {
			return
		}
		// Still the owner: nobody else gets in before release.
		defer o.loop() // also if that ends the goroutine again; it ends the run
		err := failure.Recovered(recover())
		failure.Persist(2, func(int) bool { o.crashed(err); return false })
	}()
	for {
		o.flow.Flow()
		if o.letRun() {
			o.runs.Settle()
		}
		o.late.Settle()
		if o.drain.release() {
			break
		}
	}
	clean = true
}
