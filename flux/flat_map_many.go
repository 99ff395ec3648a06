package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// FlatMapMany goes on with the publisher that fn returns for the element of m. It is
// empty if m is.
//
// See [operators.MonoFlatMapMany] for demand, errors, cancellation and the goroutines.
func FlatMapMany[T, R any, P reactor.Publisher[R]](m mono.Mono[T], fn func(T) P) Flux[R] {
	return Flux[R]{operators.MonoFlatMapMany(m.Source(), publishers[R]("flatMapMany", fn))}
}

// FlatMapSignal emits what the publishers send that onNext returns for each element, and
// onError or onComplete for the end; these two may be nil. Options: [Concurrency]
// (default 32), [Prefetch] (default 32), [DelayErrors].
//
// See [operators.FlatMapSignal] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) FlatMapSignal[R any, P reactor.Publisher[R]](
	onNext func(T) P, onError func(error) P, onComplete func() P, opts ...FlatMapOption,
) Flux[R] {
	var (
		atError    func(error) reactor.Publisher[R]
		atComplete func() reactor.Publisher[R]
	)
	if onError != nil {
		atError = publishers[R]("flatMapSignal", onError)
	}
	if onComplete != nil {
		atComplete = func() reactor.Publisher[R] { return source[R](onComplete()) }
	}
	return Flux[R]{operators.FlatMapSignal(f.Source(), publishers[R]("flatMapSignal", onNext), atError, atComplete, opts...)}
}
