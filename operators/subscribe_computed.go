package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// subscribeComputed is [SubscribeFunc] for a source that need not be subscribed to: its functions run here, and nobody
// can have the handle before all is over.
func subscribeComputed[T any](ctx context.Context, src reactor.Publisher[T], onNext func(T), cfg subscribeConfig) {
	failed := func(err error) { cfg.failed(ctx, failure.Reported(err)) }
	if ctx.Err() != nil {
		failed(context.Cause(ctx))
		return
	}
	var v T
	var ok bool
	var err error
	if !failure.Guard(func() { v, ok, err = computed(ctx, src) }, failed) {
		return
	}
	switch {
	case err != nil:
		failed(err)
		return
	case ok && ctx.Err() != nil:
		reactor.Discard(ctx, v)
	case ok && !deliverComputed(ctx, onNext, v, failed):
		return
	}
	if ctx.Err() != nil {
		failed(context.Cause(ctx))
		return
	}
	cfg.completed(ctx)
}

// deliverComputed calls onNext, and reports whether that has returned; failed gets the error if not.
func deliverComputed[T any](ctx context.Context, onNext func(T), v T, failed func(error)) (ok bool) {
	if onNext == nil {
		abandon(ctx, v)
		return true
	}
	defer func() {
		if !ok {
			err := failure.RecoveredIn("subscribe", recover())
			abandon(ctx, v)
			failed(err)
		}
	}()
	onNext(v)
	return true
}
