package pending

import (
	"context"

	"github.com/goreactor/reactor"
)

// SpentFor returns what a stage calls with an element that is used up, such as one that a
// predicate has looked at: it goes no further, but Reactor does not discard it, so neither
// does the hook get it. An element that owns something, such as a window, has to be told all
// the same that nobody will subscribe to it. The result is nil if a T can't be
// reactor.Discardable.
func SpentFor[T any](ctx context.Context) func(v T) {
	if !reactor.Owns[T]() {
		return nil
	}
	return func(v T) { reactor.Abandon(ctx, v) }
}
