package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Buffer emits slices of size elements each; the last one may be shorter. With [Stride] the
// slices overlap, or leave elements out.
//
//	f:    1 --- 2 --- 3 --- 4 --- 5 |
//	      Buffer(2)
//	out:  ----- [1 2] ----- [3 4] - [5] |
//
// With [Stride] a buffer begins at every n-th element. If n is larger than size, the elements
// in between are discarded:
//
//	      Buffer(2, Stride(3))
//	out:  ----- [1 2] ----------- [4 5] |
//
// If it is smaller, the buffers overlap, and those that are open at the end are emitted as
// well, as demand allows:
//
//	      Buffer(2, Stride(1))
//	out:  ----- [1 2] [2 3] [3 4] [4 5] [5] |
//
// A request for n buffers asks f for the elements that fill them. An error of f ends the stream
// at once; then, and at cancellation, open buffers are discarded element by element; an element
// in several buffers is discarded with each of them. Slices belong to the subscriber. They come
// on the goroutine of f; at the end they may also come on the goroutine that requests. A size
// or stride ≤ 0 panics.
func (f Flux[T]) Buffer[S Slice[T]](size int, opts ...BufferOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.Buffer(f.Source(), size, opts...))}
}

// BufferAll emits one slice of all elements at the end, or nothing if there are none. (Reactor
// calls it buffer, without a size.)
//
//	f:    1 --- 2 --- 3 |
//	      BufferAll()
//	out:  ------------- [1 2 3] |
//
// [Flux.CollectSlice] emits an empty slice for an empty f. Demand, errors and discarding are as for
// [Flux.Buffer].
func (f Flux[T]) BufferAll[S Slice[T]]() Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferAll(f.Source()))}
}

// BufferInto emits containers of size elements each. newContainer makes them, and add fills
// them: it reports whether the container has taken the element. An element that was not taken
// is discarded and does not count. (Reactor calls it buffer, with a supplier.)
//
//	f:    1 --- 2 --- 2 --- 2 --- 5 |
//	      BufferInto(2, newSet, set.Add)
//	out:  ----- {1 2} ----------- {2 5} |
//
// An element that is not taken counts for nothing: it is discarded, and f is asked for another
// one. With [Stride] the element is discarded as well, but containers begin and end where the
// buffers of [Flux.Buffer] do, so that a container may have fewer than size elements; add is
// then called when the container is due.
//
// A panic of newContainer or add cancels f, discards the elements and ends the stream. Both run
// on the goroutine of f. Everything else, the options included, is as with [Flux.Buffer].
func (f Flux[T]) BufferInto[C any](size int, newContainer func() C, add func(C, T) bool, opts ...BufferOption) Flux[C] {
	return Flux[C]{operators.BufferInto(f.Source(), size, newContainer, add, opts...)}
}

// BufferOther emits, each time other emits, a slice of the elements that have come since.
//
//	f:      1 - 2 - 3 - 4 - 5 ------ 6 |
//	other:  ----- x --------- x
//	        BufferOther(other)
//	out:    ----- [1 2] ----- [3 4 5] - [6] |
//
// There are no empty buffers. It asks f and other for everything; without demand for a buffer
// the stream fails with reactor.ErrOverflow. When f or other completes, the open buffer is
// emitted, the other of the two is cancelled, and the stream completes. An error of f or of
// other ends the stream at once; then, and at cancellation, the open buffer is discarded
// element by element. other is subscribed before f. Slices belong to the subscriber. They come
// on the goroutine of other; the last one comes on the goroutine on which f or other completes.
// If an element or a boundary comes while such a goroutine is at work, that goroutine deals
// with it too.
func (f Flux[T]) BufferOther[U any, S Slice[T]](other reactor.Publisher[U]) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferOther(f.Source(), other))}
}

// BufferFor emits, each time d has passed, a slice of the elements that have come since. With
// [OpenEvery] the stretches of time overlap, or there are gaps between them.
//
//	f:    1 - 2 - 3 - 4 - 5 - 6 |
//	      BufferFor(7 steps)
//	out:  ------ [1 2] - [3 4] - [5 6] |
//
// There are no empty buffers; see [Flux.BufferOther] for the rest. With [OpenEvery] a buffer of
// length d begins each time that option says, the first one at once, so that buffers overlap or the
// elements between them are discarded; such buffers may be empty, and they wait for demand, see
// [Flux.BufferWhen].
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if they are
// refused, the stream fails with reactor.ErrRejected. A duration ≤ 0 panics.
func (f Flux[T]) BufferFor[S Slice[T]](d time.Duration, opts ...BufferForOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferFor(f.Source(), d, opts...))}
}

