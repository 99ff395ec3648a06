package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// FirstWithSignal emits the signals of the source that is the first to send an element or to end:
// the winner.
//
//	a:    ----- 1 --- 2 |
//	b:    -- 8 --- 9 |
//	      FirstWithSignal(a, b)
//	out:  -- 8 --- 9 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends is
// discarded or reported as dropped. Signals come on the goroutine of the winner.
func FirstWithSignal[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.FirstWithSignal(sources...)}
}

// FirstWithSignalSlice is FirstWithSignal for a slice of publishers of one type, such as []Flux[T].
//
// Demand, errors, cancellation and goroutines are those of [FirstWithSignal].
func FirstWithSignalSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.FirstWithSignal(sourcesOf[T](sources)...)}
}

// FirstWithValue emits the signals of the source that is the first to send an element: the winner.
//
//	a:    #
//	b:    -- |
//	c:    ----- 8 --- 9 |
//	      FirstWithValue(a, b, c)
//	out:  ----- 8 --- 9 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends
// is discarded. A source that fails or completes before it has sent an element has lost; if all
// sources do, the stream fails with reactor.ErrNoElements and with what became of each source,
// in order. Without sources the stream is empty; a single source is passed on as it is. Signals
// come on the goroutine of the winner.
func FirstWithValue[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.FirstWithValue(sources...)}
}

// FirstWithValueSlice is FirstWithValue for a slice of publishers of one type, such as []Flux[T].
//
// Demand, errors, cancellation and goroutines are those of [FirstWithValue].
func FirstWithValueSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.FirstWithValue(sourcesOf[T](sources)...)}
}

// Or emits the signals of f or of other, whichever is the first to send an element or to end.
//
//	f:      ----- 1 --- 2 |
//	other:  -- 8 --- 9 |
//	        Or(other)
//	out:    -- 8 --- 9 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends is
// discarded or reported as dropped. Signals come on the goroutine of the winner.
func (f Flux[T]) Or[F Self[T]](other reactor.Publisher[T]) F {
	return wrap[F](operators.Or(f.Source(), other))
}
