package flux

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
//	f:    1 --- 2 |
//	      DoFirst(fn)
//	out:  1 --- 2 |          fn() before everything
//
// If fn panics, f is not subscribed to and the stream fails. fn runs on the goroutine that
// subscribes.
func (f Flux[T]) DoFirst[F Self[T]](fn func()) F {
	return wrap[F](operators.DoFirst(f.Source(), fn))
}

// DoOnSubscribe calls fn with the subscription before downstream gets it.
//
//	f:    --- 1 |
//	      DoOnSubscribe(fn)
//	out:  --- 1 |          fn(subscription) before everything
//
// A panic of fn cancels f and ends the stream. Requests that fn makes add to those of
// downstream. fn runs on the goroutine of f.
func (f Flux[T]) DoOnSubscribe[F Self[T]](fn func(reactor.Subscription)) F {
	return wrap[F](operators.DoOnSubscribe(f.Source(), fn))
}

// DoOnRequest calls fn with each demand before it goes up.
//
//	f:       --- 1 - 2 ---
//	         DoOnRequest(fn)
//	demand:  2
//	out:     --- 1 - 2 ---      fn(2) at Request(2)
//
// A panic of fn is reported as a dropped error; the request goes on all the same. fn runs on
// the goroutine that requests; calls may overlap.
func (f Flux[T]) DoOnRequest[F Self[T]](fn func(n int64)) F {
	return wrap[F](operators.DoOnRequest(f.Source(), fn))
}

// DoOnNext calls fn with each element before it goes down.
//
//	f:    1 --- 2 --- 3 |
//	      DoOnNext(fn)
//	out:  1 --- 2 --- 3 |          fn(1), fn(2), fn(3)
//
// Demand passes through. A panic of fn cancels f and ends the stream. fn runs on the goroutine
// of f.
func (f Flux[T]) DoOnNext[F Self[T]](fn func(T)) F {
	return wrap[F](operators.DoOnNext(f.Source(), fn))
}

// TryDoOnNext calls fn with each element before it goes down; the first error of fn ends the
// stream.
//
//	f:    1 --- 2 --- 3 |
//	      TryDoOnNext(validate)
//	out:  1 --- 2 --- #
//
// Demand passes through. An error or a panic of fn cancels f and discards the element. fn runs
// on the goroutine of f.
func (f Flux[T]) TryDoOnNext[F Self[T]](fn func(T) error) F {
	return wrap[F](operators.TryDoOnNext(f.Source(), fn))
}

// TryDoOnNextContext calls fn(ctx, v), which may wait, with each element before it goes down;
// an error of fn ends the stream.
//
//	f:    1 --- 2 --- 3 |
//	      TryDoOnNextContext(store)
//	out:  1 --- 2 --- #
//
// The context, demand, the goroutine, and what becomes of errors and of cancelled calls are as
// with [Flux.TryMapContext].
func (f Flux[T]) TryDoOnNextContext[F Self[T]](fn func(context.Context, T) error) F {
	return wrap[F](operators.TryDoOnNextContext(f.Source(), fn))
}

// DoOnComplete calls fn before completion goes down.
//
//	f:    1 --- 2 |
//	      DoOnComplete(fn)
//	out:  1 --- 2 |          fn() at |
//
// A panic of fn becomes the error of the stream. fn runs on the goroutine of f.
func (f Flux[T]) DoOnComplete[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnComplete(f.Source(), fn))
}

// DoOnError calls fn with the error before it goes down; with error filters, only if one of
// them accepts it.
//
//	f:    1 --- #
//	      DoOnError(fn)
//	out:  1 --- #          fn(err) at #
//
// A failure of a stage further down is not seen here. If fn panics, downstream gets the error of
// the panic, with the error of f attached. fn runs on the goroutine of f.
func (f Flux[T]) DoOnError[F Self[T]](fn func(error), when ...ErrorFilter) F {
	return wrap[F](operators.DoOnError(f.Source(), fn, when...))
}

// DoOnErrorAs calls fn with the error before it goes down, if it is or wraps an E.
//
//	f:    1 --- #
//	      DoOnErrorAs(func(e *fs.PathError) { … })
//	out:  1 --- #
func (f Flux[T]) DoOnErrorAs[E error, F Self[T]](fn func(E)) F {
	return wrap[F](operators.DoOnErrorAs(f.Source(), fn))
}

// DoOnTerminate calls fn before completion or an error goes down.
//
//	f:    1 --- 2 |
//	      DoOnTerminate(fn)
//	out:  1 --- 2 |          fn() at | or #
//
// A panic of fn becomes the error of the stream, with the error of f attached if there is one. fn
// runs on the goroutine of f.
func (f Flux[T]) DoOnTerminate[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnTerminate(f.Source(), fn))
}

// DoAfterTerminate calls fn after completion or an error has gone down.
//
//	f:    1 --- 2 |
//	      DoAfterTerminate(fn)
//	out:  1 --- 2 |          fn() after | or #
//
// A panic of fn is reported as a dropped error. fn runs on the goroutine of f.
func (f Flux[T]) DoAfterTerminate[F Self[T]](fn func()) F {
	return wrap[F](operators.DoAfterTerminate(f.Source(), fn))
}

