package operators

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stall"
)

// await is what the blocking terminal operators have in common: the upstream
// subscription, the outcome, and the goroutine that waits for it.
//
// A stream that ends while Subscribe runs, as most do, costs no channel.
type await struct {
	ctx  context.Context
	op   string
	link protocol.Deferred // to upstream
	wake chan struct{}     // made by the waiting goroutine, published by state
	err  error             // written by whoever moves state to awaitEnded, read after
	once sync.Once
	left bool   // wait has given up: the source may still be at it; touched by the goroutine that waits
	held holder // what nobody gets is here; written before state becomes awaitGone, read after; so is untold

	state  atomic.Int32
	untold bool // nobody gets the error that the stream ends with
}

const (
	awaitRunning = iota
	awaitParked  // a goroutine waits for wake
	awaitGone    // nobody waits: a function has ended the goroutine, or it must not
	awaitEnded
)

// holder is a sink that holds elements until its call returns them.
type holder interface {
	// abandon discards the elements: nobody gets them, and nothing more comes.
	abandon()
}

// awaitEnd subscribes sink, whose await is a, to src, and blocks until the stream has
// ended; it returns the error. sink requests what it wants in OnSubscribe.
//
// If the context can end, its end waits for the element that is on its way into sink. So sink sees
// nothing more once awaitEnd has returned, except where waiting is not allowed: then src may still
// be calling sink, see [await.giveUp]. After a Goexit of a function that src calls on this
// goroutine nobody waits any more: src is cancelled, and the elements that sink holds are
// discarded.
func awaitEnd[T any](a *await, src reactor.Publisher[T], sink reactor.Subscriber[T]) error {
	argument.Given(a.op, "context", a.ctx != nil)
	src = protocol.Trust(a.op, src)
	if a.ctx.Done() == nil && !holds[T](a.ctx, sink) {
		return a.unwatched(func() { src.Subscribe(a.ctx, sink) })
	}
	s := &watchedSubscriber[T]{ctx: a.ctx, down: sink, end: awaitedEnd{any(sink).(protocol.Signals), goid.Current()}}
	s.out.Down = &s.end
	return a.watched(&s.out, sink, func() { src.Subscribe(a.ctx, s) })
}

// unwatched is awaitEnd where nothing but the source ends the stream.
func (a *await) unwatched(subscribe func()) error {
	left := true
	defer func() {
		if left { // a function has ended the goroutine that was to wait, perhaps not that of each source
			defer failure.Left() // it was code of the user that has called
			a.link.Cancel()
		}
	}()
	subscribe()
	left = false
	return a.wait(nil, nil)
}

// watched is awaitEnd where the end of the context, or what sink holds, matters; out is the Half
// before sink.
func (a *await) watched(out *protocol.Half, sink any, subscribe func()) error {
	left := true
	defer func() {
		if left {
			defer failure.Left()
			a.leave(out, sink)
		}
	}()
	if a.ctx.Done() != nil {
		defer a.watch(out)()
	}
	subscribe()
	err := a.wait(out, sink)
	left = false
	return err
}

// holds reports whether sink holds elements that a hook wants to see if nobody gets them.
func holds[T any](ctx context.Context, sink any) bool {
	_, ok := sink.(holder)
	return ok && reactor.DiscardHookFor[T](ctx) != nil
}

// leave is called when a function has ended the goroutine that was to wait, perhaps not that of each source. What sink
// holds is discarded behind the element that is on its way into it.
func (a *await) leave(out *protocol.Half, sink any) {
	if a.left {
		return // giveUp has seen to it
	}
	a.held, _ = sink.(holder)
	if !a.state.CompareAndSwap(awaitRunning, awaitGone) {
		a.discardHeld()
		return
	}
	a.link.CancelAnd(func() { out.End(failure.PassingBy()) })
}

// discardHeld discards the elements that sink holds.
func (a *await) discardHeld() {
	if a.held != nil {
		a.held.abandon()
	}
}

