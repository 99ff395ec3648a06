package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// LimitRate asks the source for high elements at a time, whatever is requested,
// and for more when three quarters of them were delivered, or as [LowTide] says.
//
// See [operators.LimitRate] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) LimitRate[F Self[T]](high int, opts ...LimitRateOption) F {
	return wrap[F](operators.LimitRate(f.Source(), high, opts...))
}

// OnBackpressureBuffer asks the source for everything and keeps what there is no
// demand for: without bound, or with [Capacity] and one of
// [BufferError], [BufferDropLatest], [BufferDropOldest].
//
// See [operators.OnBackpressureBuffer] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) OnBackpressureBuffer[F Self[T]](opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBuffer(f.Source(), opts...))
}

// OnBackpressureBufferFunc is [Flux.OnBackpressureBuffer] that calls onOverflow
// with each element for which there is no room.
//
// See [operators.OnBackpressureBufferFunc].
func (f Flux[T]) OnBackpressureBufferFunc[F Self[T]](onOverflow func(T), opts ...BackpressureBufferOption) F {
	return wrap[F](operators.OnBackpressureBufferFunc(f.Source(), onOverflow, opts...))
}

// OnBackpressureBufferTimeout keeps up to capacity elements that there is no
// demand for, each for ttl; onEvict is called with those that are given up.
//
// See [operators.OnBackpressureBufferTimeout] for demand, errors, cancellation and
// the goroutine.
func (f Flux[T]) OnBackpressureBufferTimeout[F Self[T]](ttl time.Duration, capacity int, onEvict func(T), opts ...SchedulerOption) F {
	return wrap[F](operators.OnBackpressureBufferTimeout(f.Source(), ttl, capacity, onEvict, opts...))
}

// OnBackpressureDrop discards the elements that there is no demand for.
//
// See [operators.OnBackpressureDrop].
func (f Flux[T]) OnBackpressureDrop[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureDrop(f.Source()))
}

// OnBackpressureDropFunc is [Flux.OnBackpressureDrop] that calls onDrop with each
// element that is discarded.
//
// See [operators.OnBackpressureDropFunc].
func (f Flux[T]) OnBackpressureDropFunc[F Self[T]](onDrop func(T)) F {
	return wrap[F](operators.OnBackpressureDropFunc(f.Source(), onDrop))
}

// OnBackpressureLatest keeps the newest element while there is no demand.
//
// See [operators.OnBackpressureLatest].
func (f Flux[T]) OnBackpressureLatest[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureLatest(f.Source()))
}

// OnBackpressureError fails with reactor.ErrOverflow when there is no demand for
// an element.
//
// See [operators.OnBackpressureError].
func (f Flux[T]) OnBackpressureError[F Self[T]]() F {
	return wrap[F](operators.OnBackpressureError(f.Source()))
}
