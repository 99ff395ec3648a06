package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// FromCallable emits the result of fn, or fails with its error.
//
//	      FromCallable(os.Hostname)
//	out:  "hal" |
//
// fn runs once per subscription, at the first request, on the goroutine that
// requests. Operators such as [FlatMap] call it without subscribing, so it must
// not block; for functions that do there is [FromFunc]. The result of a call that
// was cancelled meanwhile is discarded.
func FromCallable[T any](fn func() (T, error)) reactor.Publisher[T] {
	argument.NotNil("fromCallable", "function", fn)
	return &callablePublisher[T]{call: func() (T, bool, error) {
		v, err := fn()
		return v, true, err
	}}
}

// FromSupplier emits the result of fn. See [FromCallable].
//
//	      FromSupplier(time.Now)
//	out:  12:00 |
func FromSupplier[T any](fn func() T) reactor.Publisher[T] {
	argument.NotNil("fromSupplier", "function", fn)
	return &callablePublisher[T]{call: func() (T, bool, error) { return fn(), true, nil }}
}

// FromOptional emits the result of fn if it reports true, and completes empty if
// it reports false. See [FromCallable].
//
//	      FromOptional(func() (int, bool, error) { return cache.Get("a") })
//	out:  |
func FromOptional[T any](fn func() (T, bool, error)) reactor.Publisher[T] {
	argument.NotNil("fromOptional", "function", fn)
	return &callablePublisher[T]{call: fn}
}

type callablePublisher[T any] struct {
	protocol.Op
	direct.Mark
	call func() (T, bool, error)
}

func (p *callablePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(p.subscription(ctx, down))
}

// subscription implements calledOnRequest.
func (p *callablePublisher[T]) subscription(ctx context.Context, down reactor.Subscriber[T]) reactor.Subscription {
	return &callableSubscription[T]{ctx: ctx, down: down, call: p.call}
}

// Call implements direct.Callable.
func (p *callablePublisher[T]) Call(ctx context.Context) (T, bool, error) {
	v, ok, err := p.call()
	if err != nil {
		return *new(T), false, reactor.OperatorError(ctx, err, nil)
	}
	return v, ok, nil
}

// Direct implements direct.Source.
func (p *callablePublisher[T]) Direct(ctx context.Context) (T, bool, error) { return p.Call(ctx) }

type callableSubscription[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	call  func() (T, bool, error)
	state atomic.Uint32
}

const (
	callWaiting = iota
	callRunning
	callCancelled
)

func (s *callableSubscription[T]) Request(int64) {
	if !s.state.CompareAndSwap(callWaiting, callRunning) {
		return
	}
	var v T
	var ok bool
	var err error
	if !failure.Guard(func() { v, ok, err = s.call() }, s.fail) {
		return
	}
	if err != nil {
		s.fail(err)
		return
	}
	if s.cancelled() {
		if ok {
			reactor.Discard(s.ctx, v)
		}
		return
	}
	if (!ok || protocol.Emit(s.ctx, s.down, v)) && !s.cancelled() {
		s.down.OnComplete()
	}
}

func (s *callableSubscription[T]) Cancel() { s.state.Store(callCancelled) }

func (s *callableSubscription[T]) cancelled() bool { return s.state.Load() == callCancelled }

func (s *callableSubscription[T]) fail(err error) {
	if s.cancelled() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
}
