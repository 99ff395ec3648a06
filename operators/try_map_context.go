package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryMapContext emits the result of fn(ctx, v) for every v. It is [TryMap] for
// functions that wait: for a database, for another service.
//
//	src:  1 --- 2 --- 3 |
//	      TryMapContext(load)
//	out:  a --- b --- #
//
// The context of fn has the values and the deadline of the subscription's context. It
// ends when the subscriber cancels while a call is under way; its cause is that of the
// subscription's context, or reactor.ErrCancelled. It does not end when a call returns,
// so that the result of fn, such as the body of a response, may go on using it. It is
// made once per subscription.
//
// Demand passes through one for one, and calls follow one another: for several at a time
// see ParallelFlux, or [FlatMap] with [FromFunc]. The first error of fn cancels src,
// discards v and becomes the end of the stream; so does a panic. The result of a
// cancelled call is discarded, and its error is reported as dropped, unless the error
// only says that the call was cancelled. fn runs on the goroutine of src and holds it up:
// see [PublishOn] and schedulers.BoundedElastic().
func TryMapContext[T, R any](src reactor.Publisher[T], fn func(context.Context, T) (R, error)) reactor.Publisher[R] {
	argument.Given("tryMapContext", "mapper", fn != nil)
	return &callPublisher[T, R]{
		op:  "tryMapContext",
		src: protocol.Trust("tryMapContext", src),
		call: func(ctx context.Context, v T) (R, bool, error) {
			r, err := fn(ctx, v)
			return r, true, err
		},
	}
}
