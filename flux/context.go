package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// ContextWrite changes the context that everything above sees: write gets the subscriber's and
// returns the one to go on with. The end of that one ends the stream.
//
//	f:    --- 1 |          Defer(func(ctx) …) above sees what write returns
//	      ContextWrite(write)
//	out:  --- 1 |
//
// A context with an end of its own (context.WithTimeout, …) is watched here: when it ends, f is
// cancelled and the stream fails with context.Cause of it. If write panics, or returns nil, f
// is not subscribed to and the stream fails. write runs on the goroutine that subscribes, once
// per subscription; release what a cancel function of it holds with [Flux.DoFinally] above.
func (f Flux[T]) ContextWrite[F Self[T]](write func(context.Context) context.Context) F {
	return wrap[F](operators.ContextWrite(f.Source(), write))
}

// ContextWriteValue adds a value to the context that everything above sees.
//
//	f:    --- 1 |
//	      ContextWriteValue(tenantKey{}, "acme")
//	out:  --- 1 |
func (f Flux[T]) ContextWriteValue[F Self[T]](key, value any) F {
	return wrap[F](operators.ContextWriteValue(f.Source(), key, value))
}

// Transform returns what fn makes of this Flux, at assembly: a way to give a chain
// of operators a name.
func (f Flux[T]) Transform[R any, P reactor.Publisher[R]](fn func(Flux[T]) P) Flux[R] {
	argument.Given("transform", "function", fn != nil)
	return From(source(fn(f)))
}

// TransformDeferred is [Flux.Transform] once per subscription, so that what fn
// builds may hold state.
func (f Flux[T]) TransformDeferred[R any, P reactor.Publisher[R]](fn func(Flux[T]) P) Flux[R] {
	argument.Given("transformDeferred", "function", fn != nil)
	return Flux[R]{operators.Defer(func(context.Context) reactor.Publisher[R] { return source(fn(f)) })}
}

// TransformDeferredContext is [Flux.TransformDeferred] with the context of the
// subscription.
func (f Flux[T]) TransformDeferredContext[R any, P reactor.Publisher[R]](fn func(context.Context, Flux[T]) P) Flux[R] {
	argument.Given("transformDeferredContext", "function", fn != nil)
	return Flux[R]{operators.Defer(func(ctx context.Context) reactor.Publisher[R] { return source(fn(ctx, f)) })}
}

// As returns what fn makes of this Flux, of whatever type: the way out of the
// chain without leaving it.
func (f Flux[T]) As[R any](fn func(Flux[T]) R) R {
	argument.Given("as", "function", fn != nil)
	return fn(f)
}
