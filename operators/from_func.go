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
// fn runs once per subscription, at the first request, on the goroutine that requests:
// [SubscribeOn] decides which goroutine that is. Without it fn holds up the goroutine that
// requests: [FlatMap] runs the functions of its inner publishers one after the other, whatever its
// [Concurrency], unless each has a SubscribeOn.
//
// The context of fn has the values and the deadline of the subscription's context. It ends when the
// subscriber cancels while fn runs, and when the context given to [Block] or [SubscribeFunc] ends.
// It does not end when fn returns, so that the result of fn may go on using it. The result of a
// cancelled call is discarded.
func FromFunc[T any](fn func(context.Context) (T, error)) reactor.Publisher[T] {
	argument.Given("fromFunc", "function", fn != nil)
	return funcPublisher[T]{fn: fn}
}

type funcPublisher[T any] struct {
	protocol.Op
	fn func(context.Context) (T, error)
}

func (p funcPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&funcSubscription[T]{ctx: ctx, down: down, fn: p.fn})
}

// callsOn implements calling.
func (p funcPublisher[T]) callsOn() bool { return true }

// Computable returns the way: see [direct.WayOf].
func (p funcPublisher[T]) Computable() direct.Way { return direct.InPlace }

// callOn implements calledOnRequest.
func (p funcPublisher[T]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[T]) {
	s := &funcTask[T]{funcSubscription: funcSubscription[T]{ctx: ctx, down: down, fn: p.fn}}
	s.task.begin(scheduler, s, down)
}

// Direct implements direct.Source: nobody but ctx can cancel.
func (p funcPublisher[T]) Direct(ctx context.Context) (none T, ok bool, err error) {
	called := ctx
	if in, placed := ctx.(inPlaceCall); placed {
		called = in.callContext
	}
	v, err := p.fn(called)
	switch {
	case ctx.Err() == nil:
		if err != nil {
			return none, false, err
		}
		return v, true, nil
	case err == nil:
		reactor.Discard(ctx, v)
	default:
		dropUnlessCancelled(ctx, called, err)
	}
	return none, false, endOf(ctx)
}

// calledBy calls the function of p as a subscription would, for a stage that emits the result. If
// the function has failed and was not cancelled, failed gets the error. The result of a cancelled
// function is discarded, and its error is reported as dropped, unless the error only says that the
// function was cancelled.
func calledBy[T any](p funcPublisher[T], c *caller, ctx context.Context, call *callContext, failed func(error)) (v T, ok bool) {
	fails := func(err error) {
		if c.ended(call) {
			failed(reactor.OperatorError(ctx, err, nil))
		} else {
			dropUnlessCancelled(ctx, call, err)
		}
	}
	var err error
	switch {
	case !failure.Guard(func() { v, err = p.fn(call) }, fails):
	case err != nil:
		fails(err)
	case c.ended(call):
		return v, true
	default:
		reactor.Discard(ctx, v)
	}
	return *new(T), false
}

type funcSubscription[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	fn    func(context.Context) (T, error)
	call  *callContext // written before state becomes funcRunning, read after
	state atomic.Uint32
	whole bool // what down takes is the end, too, see flatMapWhole; written by who hears of the subscription
}

// funcTask is the subscription below subscribeOn, and also the task in which
// subscribeOn requests.
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
	if s.whole {
		s.down.OnNext(v)
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
	s.call.cancelled(s.ctx)
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
