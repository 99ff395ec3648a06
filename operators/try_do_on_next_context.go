package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryDoOnNextContext calls fn(ctx, v) with each element before downstream gets it;
// the first error of fn ends the stream. It is [TryDoOnNext] for functions that wait.
//
//	src:  1 --- 2 --- 3 |
//	      TryDoOnNextContext(store)
//	out:  1 --- 2 --- #
//
// The context, demand, the goroutine, and what becomes of errors and of cancelled calls
// are as with [TryMapContext].
func TryDoOnNextContext[T any](src reactor.Publisher[T], fn func(context.Context, T) error) reactor.Publisher[T] {
	argument.Given("tryDoOnNextContext", "callback", fn != nil)
	return &callPublisher[T, T]{
		op:  "tryDoOnNextContext",
		src: protocol.Trust("tryDoOnNextContext", src),
		call: func(ctx context.Context, v T) (T, bool, error) {
			return v, true, fn(ctx, v)
		},
	}
}
