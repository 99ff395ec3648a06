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

// abandonUnless is deferred by a stage that computes, around its function, which gets v: done says that it has returned. There are
// no hooks, see [direct.MayCompute], but v may have to be told.
func abandonUnless[T any](done *bool, ctx context.Context, v *T) {
	if !*done && reactor.Owns[T]() {
		reactor.Abandon(ctx, *v)
	}
}

// isPlain reports whether T is one of the most frequent types that own nothing: then nothing has to be deferred. reactor.Owns
// knows of all types, and costs more than that.
func isPlain[T any]() bool {
	switch any(*new(T)).(type) {
	case int, int64, string, bool, float64, []byte:
		return true
	}
	return false
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
