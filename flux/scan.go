package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// IndexedOf is satisfied by reactor.Indexed[T] alone; see [Self] for why it exists.
type IndexedOf[T any] interface{ reactor.Indexed[T] }

// Scan accumulates the elements and emits each intermediate result, the first of which is the
// first element.
//
//	f:    1 --- 2 --- 3 |
//	      Scan(sum)
//	out:  1 --- 3 --- 6 |
//
// Demand passes through one for one. A panic of fn cancels f and ends the stream; for functions
// that fail in the ordinary way there is [Flux.TryScan]. For a result of another type there is
// [Flux.ScanWith]. fn runs on the goroutine of f.
func (f Flux[T]) Scan[F Self[T]](fn func(acc, v T) T) F {
	return wrap[F](operators.Scan(f.Source(), fn))
}

// TryScan is Scan with a function that may fail; the first error ends the stream.
//
//	f:    1 --- 2 --- 3 |
//	      TryScan(sum up to 5)
//	out:  1 --- 3 --- #
//
// Demand passes through one for one. fn runs on the goroutine of f.
func (f Flux[T]) TryScan[F Self[T]](fn func(acc, v T) (T, error)) F {
	return wrap[F](operators.TryScan(f.Source(), fn))
}

// ScanSeed emits the seed and then each intermediate result of accumulating the elements into
// it. The seed is shared by all subscriptions: use [Flux.ScanWith] if fn changes it.
//
//	f:    1 ----- 2 --- 3 |
//	      ScanSeed(10, sum)
//	out:  10-11 - 13 -- 16 |
//
// The seed goes down with the first request, and then f is subscribed and gets the demand that is
// left. A panic of fn cancels f and ends the stream; for functions that fail in the ordinary way
// there is [Flux.TryScanWith]. A seed that is not emitted because of a cancellation is discarded.
// fn runs on the goroutine of f.
func (f Flux[T]) ScanSeed[A any](seed A, fn func(acc A, v T) A) Flux[A] {
	argument.Given("scanSeed", "function", fn != nil)
	return Flux[A]{operators.ScanWith(f.Source(), func() A { return seed }, fn)}
}

// TryScanSeed is ScanSeed with a function that may fail; the first error ends the stream.
//
//	f:    1 ----- 2 --- 3 |
//	      TryScanSeed(10, sum up to 15)
//	out:  10-11 - 13 -- #
//
// fn runs on the goroutine of f.
func (f Flux[T]) TryScanSeed[A any](seed A, fn func(acc A, v T) (A, error)) Flux[A] {
	argument.Given("tryScanSeed", "function", fn != nil)
	return Flux[A]{operators.TryScanWith(f.Source(), func() (A, error) { return seed, nil }, fn)}
}

// ScanWith emits a seed, which is made for each subscription, and then each intermediate result
// of accumulating the elements into it.
//
//	f:    1 ----- 2 --- 3 |
//	      ScanWith(() => 10, sum)
//	out:  10-11 - 13 -- 16 |
//
// seed runs once per subscription. Its result goes down with the first request, and then f is
// subscribed and gets the demand that is left. A panic of seed is the error of the stream; a
// panic of fn cancels f and ends the stream; for functions that fail in the ordinary way there
// is [Flux.TryScanWith]. A seed that is not emitted because of a cancellation is discarded. fn
// runs on the goroutine of f.
func (f Flux[T]) ScanWith[A any](seed func() A, fn func(acc A, v T) A) Flux[A] {
	return Flux[A]{operators.ScanWith(f.Source(), seed, fn)}
}

// TryScanWith is ScanWith with functions that may fail; the first error ends the stream.
//
//	f:    1 ----- 2 --- 3 |
//	      TryScanWith(() => 10, sum up to 15)
//	out:  10-11 - 13 -- #
//
// fn runs on the goroutine of f.
func (f Flux[T]) TryScanWith[A any](seed func() (A, error), fn func(acc A, v T) (A, error)) Flux[A] {
	return Flux[A]{operators.TryScanWith(f.Source(), seed, fn)}
}

// Index emits every element together with its place in the stream.
//
//	f:    a ----- b ----- c |
//	      Index()
//	out:  (0 a) - (1 b) - (2 c) |
//
// Demand passes through one for one.
func (f Flux[T]) Index[R IndexedOf[T]]() Flux[R] {
	return Flux[R]{operators.Index(f.Source(), func(i int, v T) R { return R(reactor.Indexed[T]{Index: i, Value: v}) })}
}

// MapIndexed transforms every element with fn, which gets its place in the stream as well,
// counted from 0.
//
//	f:    a --- b --- c |
//	      MapIndexed(i + v)
//	out:  0a -- 1b -- 2c |
//
// Demand passes through one for one. A panic of fn cancels f and ends the stream. fn runs on
// the goroutine of f.
func (f Flux[T]) MapIndexed[R any](fn func(i int, v T) R) Flux[R] {
	return Flux[R]{operators.MapIndexed(f.Source(), fn)}
}

// Pairwise emits fn(a, b) for each two neighbours: n elements give n - 1 results. Reactor has no
// such operator. The name is that of RxJS and ro.
//
//	f:    1 --- 3 --- 6 |
//	      Pairwise((a, b) => b - a)
//	out:  ----- 2 --- 3 |
//
// Demand passes through; one element more is requested when the first one has come. An element
// without a neighbour is discarded, at the end or at cancellation. A panic of fn cancels f and
// ends the stream. fn runs on the goroutine of f. For more than two neighbours at a time use
// [Flux.Buffer] with a [Stride], which emits slices.
func (f Flux[T]) Pairwise[R any](fn func(a, b T) R) Flux[R] {
	return Flux[R]{operators.Pairwise(f.Source(), fn)}
}
