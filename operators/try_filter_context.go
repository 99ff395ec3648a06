package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryFilterContext emits the elements for which keep(ctx, v) reports true and
// discards the others. It is [TryFilter] for functions that wait.
//
//	src:  1 --- 2 --- 3 |
//	      TryFilterContext(isKnown)
//	out:  1 --------- 3 |
//
// The context, demand, the goroutine, and what becomes of errors and of cancelled calls
// are as with [TryMapContext]; for each discarded element one more is requested.
func TryFilterContext[T any](src reactor.Publisher[T], keep func(context.Context, T) (bool, error)) reactor.Publisher[T] {
	argument.Given("tryFilterContext", "predicate", keep != nil)
	return &callPublisher[T, T]{
		op:  "tryFilterContext",
		src: protocol.Trust("tryFilterContext", src),
		call: func(ctx context.Context, v T) (T, bool, error) {
			ok, err := keep(ctx, v)
			return v, ok, err
		},
	}
}
