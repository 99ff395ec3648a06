package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// OnErrorContinue lets the stages upstream of it that support it go on after the
// failure of a user function: the element concerned is left out, one more is
// requested, and handle gets the error and the element, or nil where there is none.
// With filters, errors that none of them accepts end the stream as usual.
//
//	src:  1 --- 2 --- 3 |
//	      TryMap(2 => error)
//	      OnErrorContinue(report)
//	out:  1 --------- 3 |
//
// It acts through the context, on everything upstream up to an [OnErrorStop], inner
// publishers included. Map, Cast, Filter, MapOptional, Handle, DoOnNext, their Try forms, and
// the flattening operators support it, but for FlatMapSequential, which goes on after the failure
// of an inner publisher only, and not even then behind a source of one element that is known at once, and SwitchMap and Expand, which do after none, as in Reactor; the
// failure of a source itself, or of an operator that can't go on, ends the stream all the same.
// That reach is easy to misjudge: where the element in question can be handled inside the function, or
// by an OnErrorResume inside of FlatMap, do that.
//
// Demand, errors and cancellation pass through. handle runs on the goroutine of the
// stage that failed, and may run concurrently if that stage has several inner
// publishers. If handle panics the stream ends with that and the original error.
// handle owns the element: it is not discarded. Not so with the flattening operators, which may
// discard it as well, as in Reactor: with those, handle must not release it.
func OnErrorContinue[T any](src reactor.Publisher[T], handle func(err error, v any), when ...ErrorFilter) reactor.Publisher[T] {
	argument.Given("onErrorContinue", "function", handle != nil)
	return &onErrorContinuePublisher[T]{
		src:  protocol.Trust("onErrorContinue", src),
		cont: upstream.NewContinuation(anyFilter("onErrorContinue", when), func(err error, v any) { handle(err, v) }),
	}
}

// onErrorContinuePublisher changes the context; it serves OnErrorStop too.
type onErrorContinuePublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	cont *upstream.Continuation // nil for OnErrorStop
}

func (p *onErrorContinuePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	// The strict edge belongs to the outer context: it watches that.
	down := protocol.Strict(ctx, s)
	p.src.Subscribe(upstream.WithContinuation(ctx, p.cont), down)
}
