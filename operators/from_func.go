package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// FromFunc emits the result of fn, which may block, or fails with its error.
//
//	      FromFunc(func(ctx context.Context) (User, error) { return db.Load(ctx, id) })
//	out:  user |
//
// fn runs once per subscription, at the first request, on the goroutine that
// requests: [SubscribeOn] decides which one that is. Without it the one who requests is
// held up: [FlatMap] runs the functions of its inner publishers one after the other,
// whatever its [Concurrency], unless each has a SubscribeOn. The context of fn carries the
// values and the deadline of the subscription's and ends when the subscriber
// cancels while fn runs, and with the context that [Block] or [SubscribeFunc] was given; not
// because fn has returned: what fn returns may go on using it. The result of a call that was cancelled is
// discarded.
func FromFunc[T any](fn func(context.Context) (T, error)) reactor.Publisher[T] {
	argument.Given("fromFunc", "function", fn != nil)
	return funcPublisher[T]{fn: fn}
}

type funcPublisher[T any] struct {
	protocol.Op
	direct.Mark
	fn func(context.Context) (T, error)
}

func (p funcPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&funcSubscription[T]{ctx: ctx, down: down, fn: p.fn})
}

// callsOn implements calling.
func (p funcPublisher[T]) callsOn() bool { return true }

// callOn implements calledOnRequest.
func (p funcPublisher[T]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[T]) {
	s := &funcTask[T]{funcSubscription: funcSubscription[T]{ctx: ctx, down: down, fn: p.fn}}
	s.task.begin(scheduler, s, down)
}

// Direct implements direct.Source: nobody but ctx can cancel.
func (p funcPublisher[T]) Direct(ctx context.Context) (none T, ok bool, err error) {
	v, err := p.fn(ctx)
	switch {
	case ctx.Err() == nil:
		if err != nil {
			return none, false, err
		}
		return v, true, nil
	case err == nil:
		reactor.Discard(ctx, v)
	default:
		dropUnlessCancelled(ctx, ctx, err)
	}
	return none, false, context.Cause(ctx)
}

type funcSubscription[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	fn    func(context.Context) (T, error)
	call  *callContext // written before state becomes funcRunning, read after
	state atomic.Uint32
}

// funcTask is the subscription below subscribeOn, and the task in which that requests.
type funcTask[T any] struct {
	funcSubscription[T]
	task subscribeOnCall
}

const (
	funcWaiting = iota
	funcStarting
	funcRunning
	funcReturned
	funcCancelled
)

// Request runs the function.
func (s *funcSubscription[T]) Request(int64) {
	if !s.state.CompareAndSwap(funcWaiting, funcStarting) {
		return
	}
	s.call = &callContext{of: s.ctx}
	chaos.Yield()
	if !s.state.CompareAndSwap(funcStarting, funcRunning) {
		return
	}
	var v T
	var err error
	if !failure.Guard(func() { v, err = s.fn(s.call) }, s.fail) {
		return
	}
	if err != nil {
		s.fail(err)
		return
	}
	if !s.state.CompareAndSwap(funcRunning, funcReturned) {
		reactor.Discard(s.ctx, v)
		return
	}
	if in, is := s.down.(*flatMapInner[T]); is {
		in.last(v)
		return
	}
	if protocol.Emit(s.ctx, s.down, v) && s.state.Load() == funcReturned {
		s.down.OnComplete()
	}
}

func (s *funcSubscription[T]) Cancel() {
	if s.state.Swap(funcCancelled) != funcRunning {
		return
	}
	cause := context.Cause(s.ctx)
	if cause == nil {
		cause = reactor.ErrCancelled
	}
	s.call.stop(cause)
}

// refused implements requested.
func (s *funcSubscription[T]) refused(err error) {
	s.down.OnError(rejected(s.ctx, "subscribeOn", err, nil))
}

func (s *funcSubscription[T]) fail(err error) {
	if s.state.CompareAndSwap(funcRunning, funcReturned) {
		s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
		return
	}
	dropUnlessCancelled(s.ctx, s.call, err)
}

// dropUnlessCancelled reports the error of a function that was cancelled by its context, called. That it was is no
// news to anybody.
func dropUnlessCancelled(ctx, called context.Context, err error) {
	if !belated.IsCancellation(called, err) {
		reactor.DropError(ctx, err)
	}
}
