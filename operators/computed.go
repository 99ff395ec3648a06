package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
)

// isComputable reports whether src has its element without a subscription: see direct.Source. Just is
// the most frequent, and the cheapest to find out.
func isComputable[T any](src reactor.Publisher[T]) bool {
	if _, ok := src.(*justPublisher[T]); ok {
		return true
	}
	return direct.Is(src)
}

// guarded is deferred by a stage that computes v, around its function: done says that the function has returned.
// There are no hooks, see [direct.MayCompute], but v may have to be told.
func guarded[T any](ctx context.Context, v *T, done *bool) {
	if !*done && reactor.Owns[T]() {
		reactor.Abandon(ctx, *v)
	}
}

// computed returns the element of a publisher that isComputable is true of. It may panic, as a user
// function may. The type of a direct.Source is looked for here, once for each element and not once for
// each assembly too: in code for all types that costs ten times what a mark costs.
func computed[T any](ctx context.Context, src reactor.Publisher[T]) (T, bool, error) {
	if j, ok := src.(*justPublisher[T]); ok {
		return j.value, true, nil
	}
	return src.(direct.Source[T]).Direct(ctx)
}
