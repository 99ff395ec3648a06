package mono

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
func (m Mono[T]) DoFirst[M Self[T]](fn func()) M {
	return wrap[M](operators.DoFirst(m.Source(), fn))
}

// DoOnSubscribe calls fn with the subscription before downstream gets it.
//
// See [operators.DoOnSubscribe] for errors and the goroutine.
func (m Mono[T]) DoOnSubscribe[M Self[T]](fn func(reactor.Subscription)) M {
	return wrap[M](operators.DoOnSubscribe(m.Source(), fn))
}

// DoOnRequest calls fn with each demand before it goes up.
//
// See [operators.DoOnRequest] for errors and the goroutine.
func (m Mono[T]) DoOnRequest[M Self[T]](fn func(n int64)) M {
	return wrap[M](operators.DoOnRequest(m.Source(), fn))
}

// DoOnNext calls fn with the element before it goes down.
//
// See [operators.DoOnNext] for errors and the goroutine.
func (m Mono[T]) DoOnNext[M Self[T]](fn func(T)) M {
	return wrap[M](operators.DoOnNext(m.Source(), fn))
}

// TryDoOnNext calls fn with the element before it goes down; an error of fn takes
// its place.
//
// See [operators.TryDoOnNext] for errors and the goroutine.
func (m Mono[T]) TryDoOnNext[M Self[T]](fn func(T) error) M {
	return wrap[M](operators.TryDoOnNext(m.Source(), fn))
}

// TryDoOnNextContext calls fn(ctx, v), which may wait, with the element before it goes down;
// an error of fn ends the stream.
//
//	src:  1 --- 2 --- 3 |
//	      TryDoOnNextContext(store)
//	out:  ---- 1 --- 2 --- #
//
// As [Mono.TryMapContext]. See [operators.TryDoOnNextContext].
func (m Mono[T]) TryDoOnNextContext[M Self[T]](fn func(context.Context, T) error) M {
	return wrap[M](operators.TryDoOnNextContext(m.Source(), fn))
}

// DoOnSuccess calls fn when the Mono succeeds: with the element and true before it
// goes down, or with false if it is empty.
//
// See [operators.DoOnSuccess] for errors and the goroutine.
func (m Mono[T]) DoOnSuccess[M Self[T]](fn func(v T, ok bool)) M {
	return wrap[M](operators.DoOnSuccess(m.Source(), fn))
}

// DoOnError calls fn with the error before it goes down; with error filters, only
// if one of them accepts it.
//
// See [operators.MonoDoOnError] for errors and the goroutine.
func (m Mono[T]) DoOnError[M Self[T]](fn func(error), when ...ErrorFilter) M {
	return wrap[M](operators.MonoDoOnError(m.Source(), fn, when...))
}

// DoOnErrorAs calls fn with the error before it goes down, if it is or wraps an E.
//
// See [operators.DoOnErrorAs] for errors and the goroutine.
func (m Mono[T]) DoOnErrorAs[E error, M Self[T]](fn func(E)) M {
	return wrap[M](operators.DoOnErrorAs(m.Source(), fn))
}

// DoOnTerminate calls fn before the element, an empty completion or an error goes
// down.
//
// See [operators.MonoDoOnTerminate] for errors and the goroutine.
func (m Mono[T]) DoOnTerminate[M Self[T]](fn func()) M {
	return wrap[M](operators.MonoDoOnTerminate(m.Source(), fn))
}

// DoAfterTerminate calls fn after the element, an empty completion or an error has
// gone down.
//
// See [operators.MonoDoAfterTerminate] for errors and the goroutine.
func (m Mono[T]) DoAfterTerminate[M Self[T]](fn func()) M {
	return wrap[M](operators.MonoDoAfterTerminate(m.Source(), fn))
}

// DoOnCancel calls fn before a cancellation goes up.
//
// See [operators.DoOnCancel] for errors and the goroutine.
func (m Mono[T]) DoOnCancel[M Self[T]](fn func()) M {
	return wrap[M](operators.DoOnCancel(m.Source(), fn))
}

// DoFinally calls fn once when everything is over, with what ended it:
// completion, an error, or cancellation.
//
// See [operators.DoFinally] for errors and the goroutine.
func (m Mono[T]) DoFinally[M Self[T]](fn func(how reactor.SignalKind)) M {
	return wrap[M](operators.DoFinally(m.Source(), fn))
}

// DoOnEach calls fn with the element and with the end, as signals, before they go
// down, and with the context of the subscription.
//
// See [operators.MonoDoOnEach] for errors and the goroutine.
func (m Mono[T]) DoOnEach[M Self[T]](fn func(context.Context, reactor.Signal[T])) M {
	return wrap[M](operators.MonoDoOnEach(m.Source(), fn))
}

// DoOnDiscard calls fn with every element of type D that a stage above discards.
//
// See [operators.DoOnDiscard] for what that means.
func (m Mono[T]) DoOnDiscard[D any, M Self[T]](fn func(D)) M {
	return wrap[M](operators.DoOnDiscard(m.Source(), fn))
}

// Hide hides what kind of publisher this is, which keeps operators from treating
// it specially.
func (m Mono[T]) Hide[M Self[T]]() M { return wrap[M](operators.Hide(m.Source())) }

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
func (m Mono[T]) Tap[M Self[T]](listen func(context.Context) *SignalListener[T]) M {
	return wrap[M](operators.Tap(m.Source(), listen))
}

// LogOption is an option of [Mono.Log].
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
func (m Mono[T]) Log[M Self[T]](opts ...LogOption) M {
	return wrap[M](operators.Log(m.Source(), opts...))
}

// Name gives the stream a name, for those who observe it.
//
// See [operators.LabelsOf].
func (m Mono[T]) Name[M Self[T]](name string) M { return wrap[M](operators.Name(m.Source(), name)) }

// Tag adds a key with a value, for those who observe the stream.
//
// See [operators.LabelsOf].
func (m Mono[T]) Tag[M Self[T]](key, value string) M {
	return wrap[M](operators.Tag(m.Source(), key, value))
}
