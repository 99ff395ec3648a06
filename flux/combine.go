package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// CombineLatestOption is an option of [CombineLatest] and its like: [Prefetch].
type CombineLatestOption = operators.CombineLatestOption

// CombineLatest combines the newest elements of both each time one of them sends one.
//
// See [operators.CombineLatest] for demand, errors, cancellation and the goroutine.
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

// CombineLatestSlice is [CombineLatest] for any number of sources of one type; fn owns
// the slice that it gets.
//
// See [operators.CombineLatest] for demand, errors, cancellation and the goroutine.
func CombineLatestSlice[T, R any, P reactor.Publisher[T]](sources []P, fn func([]T) R, opts ...CombineLatestOption) Flux[R] {
	return Flux[R]{operators.CombineLatest(sourcesOf[T](sources), fn, opts...)}
}

// WithLatestFrom combines each element of f with the newest element of other; elements
// of f that come before any of other are discarded.
//
// See [operators.WithLatestFrom] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WithLatestFrom[U, R any](other reactor.Publisher[U], fn func(T, U) R) Flux[R] {
	return Flux[R]{operators.WithLatestFrom(f.Source(), other, fn)}
}

// Join combines each element of f with each element of other while both are alive: until
// the publisher that leftEnd or rightEnd returns for it sends something or completes.
//
// See [operators.Join] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Join[U, R, X, Y any, P reactor.Publisher[X], Q reactor.Publisher[Y]](
	other reactor.Publisher[U], leftEnd func(T) P, rightEnd func(U) Q, fn func(T, U) R,
) Flux[R] {
	return Flux[R]{operators.Join(f.Source(), other, publishers[X]("join", leftEnd), publishers[Y]("join", rightEnd), fn)}
}

// GroupJoin emits, for each element of f, what fn makes of it and of a Flux of the
// elements of other that are alive while it is alive itself; see [Flux.Join]. The Flux
// can be subscribed once.
//
// See [operators.GroupJoin] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) GroupJoin[U, R, X, Y any, P reactor.Publisher[X], Q reactor.Publisher[Y]](
	other reactor.Publisher[U], leftEnd func(T) P, rightEnd func(U) Q, fn func(T, Flux[U]) R,
) Flux[R] {
	notNil("groupJoin", "combiner", fn == nil)
	group := func(v T, elements reactor.Publisher[U]) R { return fn(v, Flux[U]{elements}) }
	return Flux[R]{operators.GroupJoin(f.Source(), other, publishers[X]("groupJoin", leftEnd), publishers[Y]("groupJoin", rightEnd), group)}
}
