package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// OnErrorContinue makes those stages upstream that support it go on when a user function fails for
// an element: the element is left out, one more is requested, and handle gets the error and the
// element, or nil where there is no element. With filters, errors that none of them accepts end the
// stream as usual.
//
//	src:  1 --- 2 --- 3 |
//	      TryMap(2 => error)
//	      OnErrorContinue(report)
//	out:  1 --------- 3 |
//
// It acts through the context, on everything upstream up to an [OnErrorStop], inner publishers
// included. Map, Cast, Filter, MapOptional, Handle, DoOnNext, their Try forms, and the flattening
// operators support it, with these exceptions: FlatMapSequential goes on only after the failure of
// an inner publisher, and not even then behind a source that has one element and knows it at once;
// SwitchMap and Expand never go on, as in Reactor. The failure of a source itself, or of an
// operator that can't go on, ends the stream all the same. It is easy to misjudge which stages
// OnErrorContinue reaches: where you can handle the element inside the function, or by an
// OnErrorResume inside of FlatMap, do that.
//
// Demand, errors and cancellation pass through. handle runs on the goroutine of the stage that
// failed, and may run concurrently if that stage has several inner publishers. If handle panics,
// the stream ends with the error of the panic and the original error. handle owns the element, and
// the stage does not discard it. The flattening operators are an exception: they may discard the
// element as well, as in Reactor, so with them handle must not release the element.
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
