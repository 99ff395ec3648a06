package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// MergeOption configures [MergeSlice]: [Prefetch], [DelayErrors].
type MergeOption = operators.MergeOption

// Merge subscribes to all sources at once and emits what they send, in the order in which it
// comes.
//
//	a:    1 ------- 2 ------ |
//	b:    --- 10 ------- 20 |
//	      Merge(a, b)
//	out:  1 - 10 -- 2 -- 20 - |
//
// Each source is asked for 32 elements ahead of demand; they wait in a queue of its own. The
// first error cancels the other sources, discards the elements that wait and ends the stream; see
// [MergeSlice] for delayed errors. Cancellation cancels all sources. Elements are emitted on
// whatever goroutine delivers first: that of a source or of a request.
func Merge[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.Merge(sources...)}
}

// MergeDelayError is [Merge], but holds errors back until all sources have ended.
func MergeDelayError[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.MergeSlice(sources, operators.DelayErrors())}
}

// MergeSlice is Merge for a slice of publishers of one type, such as []Flux[T], and with
// options.
func MergeSlice[T any, P reactor.Publisher[T]](sources []P, opts ...MergeOption) Flux[T] {
	return Flux[T]{operators.MergeSlice(sourcesOf[T](sources), opts...)}
}

// MergeAll subscribes to the publishers that sources sends and emits what they send, in the
// order in which it comes.
//
//	src:  a --- b |
//	a:    1 -- 2 -- 3 |
//	b:          8 -- 9 |
//	      MergeAll(src)
//	out:  1 -- 2 8 - 3 9 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are
// requested from sources, and one more for each that ends. Each inner publisher is asked for
// [Prefetch] elements ahead of demand; they wait in a queue of its own. Publishers that have at
// most one element and know it at once ([Just], [Empty], …) are not subscribed to.
//
// MergeAll starts no goroutines. Inner publishers run at the same time only if each works on a
// goroutine of its own: one that works on the goroutine that requests, such as mono.FromFunc,
// keeps the next one waiting unless it has a [Flux.SubscribeOn].
//
// The first error, of sources or of an inner publisher, cancels sources and all inner publishers,
// discards the elements that wait and ends the stream. With [DelayErrors] inner publishers and
// sources run on, and their errors, joined if there are several, come at the end. A nil publisher
// is an error of sources.
//
// Cancellation cancels sources and all inner publishers. Inner publishers are subscribed on the
// goroutine of sources. Elements are emitted on whatever goroutine delivers first: that of an inner publisher or of a request.
func MergeAll[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...FlatMapOption) Flux[T] {
	// Checked here, for FlatMap would say its own name. It is what unwraps each source without boxing it.
	argument.NotNil("mergeAll", "publisher", sources)
	argument.Options("mergeAll", opts)
	return Flux[T]{operators.FlatMap(sources, source[T, P], opts...)}
}

// MergeWith emits the elements of f and of the others, in the order in which they come.
//
//	f:      1 ------- 2 ------ |
//	other:  --- 10 ------- 20 |
//	        MergeWith(other)
//	out:    1 - 10 -- 2 -- 20 - |
//
// Each source is asked for 32 elements ahead of demand; they wait in a queue of its own. The
// first error cancels the other sources, discards the elements that wait and ends the stream; see
// [MergeSlice] for delayed errors. Cancellation cancels all sources. Elements are emitted on
// whatever goroutine delivers first: that of a source or of a request.
func (f Flux[T]) MergeWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.MergeWith(f.Source(), others...))
}
