package stage

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Flow is a stage that sends elements through an [Outlet]. Its methods are called on the goroutine
// that owns the outlet, one call at a time.
type Flow interface {
	// Flow sends what can be sent now: it goes on as long as [Outlet.Open] reports true, there is
	// demand, and there are elements. It is called again if something was announced while it ran.
	Flow()
	// Dry reports whether nothing waits to be sent. Once the source has ended, that is the
	// end of the stream.
	Dry() bool
	// Drop discards the elements that wait (see [Outlet.Discard]) and releases what the stage
	// holds. It is called at the end, and again if something comes after that.
	Drop()
}

// Outlet is the downstream end of a stage that keeps elements until there is demand, or that more
// than one goroutine feeds. It is the subscription that the stage hands down. It counts demand,
// lets one goroutine at a time send, ends the stream once, and takes care of panics. Make it a
// field of the stage, which is a subscriber of its source:
//
//	func (s *stage) OnSubscribe(up reactor.Subscription) { s.out.Begin(up); up.Request(ahead) }
//	func (s *stage) OnNext(v T) {
//		if s.out.Closed() {
//			s.out.Late(v)
//			return
//		}
//		s.queue.add(v) // which the stage makes safe for several goroutines
//		s.out.Run()
//	}
//	func (s *stage) OnError(err error) { s.out.End(err) }
//	func (s *stage) OnComplete()       { s.out.End(nil) }
//
// An Outlet must not be copied.
type Outlet[T any] struct {
	out  protocol.Outlet
	flow flowing[T]
	call protocol.Calling
}

// flowing is the stage as the outlet of package protocol sees it.
type flowing[T any] struct {
	protocol.Sender[T]
	out    *protocol.Outlet
	stage  Flow
	up     reactor.Subscription // set by Begin
	within protocol.Calling     // Flow of the stage runs, or has failed; owner of the outlet
}

// Flow does not call a stage again that has failed: it may have done so before it looked whether
// the stream is open, and would do so again.
func (f *flowing[T]) Flow() {
	if f.within.Active() {
		f.out.Open()
		return
	}
	f.within.Begin()
	f.stage.Flow()
	f.within.End()
}

func (f *flowing[T]) Dry() bool { return f.stage.Dry() }

// Drop is the end, or comes after it: nobody hears of a failure.
func (f *flowing[T]) Drop() {
	defer func() {
		if r := recover(); r != nil {
			reactor.DropError(f.out.Context(), failure.Recovered(r))
		}
	}()
	f.stage.Drop()
}

func (f *flowing[T]) Stop() { f.up.Cancel() }

// Attach sets up the outlet of stage for down, the subscriber that the stage emits to. Call it
// first in Subscribe.
func (o *Outlet[T]) Attach(ctx context.Context, down reactor.Subscriber[T], stage Flow) {
	o.flow.stage, o.flow.out = stage, &o.out
	o.flow.Attach(&o.out, ctx, down, &o.flow)
}

// Begin hands the outlet down as the subscription. up is the subscription that a cancellation
// cancels, also one by the stage itself; it is nil if there is nothing above. Call Begin before the
// methods below: a stage that can't begin calls Begin first and then fails.
func (o *Outlet[T]) Begin(up reactor.Subscription) {
	if up == nil {
		up = protocol.Empty
	}
	o.flow.up = up
	o.out.Begin()
}

// Context returns the context of the subscription.
func (o *Outlet[T]) Context() context.Context { return o.out.Context() }

// Closed reports whether no further element counts, because the source or the stream has ended. Any
// goroutine.
func (o *Outlet[T]) Closed() bool { return o.out.Closed() }

// Late takes an element that has come when the outlet was closed: it is reported as dropped
// after the end of the source, and discarded after that of the stream. Any goroutine.
func (o *Outlet[T]) Late[U any](v U) { o.flow.Late(&o.out, v) }

// Discard passes an element of any type, which will not be sent, to the discard hook. Any goroutine.
func (o *Outlet[T]) Discard[U any](v U) { o.flow.Discard(v) }

// Pass sends v, which has just come from the source, if there is demand, nothing waits, and nobody
// else sends, and reports whether it has. If it has not, the stage keeps v and calls Run. Only
// OnNext of the source may call Pass.
func (o *Outlet[T]) Pass(v T) bool {
	if !o.out.TryEnter() {
		return false
	}
	o.call.Begin() // for Dry, too: it is called with the outlet taken
	sent := o.out.Ready() && o.flow.stage.Dry()
	if sent {
		o.flow.PushDown(v)
	}
	o.call.End()
	if sent {
		o.out.Produced(1)
	}
	o.out.Leave()
	return sent
}

// Run announces that there is something to do: Flow then runs on this goroutine, or goes on where
// it runs already. Any goroutine.
func (o *Outlet[T]) Run() { o.out.Run() }

// Open reports whether Flow may send more. If it is time to, it ends the stream.
func (o *Outlet[T]) Open() bool { return o.out.Open() }

// Demand returns what downstream has requested and not got. Any goroutine.
func (o *Outlet[T]) Demand() int64 { return o.out.Demand() }

// Send sends v. Only Flow may call it, after it has looked at Open and Demand. If a stage below
// fails, v is discarded; a slice is discarded as one element.
func (o *Outlet[T]) Send(v T) {
	o.flow.InFlight.Send(o.flow.PushDown, v)
	o.out.Produced(1)
}

// End takes the end of the source, err or completion. The stream ends with it once nothing waits.
// Nothing above is cancelled.
func (o *Outlet[T]) End(err error) {
	if err != nil && o.call.Failed() {
		o.out.Unwind(err) // the failure of an element in Pass
		return
	}
	o.out.End(err)
}

// Fail ends the stream at once with err and cancels what is above; the elements that wait are
// discarded. Any goroutine.
func (o *Outlet[T]) Fail(err error) { o.out.Fail(err) }

// Complete ends the stream at once and cancels what is above; the elements that wait are discarded.
// Any goroutine.
func (o *Outlet[T]) Complete() { o.out.Complete() }

// Demand counts the elements that were requested and not sent yet (§3.8), for a source or stage
// without an [Outlet]. Sums saturate at reactor.Unbounded, and nothing is ever taken from
// reactor.Unbounded (§3.17). Safe for any number of goroutines.
type Demand struct{ n atomic.Int64 }

// Add adds n > 0 and reports whether there was no demand before: then it may be for the caller to
// emit.
func (d *Demand) Add(n int64) (first bool) { return demand.Add(&d.n, n) == 0 }

// Take subtracts n elements that were sent, and returns the demand that is left.
func (d *Demand) Take(n int64) (left int64) { return demand.Produced(&d.n, n) }

// Open returns the open demand.
func (d *Demand) Open() int64 { return d.n.Load() }
