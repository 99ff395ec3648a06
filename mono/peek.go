package mono

import (
	"context"
	"log/slog"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/operators"
)

// DoFirst calls fn at subscription, before everything else. Of several DoFirst in a chain the last
// one runs first.
//
// If fn panics, m is not subscribed to and the stream fails. fn runs on the goroutine that
// subscribes.
func (m Mono[T]) DoFirst[M Self[T]](fn func()) M {
	return wrap[M](operators.DoFirst(m.Source(), fn))
}

// DoOnSubscribe calls fn with the subscription before downstream gets it.
//
// A panic of fn cancels m and ends the stream. Requests that fn makes add to those of
// downstream. fn runs on the goroutine of m.
func (m Mono[T]) DoOnSubscribe[M Self[T]](fn func(reactor.Subscription)) M {
	return wrap[M](operators.DoOnSubscribe(m.Source(), fn))
}

// DoOnRequest calls fn with each demand before it goes up.
//
// A panic of fn is reported as a dropped error; the request goes on all the same. fn runs on
// the goroutine that requests; calls may overlap.
func (m Mono[T]) DoOnRequest[M Self[T]](fn func(n int64)) M {
	return wrap[M](operators.DoOnRequest(m.Source(), fn))
}

// DoOnNext calls fn with the element before it goes down.
//
// Demand passes through. A panic of fn cancels m and ends the stream. fn runs on the goroutine
// of m.
func (m Mono[T]) DoOnNext[M Self[T]](fn func(T)) M {
	return wrap[M](operators.DoOnNext(m.Source(), fn))
}

// TryDoOnNext calls fn with the element before it goes down; an error of fn ends the stream.
//
// Demand passes through. An error or a panic of fn cancels m and discards the element. fn runs
// on the goroutine of m.
func (m Mono[T]) TryDoOnNext[M Self[T]](fn func(T) error) M {
	return wrap[M](operators.TryDoOnNext(m.Source(), fn))
}

// TryDoOnNextContext calls fn(ctx, v), which may wait, with the element before it goes down; an
// error of fn ends the stream.
//
// The context, demand, the goroutine, and what becomes of errors and of cancelled calls are as
// with [Mono.TryMapContext].
func (m Mono[T]) TryDoOnNextContext[M Self[T]](fn func(context.Context, T) error) M {
	return wrap[M](operators.TryDoOnNextContext(m.Source(), fn))
}

// DoOnSuccess calls fn when the Mono succeeds: with the element and true before it goes down,
// or with false if it is empty.
//
//	m:    --- 1 |
//	      DoOnSuccess(fn)
//	out:  --- 1 |          fn(1, true)
//
// Demand passes through. A panic of fn cancels m and ends the stream. fn runs on the goroutine
// of m.
func (m Mono[T]) DoOnSuccess[M Self[T]](fn func(v T, ok bool)) M {
	return wrap[M](operators.DoOnSuccess(m.Source(), fn))
}

// DoOnError calls fn with the error before it goes down; with error filters, only if one of
// them accepts it.
//
//	m:    --- #
//	      DoOnError(fn)
//	out:  --- #          fn(err)
func (m Mono[T]) DoOnError[M Self[T]](fn func(error), when ...ErrorFilter) M {
	return wrap[M](operators.MonoDoOnError(m.Source(), fn, when...))
}

// DoOnErrorAs calls fn with the error before it goes down, if it is or wraps an E.
//
//	m:    --- #
//	      DoOnErrorAs(func(e *fs.PathError) { … })
//	out:  --- #
func (m Mono[T]) DoOnErrorAs[E error, M Self[T]](fn func(E)) M {
	return wrap[M](operators.DoOnErrorAs(m.Source(), fn))
}

// DoOnTerminate calls fn before the element, an empty completion or an error goes down.
//
//	m:    --- 1 |
//	      DoOnTerminate(fn)
//	out:  --- 1 |          fn() at 1
func (m Mono[T]) DoOnTerminate[M Self[T]](fn func()) M {
	return wrap[M](operators.MonoDoOnTerminate(m.Source(), fn))
}

// DoAfterTerminate calls fn after the element, an empty completion or an error has gone down.
//
//	m:    --- 1 |
//	      DoAfterTerminate(fn)
//	out:  --- 1 |          fn() after 1
func (m Mono[T]) DoAfterTerminate[M Self[T]](fn func()) M {
	return wrap[M](operators.MonoDoAfterTerminate(m.Source(), fn))
}

// DoOnCancel calls fn before a cancellation goes up.
//
// A panic of fn is reported as a dropped error; m is cancelled all the same. fn runs on the
// goroutine that cancels.
func (m Mono[T]) DoOnCancel[M Self[T]](fn func()) M {
	return wrap[M](operators.DoOnCancel(m.Source(), fn))
}

