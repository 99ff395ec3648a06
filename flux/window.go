package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Window splits the elements into streams of size elements each; with [Stride] they overlap, or
// leave elements out.
//
// Windows are streams that can be subscribed once; each keeps what it has got until it is
// requested. If the stream of windows is cancelled, or a stage below it fails, those that are
// open go on.
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
// It keeps what it has got, without bound, until its subscriber requests it; one that is
// cancelled discards what it holds and what comes. When f completes, the open windows complete
// and then the stream; when it fails, both get the error. If the stream of windows is
// cancelled, no more windows are opened, those that are open go on, and f is cancelled with the
// last one. A window that nobody ever subscribes to holds its elements until it is garbage.
//
// The elements of a window come on the goroutine of f or on the one that requests from the
// window.
//
// # Demand
//
// A request for n windows asks f for the elements that fill them, whatever is requested from
// the windows. Windows come on the goroutine of f, overlapping ones that had to wait for demand
// on the one that requests. A size ≤ 0 panics.
func (f Flux[T]) Window[W Self[T]](size int, opts ...WindowOption) Flux[W] {
	return Flux[W]{operators.Window(f.Source(), size, wrap[W, T], opts...)}
}

// WindowOther splits the elements into streams of what comes between two elements of other.
//
//	f:      1 - 2 - 3 - 4 - 5 |
//	other:  ----- x ----- x
//	        WindowOther(other)
//	out:    a --- b ----- c --|
//	a:      1 - 2 |
//	b:            - 3 - 4 |
//	c:                    - 5 |
//
// Windows may be empty. It asks f and other for everything; a window that finds no demand fails
// the stream with reactor.ErrOverflow, and the window before it has completed then. The
// completion of other completes the open window and the stream and cancels f; an error of
// either of them ends all and overtakes elements that wait for another goroutine to deliver
// them. other is subscribed before f, and cancelled with it. Windows come on the goroutine of
// other, the first one on that of the subscription.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowOther[U any, W Self[T]](other reactor.Publisher[U]) Flux[W] {
	return Flux[W]{operators.WindowOther(f.Source(), other, wrap[W, T])}
}

// WindowFor splits the elements into streams of what comes within d; with [OpenEvery] they
// overlap, or leave elements out.
//
//	f:    1 - 2 - 3 - 4 - 5 |
//	      WindowFor(7 steps)
//	out:  a ---- b ---- c --|
//	a:    1 - 2 -|
//	b:           3 - 4 -|
//	c:                  5 --|
//
// See [Flux.WindowOther] for demand, errors and cancellation: here the boundaries are set by
// time. With [OpenEvery] a window of this length begins every so often, at once for the first
// time, so that windows overlap or elements in between are discarded; see [Flux.WindowWhen].
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
// Windows overlap if several are open at a time, and an element goes to each of them; elements
// that come while none is open are discarded. It asks f, open and the closing publishers for
// everything; a window that finds no demand fails the stream with reactor.ErrOverflow, and a panic
// of closing with that; the open windows go on then. When f or open completes, the open windows and the stream complete,
// and the other of the two is cancelled. An error of any publisher ends all. open is subscribed
// before f. Windows come on the goroutine of open, where closing runs, too.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowWhen[U, V any, P reactor.Publisher[V], W Self[T]](open reactor.Publisher[U], closing func(U) P, opts ...WindowWhenOption) Flux[W] {
	return Flux[W]{operators.WindowWhen(f.Source(), open, publishers[V]("windowWhen", closing), wrap[W, T], opts...)}
}

// WindowUntil splits the elements into streams that end with an element for which last reports
// true; with [CutBefore] they begin with it.
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
// With [CutBefore] they begin with such an element instead; if it is the first of all, an empty
// window comes before it:
//
//	      WindowUntil(even, CutBefore())
//	out:  a --- b --------- c ------|
//	a:    1 ----|
//	b:          2 --- 3 ----|
//	c:                      4 --- 5 |
//
// # Demand
//
// All windows share one prefetch: f is asked for 256 elements ([Prefetch]) whatever the demand
// is, and for others when elements have been delivered from their window, or discarded. A
// window comes with its first element, or waits for demand with those that follow. So windows
// that nobody reads use the prefetch up, and then everything stands still: read every window, or
// cancel it. A window that is cancelled takes the elements up to its end, and discards them; a
// f that emits when asked does so during that cancellation. Where the end may be far, cancel
// the stream of windows before the window, as [Flux.FlatMap] does: then nothing more is taken.
// [Flux.ConcatMap] and [Flux.SwitchMap], like those of Project Reactor, do it the other way
// round.
//
// An error of f, or a panic of last, fails the open window, whose elements are still delivered
// before, and the stream at once; windows that wait for demand are discarded with their
// elements. last runs on the goroutine of f, where windows come, too, or on the one that
// requests.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowUntil[W Self[T]](last func(T) bool, opts ...WindowUntilOption) Flux[W] {
	return Flux[W]{operators.WindowUntil(f.Source(), last, wrap[W, T], opts...)}
}

// WindowWhile splits the elements into streams of neighbours for which keep reports true, and
// discards those in between. All windows share one prefetch, see [Flux.WindowUntil].
//
//	f:    1 --- 3 --- 4 --- 5 --- 7 |
//	      WindowWhile(odd)
//	out:  a --------------- b ------|
//	a:    1 --- 3 ----|
//	b:                      5 --- 7 |
//
// There is an empty window before each boundary that follows another one, or that is the first
// element.
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
// A panic of key ends all. See [Flux.WindowUntil] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) WindowUntilChanged[K comparable, W Self[T]](key func(T) K) Flux[W] {
	return Flux[W]{operators.WindowUntilChanged(f.Source(), key, wrap[W, T])}
}

// WindowUntilChangedFunc is [Flux.WindowUntilChanged] for keys that equal compares.
func (f Flux[T]) WindowUntilChangedFunc[K any, W Self[T]](key func(T) K, equal func(a, b K) bool) Flux[W] {
	return Flux[W]{operators.WindowUntilChangedFunc(f.Source(), key, equal, wrap[W, T])}
}

// WindowTimeout splits the elements into streams of size elements, or of what has come within
// d. With [FairBackpressure] windows wait for demand, without it they fail when there is none.
//
//	f:    1 - 2 - 3 - 4 ------- 5 - |
//	      WindowTimeout(3, 10 steps)
//	out:  a ----- b ------- c ------|
//	a:    1 - 2 - 3|
//	b:              4 ----- |
//	c:                      - 5 ----|
//
// The first window is emitted at once, each further one when the one before is full or its time
// is over; it may be empty. The time begins with the window.
//
// f is asked for everything; a window that finds no demand fails the stream with
// reactor.ErrOverflow, and the window before it has completed then. With [FairBackpressure]
// windows wait instead. An error of f comes behind the elements before it. Windows come on the
// goroutine of f or of the timer, which is one of schedulers.Parallel() unless [On] names
// another scheduler; if it is refused, all ends with reactor.ErrRejected. A size or duration ≤
// 0 panics.
//
// See [Flux.Window] for what all windows have in common.
func (f Flux[T]) WindowTimeout[W Self[T]](size int, d time.Duration, opts ...WindowTimeoutOption) Flux[W] {
	return Flux[W]{operators.WindowTimeout(f.Source(), size, d, wrap[W, T], opts...)}
}
