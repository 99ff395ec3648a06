package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// LimitRate asks the source for high elements at a time, whatever is requested, and for more
// when three quarters of them were delivered, or as [LowTide] says.
//
//	requests:  ------ unbounded -------->
//	           LimitRate(100)
//	to f:      100 ------ 75 ------ 75 ->
//
// The first batch is asked for at the subscription. [LowTide] sets how many are asked for again
// each time as many were delivered. An element goes on at once if there is demand for it;
// others wait in a queue of high elements, and an error waits behind them. Cancelling discards
// what is queued. Signals go down on the goroutine of f or of the one that requests.
func (f Flux[T]) LimitRate[F Self[T]](high int, opts ...LimitRateOption) F {
	return wrap[F](operators.LimitRate(f.Source(), high, opts...))
}

// OnBackpressureBuffer asks the source for everything and keeps what there is no demand for:
// without bound, or with [Capacity] and one of [BufferError], [BufferDropLatest],
// [BufferDropOldest].
//
//	f:         1 - 2 - 3 - 4 - 5 |
//	           OnBackpressureBuffer()
//	demand:    1 ------------ 2 -------- 2
//	out:       1 ------------ 2 - 3 ---- 4 - 5 |
//
// A full buffer fails the stream with reactor.ErrOverflow, or does what the
// [BufferOverflowStrategy] says that is given as an option. Errors, that one as well, wait
// until what is kept was delivered; with [BufferDropLatest] or [BufferDropOldest] an error of f
// comes at once and discards it, unless somebody looks at overflows: see
// [Flux.OnBackpressureBufferFunc]. Cancelling discards it, too. Signals go down on the goroutine
// of f or of the one that requests.
func (f Flux[T]) OnBackpressureBuffer[F Self[T]](opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBuffer(f.Source(), opts...))
}

// OnBackpressureBufferFunc is [Flux.OnBackpressureBuffer] that calls onOverflow with each
// element that finds no room, or with [BufferDropOldest] has to make room, before it is discarded.
// An error of f waits then, whatever the strategy. onOverflow runs on the goroutine of f; if it
// panics, the stream fails with that.
func (f Flux[T]) OnBackpressureBufferFunc[F Self[T]](onOverflow func(T), opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBufferFunc(f.Source(), onOverflow, opts...))
}

// OnBackpressureBufferTimeout keeps up to capacity elements that there is no demand for, each
// for ttl; onEvict is called with those that are given up.
//
//	f:         1 - 2 - 3 - 4 |
//	           OnBackpressureBufferTimeout(6 steps, 8, evicted)
//	demand:    ----------- 2
//	out:       ----------- 3 - 4 |      evicted: 1, 2
//
// onEvict is called with each element whose time is up, that has to make room for a newer one,
// or that is still there at a cancellation; then it is discarded. It runs on the goroutine of
// f, of a timer or of the one that cancels, possibly on several at once; what it throws is
// reported as dropped. Timers are those of schedulers.Parallel() unless [On] names another
// scheduler; if they are refused the stream fails with reactor.ErrRejected. Errors wait until
// what is kept was delivered.
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

// OnBackpressureDropFunc is [Flux.OnBackpressureDrop] that calls onDrop with each element that
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
