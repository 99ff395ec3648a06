package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// FlatMapMany goes on with the publisher that fn returns for the element of m. It is empty if m
// is.
//
//	m:    --- 3 |
//	      FlatMapMany(n => Range(0, n))
//	out:  --- 0 - 1 - 2 |
//
// The element of m is requested at subscription; demand goes to the publisher of fn as it is.
// Publishers that are callable, such as [Just], are not subscribed to. A panic of fn, or a nil
// publisher, ends the stream, as does an error of either publisher. An empty m gives an empty
// stream. Cancellation goes to both. fn runs on the goroutine of m, elements come on that of
// the publisher.
func FlatMapMany[T, R any, P reactor.Publisher[R]](m mono.Mono[T], fn func(T) P) Flux[R] {
	return Flux[R]{operators.MonoFlatMapMany(m.Source(), publishers[R]("flatMapMany", fn))}
}

// FlatMapSignal emits what the publishers send that onNext returns for each element, and
// onError or onComplete for the end; these two may be nil. Options: [Concurrency] (default 32),
// [Prefetch] (default 32), [DelayErrors].
//
//	f:    1 ----- 2 ----- |
//	      FlatMapSignal(n => n and 10n, err => -1, () => 0)
//	out:  1 - 10 - 2 - 20 - 0 |
//
// Where onError or onComplete is nil an error of f passes, or its completion. The
// publisher of the end counts as one more element of f: it is subscribed when f may send that
// many. A panic of one of the functions, a nil publisher, and an error of one of the publishers
// end the stream; onError gets errors of f only. The options are those of [Flux.FlatMap], with
// a [Concurrency] of 32 by default, and so is the rest. The functions run on the goroutine of
// f, those of the end perhaps on one that delivers.
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
