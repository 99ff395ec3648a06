package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Window splits the elements into streams of size elements each; with [Stride] these streams
// overlap, or leave elements out.
//
// A window is a stream that can be subscribed once; it keeps its elements until they are
// requested. If the stream of windows is cancelled, or a stage below it fails, the open windows
// go on.
//
//	f:    1 --- 2 --- 3 --- 4 --- 5 |
//	      Window(2)
//	out:  a --------- b --------- c |
//	a:    1 --- 2|
//	b:                3 --- 4|
//	c:                            5 |
//
// With [Stride] a window begins at every n-th element. If n is larger than size, the elements
// in between are discarded; if it is smaller, the windows overlap, and an element goes to each
// that is open:
//
//	      Window(2, Stride(1))
//	a:    1 --- 2|
//	b:          2 --- 3|
//
// # Windows
//
// This holds for the windows of all operators of this family. A window can be subscribed once.
// It keeps its elements, without bound, until its subscriber requests them; a cancelled window
// discards the elements that it holds and those that come. When f completes, the open windows
// complete, and then the stream of windows does; when f fails, all of them get the error. If
// the stream of windows is cancelled, no more windows are opened, the open windows go on, and f
// is cancelled with the last of them. A window that nobody ever subscribes to holds its
// elements until the window is garbage.
//
// The elements of a window come on the goroutine of f or on the one that requests from the
// window.
//
// # Demand
//
// A request for n windows asks f for the elements that fill them, whatever is requested from
// the windows. Windows come on the goroutine of f; overlapping windows that had to wait for
// demand come on the goroutine that requests. A size ≤ 0 panics.
func (f Flux[T]) Window[W Self[T]](size int, opts ...WindowOption) Flux[W] {
	return Flux[W]{operators.Window(f.Source(), size, wrap[W, T], opts...)}
}

// WindowOther splits the elements into streams: each has the elements that come between two
// elements of other.
//
//	f:      1 - 2 - 3 - 4 - 5 |
//	other:  ----- x ----- x
//	        WindowOther(other)
//	out:    a --- b ----- c --|
//	a:      1 - 2 |
//	b:            - 3 - 4 |
//	c:                    - 5 |
//
// Windows may be empty. It asks f and other for everything; a window without demand fails the
// stream with reactor.ErrOverflow, after the window before it has completed. The completion of
// other completes the open window and the stream and cancels f. An error of f or of other ends
// everything, and overtakes elements that wait for another goroutine to deliver them. other is
// subscribed before f, and cancelled with it. Windows come on the goroutine of other; the first
// one comes on the goroutine that subscribes.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowOther[U any, W Self[T]](other reactor.Publisher[U]) Flux[W] {
	return Flux[W]{operators.WindowOther(f.Source(), other, wrap[W, T])}
}

// WindowFor splits the elements into streams: each has the elements that come within d. With
// [OpenEvery] these streams overlap, or leave elements out.
//
//	f:    1 - 2 - 3 - 4 - 5 |
//	      WindowFor(7 steps)
//	out:  a ---- b ---- c --|
//	a:    1 - 2 -|
//	b:           3 - 4 -|
//	c:                  5 --|
//
// See [Flux.WindowOther] for demand, errors and cancellation; here the time sets the boundaries.
// With [OpenEvery] a window of length d begins each time that option says, the first one at once,
// so that windows overlap or the elements between them are discarded; see [Flux.WindowWhen].
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if they are
// refused, the stream fails with reactor.ErrRejected. A duration ≤ 0 panics.
func (f Flux[T]) WindowFor[W Self[T]](d time.Duration, opts ...WindowForOption) Flux[W] {
	return Flux[W]{operators.WindowFor(f.Source(), d, wrap[W, T], opts...)}
}

// WindowWhen opens a window for each element of open, and closes it when the publisher that
// closing returns for that element emits or completes.
//
//	f:     1 - 2 - 3 - 4 - 5 - 6 |
//	open:  - x ------- y --------
//	       WindowWhen(open, 6 steps later)
//	a:       - 2 - 3 - |
//	b:                 - 5 - 6 - |
//
// Windows overlap if several are open at a time, and an element goes to each of them; elements that
// come while none is open are discarded. It asks f, open and the closing publishers for everything;
// a window without demand fails the stream with reactor.ErrOverflow, and a panic of closing fails
// it with the error of the panic; in both cases the open windows go on. When f or open completes,
// the open windows and the stream complete, and the other of the two is cancelled. An error of any
// publisher ends everything. open is subscribed before f. Windows come, and closing runs, on the
// goroutine of open.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowWhen[U, V any, P reactor.Publisher[V], W Self[T]](open reactor.Publisher[U], closing func(U) P, opts ...WindowWhenOption) Flux[W] {
	return Flux[W]{operators.WindowWhen(f.Source(), open, publishers[V]("windowWhen", closing), wrap[W, T], opts...)}
}

