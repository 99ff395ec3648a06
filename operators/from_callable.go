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
// fn runs once per subscription, at the first request, on the goroutine that
// requests. Operators such as [FlatMap] call it without subscribing, so it must
// not block; for functions that do there is [FromFunc]. The result of a call that
// was cancelled meanwhile is discarded.
func FromCallable[T any](fn func() (T, error)) reactor.Publisher[T] {
	argument.Given("fromCallable", "function", fn != nil)
	return &callablePublisher[T]{fn: fn}
}

// callablePublisher has one of the functions. As one function of the same kind for all it would be another
// allocation.
type callablePublisher[T any] struct {
	protocol.Op
	direct.Mark
	fn       func() (T, error)
	supplier func() T
	optional func() (T, bool, error)
}

func (p *callablePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&callableSubscription[T]{ctx: ctx, down: down, src: p})
}

// callOn implements calledOnRequest.
func (p *callablePublisher[T]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[T]) {
	s := &callableTask[T]{callableSubscription: callableSubscription[T]{ctx: ctx, down: down, src: p}}
	s.task.begin(scheduler, s, down)
}

// call calls the function.
func (p *callablePublisher[T]) call() (v T, ok bool, err error) {
	switch {
	case p.fn != nil:
		v, err = p.fn()
		return v, true, err
	case p.supplier != nil:
		return supplied(p.supplier)
	}
	return perhaps(p.optional)
}

// Call implements direct.Callable.
func (p *callablePublisher[T]) Call(context.Context) (T, bool, error) {
	v, ok, err := p.call()
	if err != nil {
		return *new(T), false, err
	}
	return v, ok, nil
}

// Direct implements direct.Source.
func (p *callablePublisher[T]) Direct(ctx context.Context) (T, bool, error) { return p.Call(ctx) }

type callableSubscription[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	src   *callablePublisher[T]
	state atomic.Uint32
}

// callableTask is the subscription below subscribeOn, and the task in which that requests.
type callableTask[T any] struct {
	callableSubscription[T]
	task subscribeOnCall
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
	if !failure.Guard(func() { v, ok, err = s.src.call() }, s.fail) {
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
	if in, is := s.down.(*flatMapInner[T]); is && ok {
		in.last(v)
		return
	}
	if (!ok || protocol.Emit(s.ctx, s.down, v)) && !s.cancelled() {
		s.down.OnComplete()
	}
}

func (s *callableSubscription[T]) Cancel() { s.state.Store(callCancelled) }

func (s *callableSubscription[T]) cancelled() bool { return s.state.Load() == callCancelled }

// refused implements requested.
func (s *callableSubscription[T]) refused(err error) {
	s.down.OnError(rejected(s.ctx, "subscribeOn", err, nil))
}

func (s *callableSubscription[T]) fail(err error) {
	if s.cancelled() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
}
