package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Buffer emits slices of size elements each; the last one may be shorter. With
// [Stride] the slices overlap, or have a distance.
//
// See [operators.Buffer] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Buffer[S Slice[T]](size int, opts ...BufferOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.Buffer(f.Source(), size, opts...))}
}

// BufferAll emits one slice of all elements at the end, or nothing if there are none.
// (Reactor calls it buffer, without a size.)
//
// See [operators.BufferAll].
func (f Flux[T]) BufferAll[S Slice[T]]() Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferAll(f.Source()))}
}

// BufferInto emits containers of size elements each, made by newContainer and filled
// by add, which reports whether the container has taken the element. One that was not
// taken is discarded and does not count. (Reactor calls it buffer, with a supplier.)
//
// See [operators.BufferInto].
func (f Flux[T]) BufferInto[C any](size int, newContainer func() C, add func(C, T) bool, opts ...BufferOption) Flux[C] {
	return Flux[C]{operators.BufferInto(f.Source(), size, newContainer, add, opts...)}
}

// BufferOther emits a slice of what has come each time other emits.
//
// See [operators.BufferOther] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferOther[S Slice[T], U any, P reactor.Publisher[U]](other P) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferOther(f.Source(), source[U](other)))}
}

// BufferFor emits a slice of what has come each time d has passed. With [OpenEvery] the
// stretches of time overlap, or have a distance.
//
// See [operators.BufferFor] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferFor[S Slice[T]](d time.Duration, opts ...BufferForOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferFor(f.Source(), d, opts...))}
}

// BufferTimeout emits slices of size elements, or of fewer when d has passed since the
// first one of them came. Without demand it fails, or waits if [FairBackpressure] says
// so.
//
// See [operators.BufferTimeout] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferTimeout[S Slice[T]](size int, d time.Duration, opts ...BufferTimeoutOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferTimeout(f.Source(), size, d, opts...))}
}

// BufferUntil emits slices that end with an element for which last reports true, or
// begin with it if [CutBefore] says so.
//
// See [operators.BufferUntil] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferUntil[S Slice[T]](last func(T) bool, opts ...BufferUntilOption) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntil(f.Source(), last, opts...))}
}

// BufferUntilChanged emits slices of neighbouring elements with the same key.
//
// See [operators.BufferUntilChanged].
func (f Flux[T]) BufferUntilChanged[S Slice[T], K comparable](key func(T) K) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntilChanged(f.Source(), key))}
}

// BufferUntilChangedFunc is [Flux.BufferUntilChanged] for keys that equal compares.
//
// See [operators.BufferUntilChangedFunc].
func (f Flux[T]) BufferUntilChangedFunc[S Slice[T], K any](key func(T) K, equal func(a, b K) bool) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferUntilChangedFunc(f.Source(), key, equal))}
}

// BufferWhile emits slices of neighbouring elements for which keep reports true.
//
// See [operators.BufferWhile].
func (f Flux[T]) BufferWhile[S Slice[T]](keep func(T) bool) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferWhile(f.Source(), keep))}
}

// BufferWhen begins a slice each time open emits and emits it when the publisher that
// closing returns for that emits or completes.
//
// See [operators.BufferWhen] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) BufferWhen[S Slice[T], U, V any, P reactor.Publisher[U], Q reactor.Publisher[V]](open P, closing func(U) Q) Flux[S] {
	return Flux[S]{operators.As[S](operators.BufferWhen(f.Source(), source[U](open), publishers[V]("bufferWhen", closing)))}
}
