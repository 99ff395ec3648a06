package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// FlatMapMany emits the elements of the publisher that fn returns for the element of m.
//
//	m:    --- 3 |
//	      FlatMapMany(n => Range(0, n))
//	out:  --- 0 - 1 - 2 |
//
// The element of m is requested at subscription; demand goes unchanged to the publisher that fn
// returns. Publishers that are callable, such as [Just], are not subscribed to. A panic of fn,
// or a nil publisher, ends the stream, as does an error of m or of that publisher. An empty m
// gives an empty stream. Cancellation goes to both. fn runs on the goroutine of m; elements
// come on the goroutine of the publisher.
func FlatMapMany[T, R any, P reactor.Publisher[R]](m mono.Mono[T], fn func(T) P) Flux[R] {
	return Flux[R]{operators.MonoFlatMapMany(m.Source(), publishers[R]("flatMapMany", fn))}
}

// FlatMapSignal emits the elements of the publishers that onNext returns for each element, and
// of the one that onError or onComplete returns for the end. onError and onComplete may be nil.
// Options: [Concurrency] (default 32), [Prefetch] (default 32), [DelayErrors].
//
//	f:    1 ----- 2 ----- |
//	      FlatMapSignal(n => n and 10n, err => -1, () => 0)
//	out:  1 - 10 - 2 - 20 - 0 |
//
// If onError is nil, an error of f passes; if onComplete is nil, the completion of f passes. The
// publisher of the end counts as one more element of f: it is subscribed when f might send one
// element more. A panic of one of the functions, a nil publisher, and an error of one of the
// publishers end the stream; onError gets errors of f only. Everything else, the options included,
// is as with [Flux.FlatMap], but [Concurrency] is 32 by default. The functions run on the goroutine
// of f; onError and onComplete may also run on a goroutine that delivers.
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
