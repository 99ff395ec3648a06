package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stall"
)

// SubscriberHooks are the functions that a [BaseSubscriber] calls; a nil one is
// skipped. They are called one at a time, except OnCancel, and Finally after a
// cancellation: that goes on where the subscriber cancels, perhaps during OnNext.
type SubscriberHooks[T any] struct {
	// OnSubscribe is called when the subscription has come, before anything is
	// requested. Without it everything is requested.
	OnSubscribe func(s *BaseSubscriber[T])
	// OnNext is called for each element.
	OnNext func(s *BaseSubscriber[T], v T)
	// OnComplete is called when the stream has completed.
	OnComplete func()
	// OnError is called when the stream has failed. Without it a failure is reported as
	// [SubscribeFunc] reports it.
	OnError func(err error)
	// OnCancel is called when the subscriber has cancelled, on the goroutine that
	// cancels.
	OnCancel func()
	// Finally is called once at the end, with reactor.KindComplete,
	// reactor.KindError or reactor.KindCancel.
	Finally func(how reactor.SignalKind)
}

// BaseSubscriber is a subscriber made of functions. It controls its demand, and any
// goroutine may cancel it, also before it is subscribed. It serves one subscription. A
// panic of OnNext cancels the subscription, discards the element and is the error that
// OnError gets; panics of the other functions are reported as dropped errors.
type BaseSubscriber[T any] struct {
	ctx   context.Context
	hooks SubscriberHooks[T]
	link  protocol.Deferred // to upstream
	up    atomic.Pointer[reactor.Subscription]
	open  stall.Open // what stands still is looked for meanwhile
}

// NewSubscriber returns a subscriber that calls hooks. ctx has the hooks for what has
// to be reported or discarded; as a rule it is the context of the subscription.
func NewSubscriber[T any](ctx context.Context, hooks SubscriberHooks[T]) *BaseSubscriber[T] {
	argument.Given("newSubscriber", "context", ctx != nil)
	if hooks.OnNext == nil && reactor.Owns[T]() {
		hooks.OnNext = func(_ *BaseSubscriber[T], v T) { reactor.Abandon(ctx, v) } // nobody will subscribe to it
	}
	return &BaseSubscriber[T]{ctx: ctx, hooks: hooks}
}

// Request asks for n > 0 more elements. An n ≤ 0 cancels, and is the error that OnError
// gets.
func (s *BaseSubscriber[T]) Request(n int64) {
	if n > 0 {
		s.link.Request(n)
		return
	}
	if up := s.up.Load(); up != nil {
		(*up).Request(n) // the publisher answers with an error, in its turn
		return
	}
	s.fail(reactor.IllegalRequest(n))
}

// RequestUnbounded asks for all elements.
func (s *BaseSubscriber[T]) RequestUnbounded() { s.link.Request(reactor.Unbounded) }

// Cancel cancels the subscription, now or when it comes.
func (s *BaseSubscriber[T]) Cancel() {
	s.link.CancelAnd(func() {
		defer s.finally(reactor.KindCancel) // also if the function ends the goroutine; so below
		if fn := s.hooks.OnCancel; fn != nil {
			runLate(s.ctx, fn)
		}
	})
}

// Dispose implements reactor.Disposable: it is Cancel.
func (s *BaseSubscriber[T]) Dispose() { s.Cancel() }

// IsDisposed reports whether the stream has ended or was cancelled.
func (s *BaseSubscriber[T]) IsDisposed() bool { return s.link.IsCancelled() }

// OnSubscribe implements reactor.Subscriber.
func (s *BaseSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if !s.up.CompareAndSwap(nil, &up) {
		up.Cancel() // §2.5
		reactor.DropError(s.ctx, failure.SecondSubscription())
		return
	}
	if !s.link.Set(up) {
		return
	}
	if fn := s.hooks.OnSubscribe; fn != nil {
		failure.Guard(func() { fn(s) }, s.fail)
	} else {
		s.RequestUnbounded()
	}
	if !s.link.IsCancelled() {
		s.open.Begin()
	}
}

// OnNext implements reactor.Subscriber.
func (s *BaseSubscriber[T]) OnNext(v T) {
	if s.link.IsCancelled() {
		reactor.Discard(s.ctx, v)
		return
	}
	if fn := s.hooks.OnNext; fn != nil {
		failure.Guard(func() { fn(s, v) }, func(err error) {
			defer reactor.Discard(s.ctx, v) // also if a function that hears of what follows ends the goroutine
			s.fail(err)
		})
	}
}

// OnError implements reactor.Subscriber.
func (s *BaseSubscriber[T]) OnError(err error) {
	if s.link.Close() {
		s.failed(err)
		return
	}
	belated.Drop(s.ctx, err)
}

// OnComplete implements reactor.Subscriber.
func (s *BaseSubscriber[T]) OnComplete() {
	if s.link.Close() {
		defer s.finally(reactor.KindComplete)
		if fn := s.hooks.OnComplete; fn != nil {
			runLate(s.ctx, fn)
		}
	}
}

// fail ends the subscription because one of its functions failed.
func (s *BaseSubscriber[T]) fail(err error) {
	over := true
	s.link.CancelAnd(func() {
		over = false
		s.failed(err)
	})
	if over {
		reactor.DropError(s.ctx, err)
	}
}

func (s *BaseSubscriber[T]) failed(err error) {
	defer s.finally(reactor.KindError)
	if fn := s.hooks.OnError; fn != nil {
		runLate(s.ctx, func() { fn(err) })
	} else {
		unhandled(s.ctx, err)
	}
}

func (s *BaseSubscriber[T]) finally(how reactor.SignalKind) {
	s.open.End()
	if fn := s.hooks.Finally; fn != nil {
		runLate(s.ctx, func() { fn(how) })
	}
}