// DoOnCancel calls fn before a cancellation goes up.
//
//	f:    1 --- 2 - X
//	      DoOnCancel(fn)
//	out:  1 --- 2 - X          fn() at X
//
// A panic of fn is reported as a dropped error; f is cancelled all the same. fn runs on the
// goroutine that cancels.
func (f Flux[T]) DoOnCancel[F Self[T]](fn func()) F {
	return wrap[F](operators.DoOnCancel(f.Source(), fn))
}

// DoFinally calls fn once when everything is over, with what ended it: completion, an error, or
// cancellation.
//
//	f:    1 --- 2 |
//	      DoFinally(fn)
//	out:  1 --- 2 |          fn(KindComplete) after |
//
// A panic of fn is reported as a dropped error. fn runs on the goroutine of f or on the one
// that cancels.
func (f Flux[T]) DoFinally[F Self[T]](fn func(how reactor.SignalKind)) F {
	return wrap[F](operators.DoFinally(f.Source(), fn))
}

// DoOnEach calls fn with every element and with the end, as signals, before they go down, and
// with the context of the subscription.
//
//	f:    1 --- 2 |
//	      DoOnEach(fn)
//	out:  1 --- 2 |          fn(next 1), fn(next 2), fn(complete)
//
// Demand passes through. A panic of fn on an element cancels f and ends the stream; a panic on
// completion becomes the error of the stream; a panic on an error replaces that error, which stays
// attached. fn runs on the goroutine of f.
func (f Flux[T]) DoOnEach[F Self[T]](fn func(context.Context, reactor.Signal[T])) F {
	return wrap[F](operators.DoOnEach(f.Source(), fn))
}

// DoOnDiscard calls fn with every element of type D that a stage above discards.
//
//	f:    1 --- 2 --- 3 |          Filter(odd) above
//	      DoOnDiscard(fn)
//	out:  1 --------- 3 |          fn(2)
//
// Several callbacks along a chain are all called, the innermost first, then the hook of the
// process. A panic of fn is logged and otherwise ignored. fn runs on whichever goroutine
// discards. When a function above panics, fn gets the element that the source has sent, not
// what other functions have made of it.
//
// D is the type of what a stage holds, which may be another one than T: behind a Buffer, stages
// below it discard a []T as one element, and the stages above are heard of as well. To hear of both,
// use two of them, or a D that is any.
func (f Flux[T]) DoOnDiscard[D any, F Self[T]](fn func(D)) F {
	return wrap[F](operators.DoOnDiscard(f.Source(), fn))
}

// Hide hides what kind of publisher this is, so that operators do not treat it specially.
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
//	f:    1 --- 2 |
//	      Tap(listen)
//	out:  1 --- 2 |
//
// Demand passes through. A panic of listen is the error of the stream; for panics of the
// listener's functions see [SignalListener]. The listener sees a failure of a stage further
// down as a cancellation.
func (f Flux[T]) Tap[F Self[T]](listen func(context.Context) *SignalListener[T]) F {
	return wrap[F](operators.Tap(f.Source(), listen))
}

// Metrics returns what [Flux.Tap] needs to measure a stream with m. Under "name." it reports
//
//	subscribed     counter of subscriptions
//	active         gauge of those that have not ended
//	requested      counter of the demand, without that for everything
//	onNext.delay   timer from each element to the next one, and to the first from the
//	               subscription
//	flow.duration  timer from the subscription to the end, with the tag status = completed,
//	               completedEmpty, error or cancelled
//
// each with the tag type = Flux, and with tags, pairs of key and value. A dot at the end of name
// is dropped. Metrics makes the instruments at once, and they stay: call it once, where the
// program begins, and use its result in any number of chains, also at the same time. The times are
// those of schedulers.Parallel(). A nil m, an empty name and a key without a value panic.
func Metrics[T any](m executors.Meter, name string, tags ...string) func(context.Context) *SignalListener[T] {
	return operators.Metrics[T](m, name, tags...)
}

// LogOption is an option of [Flux.Log].
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
//	f:    1 --- 2 |
//	      Log(LogCategory("orders"))
//	out:  1 --- 2 |          level=INFO msg=onNext category=orders value=1
//
// Everything goes to slog.Default() at level info, errors at level error, unless options say
// otherwise. Demand passes through. If the logger has the level off, nothing is logged, not even
// errors, and logging costs the subscription nothing more.
func (f Flux[T]) Log[F Self[T]](opts ...LogOption) F {
	return wrap[F](operators.Log(f.Source(), opts...))
}

// Name gives the stream a name, for those who observe it.
//
// [LabelsOf] reads the names and tags of a chain. Signals pass untouched.
func (f Flux[T]) Name[F Self[T]](name string) F { return wrap[F](operators.Name(f.Source(), name)) }

// Tag adds a key with a value, for those who observe the stream.
//
// [LabelsOf] reads the names and tags of a chain. Signals pass untouched.
func (f Flux[T]) Tag[F Self[T]](key, value string) F {
	return wrap[F](operators.Tag(f.Source(), key, value))
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
func LabelsOf[T any](f Flux[T]) Labels { return operators.LabelsOf(f.Source()) }