// BufferTimeout emits slices of size elements, or of fewer when d has passed since the first
// element of the slice came. A slice without demand fails the stream, or waits if
// [FairBackpressure] is given.
//
//	f:    1 - 2 ----------- 3 - 4 - 5 - 6 |
//	      BufferTimeout(3, 6 steps)
//	out:  ------- [1 2] ----------- [3 4 5] - [6] |
//
// A request asks f for the elements that fill all buffers in demand, less the elements that were
// requested and have not come yet; elements already in the open buffer are not subtracted. But
// time does not wait for demand: a buffer that is due without demand fails the stream with
// reactor.ErrOverflow. That happens if short buffers use the demand up, or if a request comes in
// the middle of a buffer, while requested elements are still on their way. With
// [FairBackpressure] such buffers wait instead.
//
// An error of f ends the stream at once; then, and at cancellation, the open buffer is
// discarded element by element. Slices belong to the subscriber. They come on the goroutine of
// f or of the timer, which is one of schedulers.Parallel() unless [On] names another scheduler;
// if it is refused, the stream fails with reactor.ErrRejected. A size or duration ≤ 0 panics.
func (f Flux[T]) BufferTimeout[S Slice[T]](size int, d time.Duration, opts ...BufferTimeoutOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferTimeout(f.Source(), size, d, opts...))}
}

// BufferUntil emits slices that end with an element for which last reports true; with
// [CutBefore] the slices begin with such an element.
//
//	f:    1 --- 2 --- 3 --- 4 --- 5 |
//	      BufferUntil(even)
//	out:  ----- [1 2] ----- [3 4] - [5] |
//
// With [CutBefore] the slices begin with such an element instead:
//
//	      BufferUntil(even, CutBefore())
//	out:  ----- [1] ------- [2 3] - [4 5] |
//
// A request for n buffers asks f for n elements, and then for one more at a time until there are n
// buffers. If f completes while there is no demand, the last buffer waits for demand. An error of
// f, or a panic of last, ends the stream at once; then, and at cancellation, the open buffer is
// discarded element by element. Slices belong to the subscriber. last runs on the goroutine of f.
// Slices come on the goroutine of f; the last one may come on the goroutine that requests.
func (f Flux[T]) BufferUntil[S Slice[T]](last func(T) bool, opts ...BufferUntilOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntil(f.Source(), last, opts...))}
}

// BufferUntilChanged emits slices of neighbouring elements with the same key.
//
//	f:    a --- a --- b --- a |
//	      BufferUntilChanged(identity)
//	out:  ----------- [a a] [b] - [a] |
//
// A panic of key ends the stream. See [Flux.BufferUntil] for demand, errors, cancellation and
// the goroutine.
func (f Flux[T]) BufferUntilChanged[K comparable, S Slice[T]](key func(T) K) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntilChanged(f.Source(), key))}
}

// BufferUntilChangedFunc is [Flux.BufferUntilChanged] for keys that equal compares.
func (f Flux[T]) BufferUntilChangedFunc[K any, S Slice[T]](key func(T) K, equal func(a, b K) bool) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntilChangedFunc(f.Source(), key, equal))}
}

// BufferWhile emits slices of neighbouring elements for which keep reports true.
//
//	f:    1 --- 3 --- 4 --- 6 --- 5 |
//	      BufferWhile(odd)
//	out:  ----------- [1 3] --------- [5] |
//
// Two boundaries next to each other have no buffer between them. The elements that mark
// boundaries are used up: they are neither delivered nor given to the discard hook.
//
// See [Flux.BufferUntil] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferWhile[S Slice[T]](keep func(T) bool) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferWhile(f.Source(), keep))}
}

// BufferWhen begins a slice for each element of open, and emits the slice when the publisher that
// closing returns for that element emits or completes.
//
//	f:     1 - 2 - 3 - 4 - 5 - 6 - 7 |
//	open:  -- a ----- b
//	       BufferWhen(open, _ => done after 11 steps)
//	out:   -------------- [2 3 4] - [4 5 6] - |
//
// Any number of buffers may be open at a time; an element belongs to all of them, and is
// discarded if none is open. Buffers may be empty. They wait for demand, without bound, while
// f, open and the closing publishers are asked for everything. When f completes, the open
// buffers are emitted in the order in which they began; when open has completed and the last
// buffer is closed, f is cancelled and the stream completes. An error of any publisher, or a
// panic of closing, ends the stream at once; then, and at cancellation, buffers are discarded
// element by element, and an element in several buffers is discarded with each of them. open is
// subscribed before f. Slices belong to the subscriber. A slice comes on the goroutine of the
// publisher that closes it, at the end of f on the goroutine of f, or on the goroutine that
// requests.
func (f Flux[T]) BufferWhen[U, V any, P reactor.Publisher[V], S Slice[T]](open reactor.Publisher[U], closing func(U) P) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferWhen(f.Source(), open, publishers[V]("bufferWhen", closing)))}
}
