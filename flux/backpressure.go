package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// LimitRate asks the source for high elements, whatever is requested, and for more when three
// quarters of them were delivered, or as [LowTide] says.
//
//	requests:  ------ unbounded -------->
//	           LimitRate(100)
//	to f:      100 ------ 75 ------ 75 ->
//
// The first batch is asked for at the subscription. After that it asks for another three
// quarters of high each time as many were delivered; [LowTide] sets another number. An element
// goes on at once if there is demand for it; other elements wait in a queue of high elements,
// and an error waits behind them. Cancelling discards the queue. Signals go down on the
// goroutine of f or of the one that requests.
func (f Flux[T]) LimitRate[F Self[T]](high int, opts ...LimitRateOption) F {
	return wrap[F](operators.LimitRate(f.Source(), high, opts...))
}

// OnBackpressureBuffer asks the source for everything and keeps the elements that there is no
// demand for: without bound, or with [Capacity] and one of [BufferError], [BufferDropLatest],
// [BufferDropOldest].
//
//	f:         1 - 2 - 3 - 4 - 5 |
//	           OnBackpressureBuffer()
//	demand:    1 ------------ 2 -------- 2
//	out:       1 ------------ 2 - 3 ---- 4 - 5 |
//
// An element that comes to a full buffer fails the stream with reactor.ErrOverflow; a
// [BufferOverflowStrategy] given as an option decides otherwise. Errors, reactor.ErrOverflow
// included, wait until the buffer was delivered. But with [BufferDropLatest] or [BufferDropOldest]
// an error of f comes at once and discards the buffer, unless [Flux.OnBackpressureBufferFunc] is
// used. Cancelling discards the buffer. Signals go down on the goroutine of f or of the one that
// requests.
func (f Flux[T]) OnBackpressureBuffer[F Self[T]](opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBuffer(f.Source(), opts...))
}

// OnBackpressureBufferFunc is [Flux.OnBackpressureBuffer], and calls onOverflow with each element
// that finds no room, or that has to make room under [BufferDropOldest], before it is discarded. An
// error of f waits until the buffer was delivered, whatever the strategy. onOverflow runs on the
// goroutine of f; its panic fails the stream.
func (f Flux[T]) OnBackpressureBufferFunc[F Self[T]](onOverflow func(T), opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBufferFunc(f.Source(), onOverflow, opts...))
}

// OnBackpressureBufferTimeout keeps up to capacity elements that there is no demand for, each
// for ttl; onEvict is called with each element that is given up.
//
//	f:         1 - 2 - 3 - 4 |
//	           OnBackpressureBufferTimeout(6 steps, 8, evicted)
//	demand:    ----------- 2
//	out:       ----------- 3 - 4 |      evicted: 1, 2
//
// An element is given up when its time is over, when it has to make room for a newer one, or
// when it is still there at a cancellation: onEvict is called with it, and then it is
// discarded. onEvict runs on the goroutine of f, of a timer or of the caller that cancels,
// possibly on several at once; its panic is reported as dropped. Timers are those of
// schedulers.Parallel() unless [On] names another scheduler; if they are refused the stream
// fails with reactor.ErrRejected. Errors wait until the elements that are kept were delivered.
func (f Flux[T]) OnBackpressureBufferTimeout[F Self[T]](ttl time.Duration, capacity int, onEvict func(T), opts ...SchedulerOption) F {
	return wrap[F](operators.OnBackpressureBufferTimeout(f.Source(), ttl, capacity, onEvict, opts...))
}

// OnBackpressureDrop discards the elements that there is no demand for.
//
//	f:         1 - 2 - 3 - 4 |
//	           OnBackpressureDrop()
//	demand:    1 ------- 1
//	out:       1 --------- 4 |
//
// Everything happens on the goroutine of f.
func (f Flux[T]) OnBackpressureDrop[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureDrop(f.Source()))
}

// OnBackpressureDropFunc is [Flux.OnBackpressureDrop], and calls onDrop with each element that
// is discarded.
func (f Flux[T]) OnBackpressureDropFunc[F Self[T]](onDrop func(T)) F {
	return wrap[F](operators.OnBackpressureDropFunc(f.Source(), onDrop))
}

// OnBackpressureLatest keeps the newest element while there is no demand.
//
//	f:         1 - 2 - 3 - 4 |
//	           OnBackpressureLatest()
//	demand:    1 ------- 1 ------ 1
//	out:       1 ------- 3 ------ 4 |
//
// An error discards the element that is kept; completion waits for it. Signals go down on the
// goroutine of f or of the one that requests.
func (f Flux[T]) OnBackpressureLatest[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureLatest(f.Source()))
}

// OnBackpressureError fails with reactor.ErrOverflow when there is no demand for an element.
//
//	f:         1 - 2 - 3 - 4 |
//	           OnBackpressureError()
//	demand:    2
//	out:       1 - 2 - #
//
// Everything happens on the goroutine of f.
func (f Flux[T]) OnBackpressureError[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureError(f.Source()))
}