// WindowUntil splits the elements into streams that end with an element for which last reports
// true; with [CutBefore] the streams begin with such an element.
//
// Every window has to be read or cancelled: all of them share one prefetch of 256 elements, or
// as many as [Prefetch] says.
//
//	f:    1 --- 2 --- 3 --- 4 --- 5 |
//	      WindowUntil(even)
//	out:  a --------- b --------- c |
//	a:    1 --- 2|
//	b:                3 --- 4|
//	c:                            5 |
//
// With [CutBefore] the windows begin with such an element instead; if it is the first element of f,
// an empty window comes before it:
//
//	      WindowUntil(even, CutBefore())
//	out:  a --- b --------- c ------|
//	a:    1 ----|
//	b:          2 --- 3 ----|
//	c:                      4 --- 5 |
//
// # Demand
//
// All windows share one prefetch: f is asked for 256 elements ([Prefetch]) whatever the demand is,
// and for more when elements have been delivered from their window, or discarded. A window is
// emitted with its first element; without demand it waits, together with the elements that follow.
// So windows that nobody reads use the prefetch up, and then everything stands still: read every
// window, or cancel it. A cancelled window takes the elements up to its end, and discards them; an
// f that emits on request emits them during that cancellation. Where the end of the window may be
// far away, cancel the stream of windows before the window, as [Flux.FlatMap] does: then nothing
// more is taken. [Flux.ConcatMap] and [Flux.SwitchMap], like those of Project Reactor, cancel in
// the other order.
//
// An error of f, or a panic of last, fails the open window and the stream. The open window still
// delivers its elements before the error; the stream fails at once, and windows that wait for
// demand are discarded with their elements. last runs on the goroutine of f. Windows come on the
// goroutine of f or on the one that requests.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowUntil[W Self[T]](last func(T) bool, opts ...WindowUntilOption) Flux[W] {
	return Flux[W]{operators.WindowUntil(f.Source(), last, wrap[W, T], opts...)}
}

// WindowWhile splits the elements into streams of neighbours for which keep reports true, and
// discards the elements in between. All windows share one prefetch, see [Flux.WindowUntil].
//
//	f:    1 --- 3 --- 4 --- 5 --- 7 |
//	      WindowWhile(odd)
//	out:  a --------------- b ------|
//	a:    1 --- 3 ----|
//	b:                      5 --- 7 |
//
// There is an empty window before each boundary that directly follows another boundary, or that is
// the first element.
//
// See [Flux.WindowUntil] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) WindowWhile[W Self[T]](keep func(T) bool, opts ...WindowWhileOption) Flux[W] {
	return Flux[W]{operators.WindowWhile(f.Source(), keep, wrap[W, T], opts...)}
}

// WindowUntilChanged splits the elements into streams of neighbours with the same key. All
// windows share one prefetch, see [Flux.WindowUntil].
//
//	f:    a --- a --- b --- a |
//	      WindowUntilChanged(identity)
//	out:  w --------- x --- y |
//	w:    a --- a ----|
//	x:                b ----|
//	y:                      a |
//
// A panic of key ends everything. See [Flux.WindowUntil] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) WindowUntilChanged[K comparable, W Self[T]](key func(T) K) Flux[W] {
	return Flux[W]{operators.WindowUntilChanged(f.Source(), key, wrap[W, T])}
}

// WindowUntilChangedFunc is [Flux.WindowUntilChanged] for keys that equal compares.
func (f Flux[T]) WindowUntilChangedFunc[K any, W Self[T]](key func(T) K, equal func(a, b K) bool) Flux[W] {
	return Flux[W]{operators.WindowUntilChangedFunc(f.Source(), key, equal, wrap[W, T])}
}

// WindowTimeout splits the elements into streams of size elements each; a stream has fewer if d
// passes before. With [FairBackpressure] a window waits for demand; without it a window without
// demand fails the stream.
//
//	f:    1 - 2 - 3 - 4 ------- 5 - |
//	      WindowTimeout(3, 10 steps)
//	out:  a ----- b ------- c ------|
//	a:    1 - 2 - 3|
//	b:              4 ----- |
//	c:                      - 5 ----|
//
// The first window is emitted at once, and each further window when the one before is full or its
// time is over. A window may be empty. Its time starts when it opens.
//
// f is asked for everything; a window without demand fails the stream with reactor.ErrOverflow,
// after the window before it has completed. With [FairBackpressure] windows wait instead. An
// error of f comes behind the elements before it. Windows come on the goroutine of f or of the
// timer, which is one of schedulers.Parallel() unless [On] names another scheduler; if the
// timer is refused, everything ends with reactor.ErrRejected. A size or duration ≤ 0 panics.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowTimeout[W Self[T]](size int, d time.Duration, opts ...WindowTimeoutOption) Flux[W] {
	return Flux[W]{operators.WindowTimeout(f.Source(), size, d, wrap[W, T], opts...)}
}