// giveUp ends the stream with err because this goroutine must not wait, and returns how it has
// ended. What sink holds is discarded after the element that is on its way into sink has arrived;
// without out sink holds nothing that a hook wants to see.
func (a *await) giveUp(err error, out *protocol.Half, sink any) (outcome error) {
	failure.InTurn(a.link.Cancel, func() { // which may end the goroutine
		if out == nil {
			a.left = a.end(err)
			outcome = a.err
			return
		}
		a.untold = !out.End(err)
		a.held, _ = sink.(holder)
		chaos.Yield()
		if a.left = a.state.CompareAndSwap(awaitRunning, awaitGone); !a.left {
			err = a.err
		}
		outcome = err
	})
	return outcome
}

// watch makes the end of the context that of out, until stop is called.
func (a *await) watch(out *protocol.Half) (stop func() bool) {
	return live.WatchContext(a.ctx, live.Func(func() {
		a.link.CancelAnd(func() { out.End(reactor.NonNil(context.Cause(a.ctx))) })
	}))
}

// start takes upstream's subscription and makes the first request.
func (a *await) start(up reactor.Subscription, demand int64) {
	if a.link.Set(up) {
		up.Request(demand)
	}
}

// end records the outcome, the first time, and wakes the waiting goroutine; it
// reports whether this was the first time.
func (a *await) end(err error) (first bool) {
	gone := false
	a.once.Do(func() {
		first = true
		a.err = err
		a.link.Close() // what has ended is not to be cancelled by the context
		switch a.state.Swap(awaitEnded) {
		case awaitParked:
			close(a.wake)
		case awaitGone:
			gone = true
		}
	})
	if gone {
		if a.untold && err != nil {
			defer belated.Drop(a.ctx, err) // also if the discard hook ends the goroutine
		}
		a.discardHeld()
	}
	return first
}

// fail is end for OnError: a late error is reported as dropped, unless it is the end of the context, which has come behind the answer.
func (a *await) fail(err error) {
	if !a.end(err) {
		belated.Drop(a.ctx, err)
	}
}

// ended reports whether the outcome is known.
func (a *await) ended() bool { return a.state.Load() == awaitEnded }

// wait blocks until the stream has ended and returns its error. On a worker
// that must not block it gives up instead, with reactor.ErrBlocking.
func (a *await) wait(out *protocol.Half, sink any) error {
	if !a.ended() {
		if err := checkBlocking(a.ctx, a.op); err != nil {
			return a.giveUp(err, out, sink)
		}
		a.wake = make(chan struct{})
		if a.state.CompareAndSwap(awaitRunning, awaitParked) {
			defer stall.Watch(a.ctx)()
			<-a.wake
		}
	}
	return a.err
}

// awaitedEnd passes the end of a stream on to a goroutine that waits for it.
type awaitedEnd struct {
	protocol.Signals
	by uintptr // the goroutine
}

// Here reports whether the caller is that goroutine: see protocol.Half.AttachAwaited.
func (e *awaitedEnd) Here() bool { return goid.Current() == e.by }

// watchedSubscriber serialises what goes into a sink with the end of the context.
type watchedSubscriber[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T]
	end  awaitedEnd // of out
	out  protocol.Half
	runs bool // all elements come in runs in which out keeps the end of the context back; set by OnSubscribe
}

// Edge returns what the runs of upstream are told to.
func (s *watchedSubscriber[T]) Edge() *protocol.Half { return &s.out }

func (s *watchedSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	_, s.runs = s.out.AttachAwaited(up, s.end.Here())
	s.out.Down.OnSubscribe(up)
}

func (s *watchedSubscriber[T]) OnNext(v T) {
	if !s.out.Deliver(s.down, v) {
		reactor.Discard(s.ctx, v)
	}
}

// Push implements protocol.Pusher.
func (s *watchedSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	if s.runs || s.out.IsWithin() {
		return next // nothing comes after the end: the source was cancelled before, and has looked
	}
	return func(v T) {
		switch {
		case s.out.Running():
			next(v)
		case !s.out.DeliverTo(next, v):
			reactor.Discard(s.ctx, v)
		}
	}
}

func (s *watchedSubscriber[T]) OnError(err error) {
	if unheard := s.out.SourceEnd(err); unheard != nil {
		belated.Drop(s.ctx, unheard)
	}
}

func (s *watchedSubscriber[T]) OnComplete() { s.out.SourceEnd(nil) }
