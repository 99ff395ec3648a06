package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Window splits the elements into streams of size elements each; with [Stride] they
// overlap, or leave elements out.
//
// Windows are streams that can be subscribed once; each keeps what it has got until it
// is requested. If the stream of windows is cancelled, those that are open go on.
//
// See [operators.Window] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Window[W Self[T]](size int, opts ...WindowOption) Flux[W] {
	return Flux[W]{operators.Window(f.Source(), size, wrap[W, T], opts...)}
}

// WindowOther splits the elements into streams of what comes between two elements of
// other.
//
// See [operators.WindowOther] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowOther[W Self[T], U any, P reactor.Publisher[U]](other P) Flux[W] {
	return Flux[W]{operators.WindowOther(f.Source(), source[U](other), wrap[W, T])}
}

// WindowFor splits the elements into streams of what comes within d; with [OpenEvery]
// they overlap, or leave elements out.
//
// See [operators.WindowFor] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowFor[W Self[T]](d time.Duration, opts ...WindowForOption) Flux[W] {
	return Flux[W]{operators.WindowFor(f.Source(), d, wrap[W, T], opts...)}
}

// WindowWhen opens a window for each element of open, and closes it when the publisher
// that closing returns for that element emits or completes.
//
// See [operators.WindowWhen] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowWhen[W Self[T], U, V any, P reactor.Publisher[U], Q reactor.Publisher[V]](open P, closing func(U) Q, opts ...WindowWhenOption) Flux[W] {
	return Flux[W]{operators.WindowWhen(f.Source(), source[U](open), publishers[V]("windowWhen", closing), wrap[W, T], opts...)}
}

// WindowUntil splits the elements into streams that end with an element for which last
// reports true; with [CutBefore] they begin with it.
//
// Every window has to be read or cancelled: all of them live on one supply of 256
// elements, or as many as [Prefetch] says.
//
// See [operators.WindowUntil] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowUntil[W Self[T]](last func(T) bool, opts ...WindowUntilOption) Flux[W] {
	return Flux[W]{operators.WindowUntil(f.Source(), last, wrap[W, T], opts...)}
}

// WindowWhile splits the elements into streams of neighbours for which keep reports
// true, and discards those in between. All windows live on one supply, see
// [Flux.WindowUntil].
//
// See [operators.WindowWhile].
func (f Flux[T]) WindowWhile[W Self[T]](keep func(T) bool, opts ...WindowWhileOption) Flux[W] {
	return Flux[W]{operators.WindowWhile(f.Source(), keep, wrap[W, T], opts...)}
}

// WindowUntilChanged splits the elements into streams of neighbours with the same key.
// All windows live on one supply, see [Flux.WindowUntil].
//
// See [operators.WindowUntilChanged].
func (f Flux[T]) WindowUntilChanged[W Self[T], K comparable](key func(T) K) Flux[W] {
	return Flux[W]{operators.WindowUntilChanged(f.Source(), key, wrap[W, T])}
}

// WindowUntilChangedFunc is [Flux.WindowUntilChanged] for keys that equal compares.
//
// See [operators.WindowUntilChangedFunc].
func (f Flux[T]) WindowUntilChangedFunc[W Self[T], K any](key func(T) K, equal func(a, b K) bool) Flux[W] {
	return Flux[W]{operators.WindowUntilChangedFunc(f.Source(), key, equal, wrap[W, T])}
}

// WindowTimeout splits the elements into streams of size elements, or of what has come
// within d. With [FairBackpressure] windows wait for demand, without it they fail when
// there is none.
//
// See [operators.WindowTimeout] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowTimeout[W Self[T]](size int, d time.Duration, opts ...WindowTimeoutOption) Flux[W] {
	return Flux[W]{operators.WindowTimeout(f.Source(), size, d, wrap[W, T], opts...)}
}
