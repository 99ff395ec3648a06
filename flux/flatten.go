package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// ConcatMapOption configures [Flux.ConcatMap]: [Prefetch], [DelayErrors],
// [DelayErrorsToBoundary].
type ConcatMapOption = operators.ConcatMapOption

// DelayErrorsToBoundary holds the error of the source back until the current inner
// publisher has ended; no further one is subscribed.
func DelayErrorsToBoundary() BoundaryErrorsOption { return operators.DelayErrorsToBoundary() }

// ConcatMap emits what the publishers that fn returns for the elements send, one
// publisher after the other. f is asked for 32 elements ahead, or as [Prefetch] says; with
// Prefetch(0) for each one when the publisher of the one before has completed.
//
// See [operators.ConcatMap] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) ConcatMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...ConcatMapOption) Flux[R] {
	return Flux[R]{operators.ConcatMap(f.Source(), publishers[R]("concatMap", fn), opts...)}
}

// ConcatMap emits what the publishers that fn returns for the elements send, each rail by
// itself and one publisher of a rail after the other.
//
// See [operators.ConcatMap].
func (p ParallelFlux[T]) ConcatMap[R any, Q reactor.Publisher[R]](fn func(T) Q, opts ...ConcatMapOption) ParallelFlux[R] {
	inner := publishers[R]("concatMap", fn)
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.ConcatMap(rail, inner, opts...) })
}

// SwitchMapOption configures [Flux.SwitchMap] and [SwitchOnNext]: [Prefetch], [DelayErrors].
type SwitchMapOption = operators.SwitchMapOption

// SwitchMap emits what the publisher that fn returns for the newest element sends: each
// element of f cancels the publisher of the one before.
//
// See [operators.SwitchMap] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) SwitchMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...SwitchMapOption) Flux[R] {
	return Flux[R]{operators.SwitchMap(f.Source(), publishers[R]("switchMap", fn), opts...)}
}

// SwitchOnNext emits what the newest of the publishers that sources sends sends.
//
// See [operators.SwitchMap] for demand, errors, cancellation and the goroutines.
func SwitchOnNext[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...SwitchMapOption) Flux[T] {
	return Flux[T]{operators.SwitchOnNext(sources, opts...)}
}

// FlatMapSequentialOption configures [Flux.FlatMapSequential] and [MergeSequentialAll]:
// [Concurrency], [Prefetch], [DelayErrors].
type FlatMapSequentialOption = operators.FlatMapSequentialOption

// FlatMapSequential subscribes to the publisher that fn returns for each element at once, up
// to 256 at a time or as [Concurrency] says, and emits what they send in the order of the
// elements.
//
// See [operators.FlatMapSequential] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) FlatMapSequential[R any, P reactor.Publisher[R]](fn func(T) P, opts ...FlatMapSequentialOption) Flux[R] {
	return Flux[R]{operators.FlatMapSequential(f.Source(), publishers[R]("flatMapSequential", fn), opts...)}
}

// MergeSequentialOption configures [MergeSequential]: [Prefetch], [DelayErrors].
type MergeSequentialOption = operators.MergeSequentialOption

// MergeSequential subscribes to all sources at once and emits what they send in their order:
// all of the first source, then all of the second, and so on.
//
// See [operators.MergeSequential] for demand, errors, cancellation and the goroutine.
func MergeSequential[T any, P reactor.Publisher[T]](sources []P, opts ...MergeSequentialOption) Flux[T] {
	return Flux[T]{operators.MergeSequential(sourcesOf[T](sources), opts...)}
}

// MergeSequentialAll subscribes to the publishers that sources sends at once and emits what
// they send in their order.
//
// See [operators.FlatMapSequential] for demand, errors, cancellation and the goroutines.
func MergeSequentialAll[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...FlatMapSequentialOption) Flux[T] {
	return Flux[T]{operators.MergeSequentialAll(sources, opts...)}
}

// MergeComparingOption configures [MergeComparing] and [MergePriority]: [Prefetch],
// [DelayErrors].
type MergeComparingOption = operators.MergeComparingOption

// MergeComparing merges sources that are each in the order of compare into one stream in
// that order.
//
// See [operators.MergeComparing] for demand, errors, cancellation and the goroutine.
func MergeComparing[T any, P reactor.Publisher[T]](compare func(a, b T) int, sources []P, opts ...MergeComparingOption) Flux[T] {
	return Flux[T]{operators.MergeComparing(compare, sourcesOf[T](sources), opts...)}
}

// MergePriority merges sources and prefers the smallest of the elements that are there.
//
// See [operators.MergePriority] for demand, errors, cancellation and the goroutine.
func MergePriority[T any, P reactor.Publisher[T]](compare func(a, b T) int, sources []P, opts ...MergeComparingOption) Flux[T] {
	return Flux[T]{operators.MergePriority(compare, sourcesOf[T](sources), opts...)}
}

// MergeComparingWith merges f and other, which are each in the order of compare, into one
// stream in that order.
//
// See [operators.MergeComparing] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) MergeComparingWith[F Self[T]](other reactor.Publisher[T], compare func(a, b T) int, opts ...MergeComparingOption) F {
	return wrap[F](operators.MergeComparingWith(f.Source(), other, compare, opts...))
}

// SwitchOnFirstOption configures [Flux.SwitchOnFirst]: [KeepSource].
type SwitchOnFirstOption = operators.SwitchOnFirstOption

// KeepSource lets the source run on when the result has completed.
func KeepSource() KeepSourceOption { return operators.KeepSource() }

// SwitchOnFirst lets the first signal decide what to do with the stream: fn gets that signal
// and all of f, the first signal included, and returns the publisher to go on with. What it
// gets can be subscribed once.
//
// See [operators.SwitchOnFirst] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) SwitchOnFirst[R any, P reactor.Publisher[R]](
	fn func(first reactor.Signal[T], all Flux[T]) P, opts ...SwitchOnFirstOption,
) Flux[R] {
	notNil("switchOnFirst", "function", fn == nil)
	return Flux[R]{operators.SwitchOnFirst(f.Source(), func(first reactor.Signal[T], all reactor.Publisher[T]) reactor.Publisher[R] {
		return source[R](fn(first, Flux[T]{all}))
	}, opts...)}
}
