package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// subscribeComputed is [SubscribeFunc] for a source that need not be subscribed to: its functions
// run here, and nobody can have the handle before everything is over. It returns a publisher that
// has to be subscribed to after all, or nil.
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

// subscribeAndFinish is subscribeComputed for a chain that calls functions when all is over. These
// functions hear of a cancellation, also one by a failed function of downstream, before any signal
// goes down, and of an end after the end has gone down.
func subscribeAndFinish[T any](ctx context.Context, src reactor.Publisher[T], onNext func(T), cfg subscribeConfig) reactor.Publisher[T] {
	over := false
	finished := func(how reactor.SignalKind) {
		if !over {
			over = true
			finish(ctx, src, how)
		}
	}
	if ctx.Err() != nil { // nothing is subscribed to before that is told
		defer finished(reactor.KindCancel)
		cfg.failed(ctx, context.Cause(ctx))
		return nil
	}
	around := subscribeConfig{
		onError: func(err error) {
			if ctx.Err() != nil {
				finished(reactor.KindCancel)
			}
			defer finished(reactor.KindError) // also if a function ends the goroutine; so below
			cfg.failed(ctx, err)
		},
		onComplete: func() {
			defer finished(reactor.KindComplete)
			cfg.completed(ctx)
		},
	}
	next := onNext
	if onNext != nil {
		next = func(v T) {
			clean := false
			defer func() {
				if !clean {
					finished(reactor.KindCancel)
				}
			}()
			onNext(v)
			clean = true
		}
	}
	rest := subscribeComputed(ctx, unfinished(src), next, around)
	if rest == nil {
		return nil
	}
	return finishing(src, rest)
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
