package upstream

import (
	"context"
)

type contextSeenKey struct{}

// WithContextSeen returns a context that makes contextWrite above show fn the context it has made of it.
// Tests look that way at what reaches the source. fn is called on the goroutine that subscribes.
func WithContextSeen(ctx context.Context, fn func(context.Context)) context.Context {
	return context.WithValue(ctx, contextSeenKey{}, fn)
}

// ShowContext shows what was made of ctx to whoever wants to see it.
func ShowContext(ctx, made context.Context) {
	if fn, ok := ctx.Value(contextSeenKey{}).(func(context.Context)); ok {
		fn(made)
	}
}
