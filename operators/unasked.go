package operators

import (
	"context"

	"github.com/goreactor/reactor"
)

// unasked is the error of a stage that got v without having asked for it.
func unasked(ctx context.Context, op string, prefetch int64, v any) error {
	return reactor.OperatorError(ctx, reactor.Failure(op, reactor.ErrOverflow,
		"the source sent more than the %d elements it was asked for", prefetch), v)
}
