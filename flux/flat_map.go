package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// FlatMapOption configures [Flux.FlatMap]: [Concurrency], [Prefetch], [DelayErrors].
type FlatMapOption = operators.FlatMapOption

// FlatMap subscribes to the publisher that fn returns for each element, up to 256 at a
// time or as [Concurrency] says, and emits what they send, in the order in which it
// comes.
//
// See [operators.FlatMap] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) FlatMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...FlatMapOption) Flux[R] {
	return Flux[R]{operators.FlatMap(f.Source(), publishers[R]("flatMap", fn), opts...)}
}

// publishers returns fn with its results unwrapped.
func publishers[R, T any, P reactor.Publisher[R]](op string, fn func(T) P) func(T) reactor.Publisher[R] {
	notNil(op, "mapper", fn == nil)
	return func(v T) reactor.Publisher[R] { return source[R](fn(v)) }
}
