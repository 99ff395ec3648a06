package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// FromCallable emits the result of fn, or fails with its error.
//
//	      FromCallable(os.Hostname)
//	out:  "hal" |
//
// fn runs once per subscription, at the first request, on the goroutine that requests.
// Operators such as [FlatMap] call fn without subscribing, so fn must not block; for
// functions that block there is [FromFunc]. The result of a call that was cancelled
// while it ran is discarded.
func FromCallable[T any](fn func() (T, error)) reactor.Publisher[T] {
	argument.Given("fromCallable", "function", fn != nil)
	return callablePublisher[T, callable[T]]{fn: fn}
}

// function is what a callablePublisher calls: a function of some form.
type function[T any] interface {
	call() (v T, ok bool, err error)
}

type callable[T any] func() (T, error)

func (fn callable[T]) call() (T, bool, error) {
	v, err := fn()
	return v, true, err
}

// callablePublisher is no more than its function, like [justReference].
type callablePublisher[T any, F function[T]] struct {
	protocol.Op
	direct.CallMark
	fn F
}

func (p callablePublisher[T, F]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&callableSubscription[T, F]{ctx: ctx, down: down, fn: p.fn})
}

// callsOn implements calling.
func (p callablePublisher[T, F]) callsOn() bool { return true }

// Computable returns the way: see [direct.WayOf].
func (p callablePublisher[T, F]) Computable() direct.Way { return direct.InPlace }

// callOn implements calledOnRequest.
func (p callablePublisher[T, F]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[T]) {
	s := &callableTask[T, F]{callableSubscription: callableSubscription[T, F]{ctx: ctx, down: down, fn: p.fn}}
	s.task.begin(scheduler, s, down)
}

// Call implements direct.Callable.
func (p callablePublisher[T, F]) Call(context.Context) (T, bool, error) {
	v, ok, err := p.fn.call()
	if err != nil || !ok {
		return *new(T), false, err
	}
	return v, true, nil
}

// Direct implements direct.Source.
func (p callablePublisher[T, F]) Direct(ctx context.Context) (T, bool, error) {
	v, ok, err := p.Call(ctx)
	if isGivenUp(ctx) {
		switch {
		case err != nil:
			reactor.DropError(ctx, err)
		case ok:
			reactor.Discard(ctx, v)
		}
		return *new(T), false, errGivenUp
	}
	return v, ok, err
}

type callableSubscription[T any, F function[T]] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	fn    F
	state atomic.Uint32
	whole bool // as in funcSubscription
}

// callableTask is the subscription below subscribeOn, and also the task in which
// subscribeOn requests.
type callableTask[T any, F function[T]] struct {
	callableSubscription[T, F]
	task subscribeOnCall
}

const (
	callWaiting = iota
	callRunning
	callCancelled
)

func (s *callableSubscription[T, F]) Request(int64) {
	if !s.state.CompareAndSwap(callWaiting, callRunning) {
		return
	}
	var v T
	var ok bool
	var err error
	if !failure.Guard(func() { v, ok, err = s.fn.call() }, s.fail) {
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
	if s.whole && ok {
		s.down.OnNext(v)
		return
	}
	if (!ok || protocol.Emit(s.ctx, s.down, v)) && !s.cancelled() {
		s.down.OnComplete()
	}
}

func (s *callableSubscription[T, F]) Cancel() { s.state.Store(callCancelled) }

func (s *callableSubscription[T, F]) cancelled() bool { return s.state.Load() == callCancelled }

// refused implements requested.
func (s *callableSubscription[T, F]) refused(err error) {
	s.down.OnError(rejected(s.ctx, "subscribeOn", err, nil))
}

func (s *callableSubscription[T, F]) fail(err error) {
	if s.cancelled() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
}
