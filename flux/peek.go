package flux

import (
	"context"
	"log/slog"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// DoFirst calls fn before everything else, at subscription; of several in a chain
// the last one first.
//
// See [operators.DoFirst] for errors and the goroutine.
func (f Flux[T]) DoFirst[F Self[T]](fn func()) F {
	return wrap[F](operators.DoFirst(f.Source(), fn))
}

// DoOnSubscribe calls fn with the subscription before downstream gets it.
//
// See [operators.DoOnSubscribe] for errors and the goroutine.
func (f Flux[T]) DoOnSubscribe[F Self[T]](fn func(reactor.Subscription)) F {
	return wrap[F](operators.DoOnSubscribe(f.Source(), fn))
}

// DoOnRequest calls fn with each demand before it goes up.
//
// See [operators.DoOnRequest] for errors and the goroutine.
func (f Flux[T]) DoOnRequest[F Self[T]](fn func(n int64)) F {
	return wrap[F](operators.DoOnRequest(f.Source(), fn))
}

// DoOnNext calls fn with each element before it goes down.
//
// See [operators.DoOnNext] for errors and the goroutine.
func (f Flux[T]) DoOnNext[F Self[T]](fn func(T)) F {
	return wrap[F](operators.DoOnNext(f.Source(), fn))
}

// TryDoOnNext calls fn with each element before it goes down; the first error of
// fn ends the stream.
//
// See [operators.TryDoOnNext] for errors and the goroutine.
func (f Flux[T]) TryDoOnNext[F Self[T]](fn func(T) error) F {
	return wrap[F](operators.TryDoOnNext(f.Source(), fn))
}

// TryDoOnNextContext calls fn(ctx, v), which may wait, with each element before it goes down;
// an error of fn ends the stream.
//
//	src:  1 --- 2 --- 3 |
//	      TryDoOnNextContext(store)
//	out:  ---- 1 --- 2 --- #
//
// As [Flux.TryMapContext]. See [operators.TryDoOnNextContext].
func (f Flux[T]) TryDoOnNextContext[F Self[T]](fn func(context.Context, T) error) F {
	return wrap[F](operators.TryDoOnNextContext(f.Source(), fn))
}

// DoOnComplete calls fn before completion goes down.
//
// See [operators.DoOnComplete] for errors and the goroutine.
func (f Flux[T]) DoOnComplete[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnComplete(f.Source(), fn))
}

// DoOnError calls fn with the error before it goes down; with error filters, only
// if one of them accepts it.
//
// See [operators.DoOnError] for errors and the goroutine.
func (f Flux[T]) DoOnError[F Self[T]](fn func(error), when ...ErrorFilter) F {
	return wrap[F](operators.DoOnError(f.Source(), fn, when...))
}

// DoOnErrorAs calls fn with the error before it goes down, if it is or wraps an E.
//
// See [operators.DoOnErrorAs] for errors and the goroutine.
func (f Flux[T]) DoOnErrorAs[E error, F Self[T]](fn func(E)) F {
	return wrap[F](operators.DoOnErrorAs(f.Source(), fn))
}

// DoOnTerminate calls fn before completion or an error goes down.
//
// See [operators.DoOnTerminate] for errors and the goroutine.
func (f Flux[T]) DoOnTerminate[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnTerminate(f.Source(), fn))
}

// DoAfterTerminate calls fn after completion or an error has gone down.
//
// See [operators.DoAfterTerminate] for errors and the goroutine.
func (f Flux[T]) DoAfterTerminate[F Self[T]](fn func()) F {
	return wrap[F](operators.DoAfterTerminate(f.Source(), fn))
}

// DoOnCancel calls fn before a cancellation goes up.
//
// See [operators.DoOnCancel] for errors and the goroutine.
func (f Flux[T]) DoOnCancel[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnCancel(f.Source(), fn))
}

// DoFinally calls fn once when everything is over, with what ended it:
// completion, an error, or cancellation.
//
// See [operators.DoFinally] for errors and the goroutine.
func (f Flux[T]) DoFinally[F Self[T]](fn func(how reactor.SignalKind)) F {
	return wrap[F](operators.DoFinally(f.Source(), fn))
}

// DoOnEach calls fn with every element and with the end, as signals, before they
// go down, and with the context of the subscription.
//
// See [operators.DoOnEach] for errors and the goroutine.
func (f Flux[T]) DoOnEach[F Self[T]](fn func(context.Context, reactor.Signal[T])) F {
	return wrap[F](operators.DoOnEach(f.Source(), fn))
}

// DoOnDiscard calls fn with every element of type D that a stage above discards.
//
// See [operators.DoOnDiscard] for what that means.
func (f Flux[T]) DoOnDiscard[D any, F Self[T]](fn func(D)) F {
	return wrap[F](operators.DoOnDiscard(f.Source(), fn))
}

// Hide hides what kind of publisher this is, which keeps operators from treating
// it specially.
func (f Flux[T]) Hide[F Self[T]]() F { return wrap[F](operators.Hide(f.Source())) }

// SignalListener observes the whole life of one subscription.
//
// It has, see [operators.SignalListener]:
//
//	First func()
//	Context func(context.Context) context.Context
//	Subscription func()
//	Request func(n int64)
//	Cancel func()
//	Next func(v T)
//	Complete func()
//	Error func(err error)
//	AfterComplete func()
//	AfterError func(err error)
//	Finally func(how reactor.SignalKind)
//	MalformedNext func(v T)
//	MalformedComplete func()
//	MalformedError func(err error)
//	Failed func(err error)
type SignalListener[T any] = operators.SignalListener[T]

// Tap observes the stream with a listener that listen makes for each subscription.
//
// See [operators.Tap] for errors and the goroutines.
func (f Flux[T]) Tap[F Self[T]](listen func(context.Context) *SignalListener[T]) F {
	return wrap[F](operators.Tap(f.Source(), listen))
}

// LogOption is an option of [Flux.Log].
type LogOption = operators.LogOption

// LogCategory sets the attribute that tells the streams of a program apart.
func LogCategory(name string) LogOption { return operators.LogCategory(name) }

// LogLevel sets the level of the records, errors excepted.
func LogLevel(level slog.Level) LogOption { return operators.LogLevel(level) }

// LogSignals chooses what is logged.
func LogSignals(kinds ...reactor.SignalKind) LogOption { return operators.LogSignals(kinds...) }

// LogOperatorLine adds the attribute "at" to the records: file and line where the stream was given
// this Log.
func LogOperatorLine() LogOption { return operators.LogOperatorLine() }

// LogTo sets the logger, which is slog.Default() otherwise.
func LogTo(logger *slog.Logger) LogOption { return operators.LogTo(logger) }

// Log logs the signals that pass here.
//
// See [operators.Log] for the records.
func (f Flux[T]) Log[F Self[T]](opts ...LogOption) F {
	return wrap[F](operators.Log(f.Source(), opts...))
}

// Name gives the stream a name, for those who observe it.
//
// See [operators.LabelsOf].
func (f Flux[T]) Name[F Self[T]](name string) F { return wrap[F](operators.Name(f.Source(), name)) }

// Tag adds a key with a value, for those who observe the stream.
//
// See [operators.LabelsOf].
func (f Flux[T]) Tag[F Self[T]](key, value string) F {
	return wrap[F](operators.Tag(f.Source(), key, value))
}
