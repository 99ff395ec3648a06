package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// CombineLatestOption is an option of [CombineLatest] and its like: [Prefetch].
type CombineLatestOption = operators.CombineLatestOption

// CombineLatest combines the newest elements of both sources each time one of them sends an
// element.
//
//	a:    1 ------- 2 --- 3 ------ |
//	b:    --- 10 ------------ 20 |
//	      CombineLatest(a, b, sum)
//	out:  --- 11 -- 12 -- 13 - 23 - |
//
// The sources are subscribed from left to right. Each is asked for 32 elements ([Prefetch])
// ahead of demand, and for more as they are combined; no combination is left out for lack of
// demand. The stream completes when all sources have completed, or when a source that has sent
// nothing completes. The first error, of a source or of fn, cancels the sources and ends the
// stream at once. Cancellation cancels all sources. Elements that were never combined are
// discarded. fn runs, and elements come, on whatever goroutine delivers first: that of a source
// or of a request.
func CombineLatest[A, B, R any](
	a reactor.Publisher[A], b reactor.Publisher[B],
	fn func(A, B) R, opts ...CombineLatestOption,
) Flux[R] {
	return Flux[R]{operators.CombineLatest2(a, b, fn, opts...)}
}

// CombineLatest3 is [CombineLatest] for three sources.
func CombineLatest3[A, B, C, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C],
	fn func(A, B, C) R, opts ...CombineLatestOption,
) Flux[R] {
	return Flux[R]{operators.CombineLatest3(a, b, c, fn, opts...)}
}

// CombineLatest4 is [CombineLatest] for four sources.
func CombineLatest4[A, B, C, D, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D],
	fn func(A, B, C, D) R, opts ...CombineLatestOption,
) Flux[R] {
	return Flux[R]{operators.CombineLatest4(a, b, c, d, fn, opts...)}
}

// CombineLatest5 is [CombineLatest] for five sources.
func CombineLatest5[A, B, C, D, E, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E],
	fn func(A, B, C, D, E) R, opts ...CombineLatestOption,
) Flux[R] {
	return Flux[R]{operators.CombineLatest5(a, b, c, d, e, fn, opts...)}
}

// CombineLatest6 is [CombineLatest] for six sources.
func CombineLatest6[A, B, C, D, E, F, R any](
	a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], e reactor.Publisher[E], f reactor.Publisher[F],
	fn func(A, B, C, D, E, F) R, opts ...CombineLatestOption,
) Flux[R] {
	return Flux[R]{operators.CombineLatest6(a, b, c, d, e, f, fn, opts...)}
}

// CombineLatestSlice is [CombineLatest] for any number of sources of one type; fn owns the
// slice that it gets.
//
//	a:    1 ------- 2 --- 3 ------ |
//	b:    --- 10 ------------ 20 |
//	      CombineLatestSlice([a, b], sum)
//	out:  --- 11 -- 12 -- 13 - 23 - |
//
// The sources are subscribed from left to right. Each is asked for 32 elements ([Prefetch])
// ahead of demand, and for more as they are combined; no combination is left out for lack of
// demand. The stream completes when all sources have completed, or when a source that has sent
// nothing completes. The first error, of a source or of fn, cancels the sources and ends the
// stream at once. Cancellation cancels all sources. Elements that were never combined are
// discarded. fn owns the slice. fn runs, and elements come, on whatever goroutine delivers
// first: that of a source or of a request.
func CombineLatestSlice[T, R any, P reactor.Publisher[T]](sources []P, fn func([]T) R, opts ...CombineLatestOption) Flux[R] {
	return Flux[R]{operators.CombineLatest(sourcesOf[T](sources), fn, opts...)}
}

