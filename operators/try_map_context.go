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
// The context of fn carries the values and the deadline of the subscription's and
// ends when the subscriber cancels while a call is under way, with the subscription's
// cause or reactor.ErrCancelled; not when a call has returned: what fn returns may go
// on using it, such as the body of a response. It is made once per subscription.
//
// Demand passes through one for one, and calls follow one another: for several at a
// time see ParallelFlux, or [FlatMap] with [FromFunc]. The first error of fn cancels src,
// discards v and becomes the end of the stream; so does a panic. What a call that was
// cancelled returns is discarded, and its error is dropped unless it says no more than
// that it was cancelled. fn runs on the goroutine of src, which it holds up: see
// [PublishOn] and schedulers.BoundedElastic().
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
