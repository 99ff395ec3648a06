package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// subscribeComputed is [SubscribeFunc] for a source that need not be subscribed to: its functions run here, and nobody
// can have the handle before all is over. It returns what is to be subscribed to after all, or nil.
func subscribeComputed[T any](ctx context.Context, src reactor.Publisher[T], onNext func(T), cfg subscribeConfig) reactor.Publisher[T] {
	failed := func(err error) { cfg.failed(ctx, failure.Reported(err)) }
	if ctx.Err() != nil {
		failed(context.Cause(ctx))
		return nil
	}
	returned := false
	defer func() {
		if !returned {
			failed(failure.Recovered(recover()))
		}
	}()
	v, ok, err := computed(ctx, src)
	returned = true
	switch {
	case err != nil:
		if of, is := err.(*instead[T]); is {
			return of.src
		}
		failed(err)
		return nil
	case ok && ctx.Err() != nil:
		reactor.Discard(ctx, v)
	case ok && !deliverComputed(ctx, onNext, v, failed):
		return nil
	}
	if ctx.Err() != nil {
		failed(context.Cause(ctx))
		return nil
	}
	cfg.completed(ctx)
	return nil
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
