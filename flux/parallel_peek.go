package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// DoOnNext calls fn with every element before it goes down; rails that run at the same time call fn
// at the same time.
func (p ParallelFlux[T]) DoOnNext[P ParallelSelf[T]](fn func(T)) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnNext(rail, fn) }))
}

// DoOnEach calls fn with every signal of every rail.
func (p ParallelFlux[T]) DoOnEach[P ParallelSelf[T]](fn func(context.Context, reactor.Signal[T])) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnEach(rail, fn) }))
}

// DoOnSubscribe calls fn when a rail gets its subscription.
func (p ParallelFlux[T]) DoOnSubscribe[P ParallelSelf[T]](fn func(reactor.Subscription)) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnSubscribe(rail, fn) }))
}

// DoOnRequest calls fn with every request on a rail.
func (p ParallelFlux[T]) DoOnRequest[P ParallelSelf[T]](fn func(n int64)) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnRequest(rail, fn) }))
}

// DoOnComplete calls fn when a rail completes.
func (p ParallelFlux[T]) DoOnComplete[P ParallelSelf[T]](fn func()) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnComplete(rail, fn) }))
}

// DoOnError calls fn with the error of a rail before it goes down.
func (p ParallelFlux[T]) DoOnError[P ParallelSelf[T]](fn func(error), when ...ErrorFilter) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnError(rail, fn, when...) }))
}

// DoOnTerminate calls fn before the completion or the error of a rail goes down.
func (p ParallelFlux[T]) DoOnTerminate[P ParallelSelf[T]](fn func()) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnTerminate(rail, fn) }))
}

// DoAfterTerminate calls fn after the completion or the error of a rail has gone down.
func (p ParallelFlux[T]) DoAfterTerminate[P ParallelSelf[T]](fn func()) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoAfterTerminate(rail, fn) }))
}

// DoOnCancel calls fn when a rail is cancelled.
func (p ParallelFlux[T]) DoOnCancel[P ParallelSelf[T]](fn func()) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.DoOnCancel(rail, fn) }))
}

// Then keeps only the end: completion when all rails have completed, or the first
// failure, which cancels the others.
func (p ParallelFlux[T]) Then[P ParallelSelf[T]]() mono.Mono[struct{}] {
	return mono.FromDirect(operators.Then(operators.ParallelSequential(railsOf(p))))
}

// Log writes the signals of every rail to the log.
//
//	p:    1 --- 2 |
//	      Log(LogCategory("orders"))
//	out:  1 --- 2 |          level=INFO msg=onNext category=orders value=1
//
// Everything goes to slog.Default() at level info, errors at level error, unless options say
// otherwise. Demand passes through. If the logger has the level off, nothing is logged, not even
// errors, and logging costs the subscription nothing more.
func (p ParallelFlux[T]) Log[P ParallelSelf[T]](opts ...LogOption) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.Log(rail, opts...) }))
}

// Name gives the rails a name, for those who observe them.
//
//	p:    1 --- 2 |
//	      Name("orders")
//	out:  1 --- 2 |
//
// Nothing else changes: subscribers are subscribed to p itself.
func (p ParallelFlux[T]) Name[P ParallelSelf[T]](name string) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.Name(rail, name) }))
}

// Tag gives the rails a key and a value, for those who observe them.
//
//	p:    1 --- 2 |
//	      Tag("tenant", "acme")
//	out:  1 --- 2 |
func (p ParallelFlux[T]) Tag[P ParallelSelf[T]](key, value string) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.Tag(rail, key, value) }))
}
