package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// ContextWrite changes the context that all stages above see: write gets the context of the
// subscriber and returns the context for the stages above. The end of the returned context ends the
// stream.
//
//	f:    --- 1 |          Defer(func(ctx) …) above sees what write returns
//	      ContextWrite(write)
//	out:  --- 1 |
//
// A returned context that ends on its own (context.WithTimeout, …) is watched here: when it
// ends, f is cancelled and the stream fails with its context.Cause. If write panics, or returns
// nil, f is not subscribed to and the stream fails. write runs on the goroutine that
// subscribes, once per subscription. If the returned context has a cancel function, call that
// in a [Flux.DoFinally] above.
func (f Flux[T]) ContextWrite[F Self[T]](write func(context.Context) context.Context) F {
	return wrap[F](operators.ContextWrite(f.Source(), write))
}

// ContextWriteValue adds a value to the context that all stages above see.
//
//	f:    --- 1 |
//	      ContextWriteValue(tenantKey{}, "acme")
//	out:  --- 1 |
func (f Flux[T]) ContextWriteValue[F Self[T]](key, value any) F {
	return wrap[F](operators.ContextWriteValue(f.Source(), key, value))
}

// Transform calls fn at assembly and returns the Flux of the publisher that fn makes of this one: a
// way to give a chain of operators a name.
func (f Flux[T]) Transform[R any, P reactor.Publisher[R]](fn func(Flux[T]) P) Flux[R] {
	argument.Given("transform", "function", fn != nil)
	return From(source(fn(f)))
}

// TransformDeferred is [Flux.Transform], but calls fn once per subscription, so that what fn builds
// may hold state.
func (f Flux[T]) TransformDeferred[R any, P reactor.Publisher[R]](fn func(Flux[T]) P) Flux[R] {
	argument.Given("transformDeferred", "function", fn != nil)
	return Flux[R]{operators.Defer(func(context.Context) reactor.Publisher[R] { return source(fn(f)) })}
}

// TransformDeferredContext is [Flux.TransformDeferred], but fn also gets the context of the
// subscription.
func (f Flux[T]) TransformDeferredContext[R any, P reactor.Publisher[R]](fn func(context.Context, Flux[T]) P) Flux[R] {
	argument.Given("transformDeferredContext", "function", fn != nil)
	return Flux[R]{operators.Defer(func(ctx context.Context) reactor.Publisher[R] { return source(fn(ctx, f)) })}
}

// As returns what fn makes of this Flux, which may have any type: it lets a chain of method calls
// end in any function.
func (f Flux[T]) As[R any](fn func(Flux[T]) R) R {
	argument.Given("as", "function", fn != nil)
	return fn(f)
}
