package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// subscribeComputed is [SubscribeFunc] for a source that need not be subscribed to: its functions run here, and nobody
// can have the handle before all is over. It returns what is to be subscribed to after all, or nil.
func subscribeComputed[T any](ctx context.Context, src reactor.Publisher[T], onNext func(T), cfg subscribeConfig) reactor.Publisher[T] {
	failed := func(err error, how reactor.SignalKind) {
		if how == reactor.KindCancel { // that comes first
			finish(ctx, src, how)
			cfg.failed(ctx, failure.Reported(err))
			return
		}
		defer finish(ctx, src, how) // also if a function ends the goroutine
		cfg.failed(ctx, failure.Reported(err))
	}
	if ctx.Err() != nil { // nothing is subscribed to before that is told
		defer finish(ctx, src, reactor.KindCancel)
		cfg.failed(ctx, context.Cause(ctx))
		return nil
	}
	returned := false
	defer func() {
		if !returned {
			err := failure.Recovered(recover())
			failed(err, outcomeOf(ctx, err))
		}
	}()
	v, ok, err := computed(ctx, unfinished(src))
	returned = true
	switch {
	case err != nil:
		if of, is := err.(*instead[T]); is {
			return finishing(src, of.src)
		}
		failed(err, outcomeOf(ctx, err))
		return nil
	case ok && ctx.Err() != nil:
		reactor.Discard(ctx, v)
	case ok && !deliverComputed(ctx, onNext, v, func(err error) { failed(err, reactor.KindCancel) }):
		return nil
	}
	if ctx.Err() != nil {
		failed(context.Cause(ctx), reactor.KindCancel)
		return nil
	}
	defer finish(ctx, src, reactor.KindComplete)
	cfg.completed(ctx)
	return nil
}

// outcomeOf returns how a chain has ended that was computed: an end of the context is a cancellation.
func outcomeOf(ctx context.Context, err error) reactor.SignalKind {
	switch {
	case ctx.Err() != nil:
		return reactor.KindCancel
	case err != nil:
		return reactor.KindError
	}
	return reactor.KindComplete
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
