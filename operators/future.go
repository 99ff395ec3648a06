package operators

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stall"
)

// ToFuture subscribes to src, which sends at most one element, and returns a future for
// its result; of several elements the first is the result.
//
//	src:  --- 1 |
//	      ToFuture(ctx, src).Wait(ctx) returns 1, true
//
// Demand is unbounded. The end of ctx cancels src and becomes the result, as does
// [Future.Cancel]. A src that has sent its element is not cancelled, unless it sends
// another element.
func ToFuture[T any](ctx context.Context, src reactor.Publisher[T]) *Future[T] {
	argument.Given("toFuture", "context", ctx != nil)
	f := &Future[T]{ctx: ctx, done: make(chan struct{})}
	src = protocol.Trust("toFuture", src)
	if ctx.Done() != nil {
		f.stop = live.WatchContext(ctx, (*futureEnded[T])(f))
	}
	given := false
	defer func() {
		if !given {
			defer failure.Left() // it was code of the user that has called
			f.abandon()
		}
	}()
	src.Subscribe(ctx, &futureSubscriber[T]{f: f})
	given = true
	return f
}

// Future is a result that has come or will come: an element, no element, or an error.
// Any number of goroutines may wait for it, and any number of subscribers of
// [FromFuture] get it. [ToFuture] makes one. The zero Future has no source: to wait for
// it, to cancel it or to subscribe to it panics.
type Future[T any] struct {
	ctx  context.Context
	link protocol.Deferred // to the source
	stop func() bool       // ends the watch over ctx; written before the source is subscribed to, not read by the watch
	done chan struct{}     // closed when the result is there

	mu        sync.Mutex
	over      bool                            // guarded by mu
	value     T                               // written before done is closed
	has       bool                            // as value
	err       error                           // as value
	listeners map[*futureSubscription[T]]bool // guarded by mu
}

// Done returns a channel that is closed when the result has come.
func (f *Future[T]) Done() <-chan struct{} { return f.made().done }

// made panics if f is a zero Future: its result would never come.
func (f *Future[T]) made() *Future[T] {
	if f.done == nil {
		panic("reactor: toFuture: a zero Future has no result, it is made by ToFuture")
	}
	return f
}

// Wait waits for the result and returns the element and true, or false if there is no
// element, or the error. The end of ctx ends the waiting, not the source. On a worker
// that must not block, the error is reactor.ErrBlocking, unless the result has come.
func (f *Future[T]) Wait(ctx context.Context) (v T, ok bool, err error) {
	select {
	case <-f.made().done:
		return f.value, f.has, f.err
	default:
	}
	argument.Given("wait", "context", ctx != nil)
	if err := checkBlocking(ctx, "wait"); err != nil {
		return v, false, err
	}
	defer stall.Watch(ctx)()
	select {
	case <-f.done:
		return f.value, f.has, f.err
	case <-ctx.Done():
		return v, false, context.Cause(ctx)
	}
}

// Cancel cancels the source. The result is reactor.ErrCancelled, unless a result has
// come already.
func (f *Future[T]) Cancel() { failure.Outside(f.made().cancel) }

func (f *Future[T]) cancel() {
	defer f.unwatch() // also if a function that hears of the cancellation ends the goroutine
	f.giveUp(reactor.ErrCancelled)
}

// abandon is called when a function of the user has ended the goroutine in ToFuture: nobody gets the future.
func (f *Future[T]) abandon() {
	defer func() { // also if a function that hears of the cancellation ends the goroutine again
		<-f.done
		if f.has {
			reactor.Discard(f.ctx, f.value)
		}
	}()
	f.cancel()
}

// futureEnded hears of the end of the context.
type futureEnded[T any] Future[T]

// ContextEnded implements [live.Ended].
func (e *futureEnded[T]) ContextEnded() {
	f := (*Future[T])(e)
	f.giveUp(reactor.NonNil(context.Cause(f.ctx)))
}

// giveUp cancels the source, unless it has ended: then its result counts.
func (f *Future[T]) giveUp(err error) {
	f.link.CancelAnd(func() { f.settle(*new(T), false, err) })
}

func (f *Future[T]) unwatch() {
	if f.stop != nil {
		f.stop()
	}
}

// settle records the result and passes it on. It is called once, by the caller that has ended
// the link.
func (f *Future[T]) settle(v T, ok bool, err error) {
	f.mu.Lock()
	f.over = true
	f.value, f.has, f.err = v, ok, err
	listeners := f.listeners
	f.listeners = nil
	close(f.done)
	f.mu.Unlock()
	all := slices.Collect(maps.Keys(listeners))
	failure.Persist(len(all), func(i int) bool { all[i].settled(); return true }) // one may end the goroutine
}

// futureSubscriber brings a source's result to its future.
type futureSubscriber[T any] struct {
	protocol.Inner
	f    *Future[T]
	up   reactor.Subscription // set by OnSubscribe
	more bool                 // it has sent its element: another one is one too many; touched by its signals only
}

func (s *futureSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if s.f.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// OnNext takes the result. A source of one element has succeeded and is not cancelled: a
// cancellation would undo what it has done. A source that goes on has more than one
// element, and is cancelled.
func (s *futureSubscriber[T]) OnNext(v T) {
	s.f.unwatch()
	if s.f.link.Close() {
		s.more = true
		s.f.settle(v, true, nil)
		return
	}
	defer reactor.Discard(s.f.ctx, v) // also if a function that hears of what follows ends the goroutine
	if s.more {
		s.more = false
		s.up.Cancel()
	}
}

func (s *futureSubscriber[T]) OnError(err error) {
	s.f.unwatch()
	if !s.f.link.Close() {
		reactor.DropError(s.f.ctx, err)
		return
	}
	s.f.settle(*new(T), false, err)
}

func (s *futureSubscriber[T]) OnComplete() {
	s.f.unwatch()
	if s.f.link.Close() {
		s.f.settle(*new(T), false, nil)
	}
}
