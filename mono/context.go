package mono

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
//	m:    --- 1 |          Defer(func(ctx) …) above sees what write returns
//	      ContextWrite(write)
//	out:  --- 1 |
//
// A returned context that ends on its own (context.WithTimeout, …) is watched here: when it
// ends, m is cancelled and the stream fails with its context.Cause. If write panics, or returns
// nil, m is not subscribed to and the stream fails. write runs on the goroutine that
// subscribes, once per subscription. If the returned context has a cancel function, call that
// in a [Mono.DoFinally] above.
func (m Mono[T]) ContextWrite[M Self[T]](write func(context.Context) context.Context) M {
	return wrap[M](operators.ContextWrite(m.Source(), write))
}

// ContextWriteValue adds a value to the context that all stages above see.
//
//	m:    --- 1 |
//	      ContextWriteValue(tenantKey{}, "acme")
//	out:  --- 1 |
func (m Mono[T]) ContextWriteValue[M Self[T]](key, value any) M {
	return wrap[M](operators.ContextWriteValue(m.Source(), key, value))
}

// Transform calls fn at assembly and returns the Mono that fn makes of this one: a way to give a
// chain of operators a name.
func (m Mono[T]) Transform[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transform", "function", fn != nil)
	return fn(m)
}

// TransformDeferred is [Mono.Transform], but calls fn once per subscription, so that what fn builds
// may hold state.
func (m Mono[T]) TransformDeferred[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transformDeferred", "function", fn != nil)
	return Mono[R]{operators.Defer(func(context.Context) reactor.Publisher[R] { return fn(m).Source() })}
}

// TransformDeferredContext is [Mono.TransformDeferred], but fn also gets the context of the
// subscription.
func (m Mono[T]) TransformDeferredContext[R any](fn func(context.Context, Mono[T]) Mono[R]) Mono[R] {
	argument.Given("transformDeferredContext", "function", fn != nil)
	return Mono[R]{operators.Defer(func(ctx context.Context) reactor.Publisher[R] { return fn(ctx, m).Source() })}
}

// As returns what fn makes of this Mono, which may have any type: it lets a chain of method calls
// end in any function.
func (m Mono[T]) As[R any](fn func(Mono[T]) R) R {
	argument.Given("as", "function", fn != nil)
	return fn(m)
}