// WithLatestFrom combines each element of f with the newest element of other; elements of f
// that come before the first element of other are discarded.
//
//	f:      1 --- 2 ------ 3 --- 4 |
//	other:  --- 10 --- 20 ---------- 30
//	        WithLatestFrom(other, sum)
//	out:    ----- 12 ----- 23 -- 24 |
//
// other is subscribed before f, and everything is requested of other. As long as other has sent
// nothing, the elements of f are discarded, and one more is requested for each; after that
// demand passes through. Elements of other that are never combined are discarded. If other
// completes without an element, f is cancelled and the stream completes; the completion of f
// completes the stream too. An error of f or of other, or a panic of fn, cancels what still
// runs and ends the stream. Elements come, and fn runs, on the goroutine of f.
func (f Flux[T]) WithLatestFrom[U, R any](other reactor.Publisher[U], fn func(T, U) R) Flux[R] {
	return Flux[R]{operators.WithLatestFrom(f.Source(), other, fn)}
}

// Join combines each element of f with each element of other while both are alive. An element is
// alive until the publisher that leftEnd or rightEnd returns for it sends something or completes.
//
//	f:      1 ---------- 2 ------- |
//	other:  --- 10 --- 20 ----- 30 |
//	        Join(other, each alive for 7 steps, sum)
//	out:    --- 11 ----- 22 --- 32 |
//
// Everything is requested of those publishers and of both sources; f is subscribed first. An
// element that comes is combined with all live elements of the other side, in the order in
// which those came. A combination without demand fails the stream with reactor.ErrOverflow: put
// a buffer behind Join where that can happen. Demand is read when an element comes: what is
// requested while the combinations of that element go down counts for the next element.
//
// The stream completes when both sources have completed. The first error, of a source or of a
// publisher of leftEnd or rightEnd, or a panic of a function, cancels everything and ends the
// stream. Cancellation cancels the sources and those publishers. Elements that were never
// combined are discarded. The functions run, and elements come, on whatever goroutine delivers
// first.
func (f Flux[T]) Join[U, R, X, Y any, P reactor.Publisher[X], Q reactor.Publisher[Y]](
	other reactor.Publisher[U], leftEnd func(T) P, rightEnd func(U) Q, fn func(T, U) R,
) Flux[R] {
	return Flux[R]{operators.Join(f.Source(), other, publishers[X]("join", leftEnd), publishers[Y]("join", rightEnd), fn)}
}

// GroupJoin calls fn for each element of f with that element and its group, and emits the result.
// The group is a Flux of the elements of other that are alive while the element of f is alive;
// see [Flux.Join]. A group can be subscribed once.
//
//	f:        1 ------------- 2 ----- |
//	other:    --- 10 --- 20 ----- 30 |
//	          GroupJoin(other, each alive for 8 steps, pair)
//	out:      a ------------- b ----- |
//	group a:  --- 10 --|
//	group b:                  20 -30 -|
//
// An element is alive until the publisher that leftEnd or rightEnd returns for it sends
// something or completes. Everything is requested of those publishers and of both sources; f is
// subscribed first. Without demand for a result of fn the stream fails with reactor.ErrOverflow.
//
// A group keeps its elements, without bound, until its subscriber requests them, and completes
// when its element of f is alive no more. A cancelled group discards the elements that it holds.
//
// The stream and all groups complete when both sources have completed. The first error, of a
// source or of a publisher of leftEnd or rightEnd, or a panic of a function, cancels everything
// and ends the stream and the groups. Cancellation cancels the sources and those publishers;
// open groups fail with reactor.ErrCancelled. Elements of other that got into no group are
// discarded. The functions run, and elements come, on whatever goroutine delivers first;
// elements of a group may also come on the goroutine that requests from the group.
func (f Flux[T]) GroupJoin[U, R, X, Y any, P reactor.Publisher[X], Q reactor.Publisher[Y]](
	other reactor.Publisher[U], leftEnd func(T) P, rightEnd func(U) Q, fn func(T, Flux[U]) R,
) Flux[R] {
	argument.Given("groupJoin", "combiner", fn != nil)
	group := func(v T, elements reactor.Publisher[U]) R { return fn(v, Flux[U]{elements}) }
	return Flux[R]{operators.GroupJoin(f.Source(), other, publishers[X]("groupJoin", leftEnd), publishers[Y]("groupJoin", rightEnd), group)}
}
