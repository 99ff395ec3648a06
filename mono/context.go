package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// ContextWrite changes the context that everything above sees: write gets the subscriber's and
// returns the one to go on with. The end of that one ends the stream.
//
//	m:    --- 1 |          Defer(func(ctx) …) above sees what write returns
//	      ContextWrite(write)
//	out:  --- 1 |
//
// A context with an end of its own (context.WithTimeout, …) is watched here: when it ends, m is
// cancelled and the stream fails with context.Cause of it. If write panics, or returns nil, m
// is not subscribed to and the stream fails. write runs on the goroutine that subscribes, once
// per subscription; release what a cancel function of it holds with [Mono.DoFinally] above.
func (m Mono[T]) ContextWrite[M Self[T]](write func(context.Context) context.Context) M {
	return wrap[M](operators.ContextWrite(m.Source(), write))
}

// ContextWriteValue adds a value to the context that everything above sees.
//
//	m:    --- 1 |
//	      ContextWriteValue(tenantKey{}, "acme")
//	out:  --- 1 |
func (m Mono[T]) ContextWriteValue[M Self[T]](key, value any) M {
	return wrap[M](operators.ContextWriteValue(m.Source(), key, value))
}

// Transform returns what fn makes of this Mono, at assembly: a way to give a chain
// of operators a name.
func (m Mono[T]) Transform[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transform", "function", fn != nil)
	return fn(m)
}

// TransformDeferred is [Mono.Transform] once per subscription, so that what fn
// builds may hold state.
func (m Mono[T]) TransformDeferred[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transformDeferred", "function", fn != nil)
	return Mono[R]{operators.Defer(func(context.Context) reactor.Publisher[R] { return fn(m).Source() })}
}

// TransformDeferredContext is [Mono.TransformDeferred] with the context of the
// subscription.
func (m Mono[T]) TransformDeferredContext[R any](fn func(context.Context, Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transformDeferredContext", "function", fn != nil)
	return Mono[R]{operators.Defer(func(ctx context.Context) reactor.Publisher[R] { return fn(ctx, m).Source() })}
}

// As returns what fn makes of this Mono, of whatever type: the way out of the
// chain without leaving it.
func (m Mono[T]) As[R any](fn func(Mono[T]) R) R {
	argument.Given("as", "function", fn != nil)
	return fn(m)
}
