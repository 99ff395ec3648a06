package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// trusted is [protocol.Trust] that also reports whether the publisher has its element without a subscription: then it is of
// this module, and need not be asked whether it is.
func trusted[T any](op string, src reactor.Publisher[T]) (_ reactor.Publisher[T], computable bool) {
	if isComputable(src) {
		return src, true
	}
	return protocol.Trust(op, src), false
}

// isComputable reports whether src has its element without a subscription: see direct.Source. The sources that most
// chains begin with are the cheapest to find out.
func isComputable[T any](src reactor.Publisher[T]) bool {
	switch src.(type) {
	case *justPublisher[T], funcPublisher[T]:
		return true
	}
	return direct.Is(src)
}

// mayWait reports whether a publisher that isComputable is true of may wait for what another goroutine does, and not only for
// a function of the user: who does not block may not compute it.
//
//go:noinline
func mayWait(src any) bool {
	m, ok := src.(interface{ Waits() bool })
	return ok && m.Waits()
}

// computed returns the element of a publisher that isComputable is true of, under a context that has not ended when it is
// called. It may panic, as a user function may. The type of a direct.Source is looked for here, once for each element and
// not once for each assembly too: in code for all types that costs ten times what a mark costs. The frequent types come
// first, which spares the search.
func computed[T any](ctx context.Context, src reactor.Publisher[T]) (T, bool, error) {
	switch s := src.(type) {
	case *justPublisher[T]:
		return s.value, true, nil
	case funcPublisher[T]:
		return s.Direct(ctx)
	case *mapDirect[T, T]:
		return s.Direct(ctx)
	case justReference[T]:
		return s.value, true, nil
	}
	return src.(direct.Source[T]).Direct(ctx)
}

// abandon is for a stage that computes and whose function did not return from the element that it was given. There are no hooks,
// see [direct.MayCompute], but the element may have to be told.
func abandon[T any](ctx context.Context, v T) {
	if reactor.Owns[T]() {
		reactor.Abandon(ctx, v)
	}
}
