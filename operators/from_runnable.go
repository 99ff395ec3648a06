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

// FromRunnable runs fn once per subscription and completes empty, or fails with
// the error of fn.
//
//	      FromRunnable(flush)
//	out:  |
//
// fn needs no demand; it runs on the goroutine that subscribes, after OnSubscribe,
// unless the subscriber has cancelled there. Operators such as [FlatMap] call fn
// without subscribing, so fn must not block.
func FromRunnable[T any](fn func() error) reactor.Publisher[T] {
	argument.Given("fromRunnable", "function", fn != nil)
	return runnablePublisher[T]{fn: fn}
}

type runnablePublisher[T any] struct {
	protocol.Op
	direct.Mark
	direct.CallMark
	fn func() error
}

func (p runnablePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &runnableSubscription{}
	down := protocol.Strict(ctx, s)
	defer p.run(ctx, sub, down) // also if downstream ends the goroutine
	down.OnSubscribe(sub)
}

// run calls the function, unless the subscription was cancelled, and sends its end.
func (p runnablePublisher[T]) run(ctx context.Context, sub *runnableSubscription, down reactor.Subscriber[T]) {
	if sub.cancelled.Load() {
		return
	}
	var err error
	fail := func(err error) {
		if sub.cancelled.Load() {
			reactor.DropError(ctx, err)
			return
		}
		down.OnError(reactor.OperatorError(ctx, err, nil))
	}
	if !failure.Guard(func() { err = p.fn() }, fail) {
		return
	}
	if err != nil {
		fail(err)
	} else if !sub.cancelled.Load() {
		down.OnComplete()
	}
}

// Call implements direct.Callable.
func (p runnablePublisher[T]) Call(context.Context) (v T, ok bool, err error) {
	return v, false, p.fn()
}

// Direct implements direct.Source.
func (p runnablePublisher[T]) Direct(ctx context.Context) (T, bool, error) { return p.Call(ctx) }

type runnableSubscription struct{ cancelled atomic.Bool }

func (s *runnableSubscription) Request(int64) {}

func (s *runnableSubscription) Cancel() { s.cancelled.Store(true) }