// DoFinally calls fn once when everything is over, with what ended it: completion, an error, or
// cancellation.
//
// A panic of fn is reported as a dropped error. fn runs on the goroutine of m or on the one
// that cancels.
func (m Mono[T]) DoFinally[M Self[T]](fn func(how reactor.SignalKind)) M {
	return wrap[M](operators.DoFinally(m.Source(), fn))
}

// DoOnEach calls fn with the element and with the end, as signals, before they go down, and
// with the context of the subscription.
//
//	m:    --- 1 |
//	      DoOnEach(fn)
//	out:  --- 1 |          fn(next 1), fn(complete) at 1
func (m Mono[T]) DoOnEach[M Self[T]](fn func(context.Context, reactor.Signal[T])) M {
	return wrap[M](operators.MonoDoOnEach(m.Source(), fn))
}

// DoOnDiscard calls fn with every element of type D that a stage above discards.
//
// Several callbacks along a chain are all called, the innermost first, then the hook of the
// process. A panic of fn is logged and otherwise ignored. fn runs on whichever goroutine
// discards. When a function above panics, fn gets the element that the source has sent, not
// what other functions have made of it.
func (m Mono[T]) DoOnDiscard[D any, M Self[T]](fn func(D)) M {
	return wrap[M](operators.DoOnDiscard(m.Source(), fn))
}

// Hide hides what kind of publisher this is, so that operators do not treat it specially.
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
// Demand passes through. A panic of listen is the error of the stream; for panics of the
// listener's functions see [SignalListener]. The listener sees a failure of a stage further
// down as a cancellation.
func (m Mono[T]) Tap[M Self[T]](listen func(context.Context) *SignalListener[T]) M {
	return wrap[M](operators.Tap(m.Source(), listen))
}

// Metrics returns what [Mono.Tap] needs to measure a stream with m. Under "name." it reports
//
//	subscribed     counter of subscriptions
//	active         gauge of those that have not ended
//	flow.duration  timer from the subscription to the element or the end, with the tag
//	               status = completed, completedEmpty, error or cancelled
//
// each with the tag type = Mono, and with tags, pairs of key and value. A dot at the end of name
// is dropped. Metrics makes the instruments at once, and they stay: call it once, where the
// program begins, and use its result in any number of chains, also at the same time. The times are
// those of schedulers.Parallel(). A nil m, an empty name and a key without a value panic.
func Metrics[T any](m executors.Meter, name string, tags ...string) func(context.Context) *SignalListener[T] {
	return operators.MonoMetrics[T](m, name, tags...)
}

// LogOption is an option of [Mono.Log].
type LogOption = operators.LogOption

// LogCategory sets the attribute that tells the streams of a program apart.
func LogCategory(name string) LogOption { return operators.LogCategory(name) }

// LogLevel sets the level of the records. Records of errors have slog.LevelError, unless level
// is less than slog.LevelInfo: then they have level too, so that the errors of a stream that
// you debug are among its other records.
func LogLevel(level slog.Level) LogOption { return operators.LogLevel(level) }

// LogSignals chooses the kinds of signals that are logged. Without any kinds everything is logged.
func LogSignals(kinds ...reactor.SignalKind) LogOption { return operators.LogSignals(kinds...) }

// LogOperatorLine adds the attribute "at" to the records: the file and line where Log was called.
func LogOperatorLine() LogOption { return operators.LogOperatorLine() }

// LogTo sets the logger; by default it is slog.Default().
func LogTo(logger *slog.Logger) LogOption { return operators.LogTo(logger) }

// Log logs the signals that pass here.
//
// Everything goes to slog.Default() at level info, errors at level error, unless options say
// otherwise. Demand passes through. If the logger has the level off, nothing is logged, not even
// errors, and logging costs the subscription nothing more.
func (m Mono[T]) Log[M Self[T]](opts ...LogOption) M {
	return wrap[M](operators.Log(m.Source(), opts...))
}

// Name gives the stream a name, for those who observe it.
//
// [LabelsOf] reads the names and tags of a chain. Signals pass untouched.
func (m Mono[T]) Name[M Self[T]](name string) M { return wrap[M](operators.Name(m.Source(), name)) }

// Tag adds a key with a value, for those who observe the stream.
//
// [LabelsOf] reads the names and tags of a chain. Signals pass untouched.
func (m Mono[T]) Tag[M Self[T]](key, value string) M {
	return wrap[M](operators.Tag(m.Source(), key, value))
}

// Labels are the name and the tags of a stream.
//
// It has, see [operators.Labels]:
//
//	Name string
//	Tags map[string]string
type Labels = operators.Labels

// LabelsOf returns the labels that Name and Tag have set at the end of a chain.
//
// Of several names the last one counts, and of several tags with the same key the last one. An
// operator that comes after Name and Tag hides them.
func LabelsOf[T any](m Mono[T]) Labels { return operators.LabelsOf(m.Source()) }
