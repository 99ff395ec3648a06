package flux

import (
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// ZipOption is an option of [Zip] and its like: [Prefetch].
type ZipOption = operators.ZipOption

// Zip combines the elements of both sources by position; the shorter source ends the stream.
//
//	a:    1 ------- 2 --- 3 |
//	b:    --- 10 ------------ 20 |
//	      Zip(a, b, sum)
//	out:  --- 11 ------------ 22 |
//
// The sources are subscribed from left to right. Each is asked for 32 elements ([Prefetch]) ahead
// of demand, which wait in a queue of its own, and for more as they are combined. When a source
// has completed and all its elements were combined, the stream completes and cancels the other
// source. The first error, of a source or of fn, cancels the other sources and ends the stream at
// once; the elements that wait are discarded.
//
// A source that has one element and knows it at once ([Just], …) is not subscribed to; in that
// case everything is requested of the other sources, and they are cancelled at their first
// element. Cancellation cancels all sources and discards the elements that wait. fn runs, and
// elements come, on whatever goroutine completes a pair: that of a source or of a request.
func Zip[A, B, R any](a reactor.Publisher[A], b reactor.Publisher[B], fn func(A, B) R, opts ...ZipOption) Flux[R] {
	return Flux[R]{operators.Zip2(a, b, fn, opts...)}
}

// Zip3 is [Zip] for three sources.
func Zip3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip3(a, b, c, fn, opts...)}
}

// Zip4 is [Zip] for four sources.
func Zip4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip4(a, b, c, d, fn, opts...)}
}

// Zip5 is [Zip] for five sources.
func Zip5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip5(a, b, c, d, e, fn, opts...)}
}

// Zip6 is [Zip] for six sources.
func Zip6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip6(a, b, c, d, e, f, fn, opts...)}
}

// Zip7 is [Zip] for seven sources.
func Zip7[A, B, C, D, E, F, G, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G],
	fn func(A, B, C, D, E, F, G) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip7(a, b, c, d, e, f, g, fn, opts...)}
}

// Zip8 is [Zip] for eight sources.
func Zip8[A, B, C, D, E, F, G, H, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F], g reactor.Publisher[G], h reactor.Publisher[H],
	fn func(A, B, C, D, E, F, G, H) R, opts ...ZipOption,
) Flux[R] {
	return Flux[R]{operators.Zip8(a, b, c, d, e, f, g, h, fn, opts...)}
}

// ZipSlice is [Zip] for a slice of publishers of one type, such as []Flux[T]; fn owns the slice
// that it gets.
//
//	a:    1 ------- 2 --- 3 |
//	b:    --- 10 ------------ 20 |
//	      ZipSlice([a, b], sum)
//	out:  --- 11 ------------ 22 |
//
// The sources are subscribed from left to right. Each is asked for 32 elements ([Prefetch])
// ahead of demand, which wait in a queue of its own, and for more as they are combined. When a
// source has completed and all its elements were combined, the stream completes and cancels the
// other sources. The first error, of a source or of fn, cancels the other sources and ends the
// stream at once; the elements that wait are discarded.
//
// A source that has one element and knows it at once ([Just], …) is not subscribed to; in that
// case everything is requested of the other sources, and they are cancelled at their first
// element. Cancellation cancels all sources and discards the elements that wait. fn owns the
// slice. fn runs, and elements come, on whatever goroutine completes a tuple: that of a source
// or of a request.
func ZipSlice[T, R any, P reactor.Publisher[T]](sources []P, fn func([]T) R, opts ...ZipOption) Flux[R] {
	return Flux[R]{operators.Zip(sourcesOf[T](sources), fn, opts...)}
}

// ZipSeq is [ZipSlice] for the publishers that seq yields at each subscription.
func ZipSeq[T, R any, P reactor.Publisher[T]](seq iter.Seq[P], fn func([]T) R, opts ...ZipOption) Flux[R] {
	return Flux[R]{operators.ZipSeq[T](seq, fn, opts...)}
}

// ZipWith combines the elements of f and of other by position; the shorter of the two ends the
// stream.
//
//	f:      1 ------- 2 --- 3 |
//	other:  --- 10 ------------ 20 |
//	        ZipWith(other, sum)
//	out:    --- 11 ------------ 22 |
//
// f is subscribed first. Zipping the result with a further publisher, without options, makes
// one stage of three sources. See [Zip] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) ZipWith[U, R any](other reactor.Publisher[U], fn func(T, U) R, opts ...ZipOption) Flux[R] {
	return Flux[R]{operators.ZipWith(f.Source(), other, fn, opts...)}
}

// ZipWithSlice combines each element of f with the element of items in the same place; the
// shorter of the two ends the stream.
//
//	f:    1 --- 2 --- 3 |
//	      ZipWithSlice([10, 20], sum)
//	out:  11 -- 22 |
//
// If items is empty, the stream is empty, and f is not subscribed to. Demand passes through. A
// panic of fn cancels f and ends the stream. fn runs on the goroutine of f. items must not be
// changed while the stream is in use.
func (f Flux[T]) ZipWithSlice[U, R any](items []U, fn func(T, U) R) Flux[R] {
	return Flux[R]{operators.ZipWithSlice(f.Source(), items, fn)}
}

// ZipWithSeq combines each element of f with the element of seq in the same place; the shorter of
// the two ends the stream.
//
//	f:    1 --- 2 --- 3 |
//	      ZipWithSeq([10, 20], sum)
//	out:  11 -- 22 |
//
// seq is started once per subscription, and always runs to its end or sees its yield report
// false. It is asked for its first element at subscription, and for the next one when an
// element was emitted; if seq has no first element, f is not subscribed to. Demand passes
// through. A panic of seq or fn cancels f and ends the stream. seq and fn run on the goroutine
// of f; after a cancellation seq is ended on the goroutine that cancels. See [FromSeq] for
// goroutines that are locked to their thread.
func (f Flux[T]) ZipWithSeq[U, R any](seq iter.Seq[U], fn func(T, U) R) Flux[R] {
	return Flux[R]{operators.ZipWithSeq(f.Source(), seq, fn)}
}
