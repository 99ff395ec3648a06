package protocol

import "github.com/goreactor/reactor"

// Signals is a subscriber without its OnNext. Code written against Signals is compiled
// once; code written against reactor.Subscriber[T] is compiled for every T.
type Signals interface {
	OnSubscribe(reactor.Subscription)
	OnError(error)
	OnComplete()
}

// signals returns down, a subscriber of any type, as Signals. In generic code that conversion of a
// Subscriber[T] is a search for a table, which would be written out for each stage and type.
//
//go:noinline
func signals(down any) Signals { return down.(Signals) }

// Finish sends the end of a stream: err, or that it is complete if err is nil.
func Finish(down Signals, err error) {
	if err != nil {
		down.OnError(err)
	} else {
		down.OnComplete()
	}
}

// Pusher is a subscriber that offers its OnNext as a function: emission loops
// take it once per subscription and call it for every element.
//
// Calling a method of a generic type through an interface costs a table lookup
// and a wrapper that supplies the type dictionary; a closure that holds the next
// closure costs neither, which is what makes a chain of simple stages as cheap as
// a chain of iter.Seq functions.
type Pusher[T any] = interface {
	// Push returns a function that does what OnNext does. It is called once, when
	// everything downstream is in place: before OnSubscribe, or after it, before the
	// first element, by a source that tells of its runs (see [Half.Attach]).
	Push() func(T)
}

// Push returns the function that hands elements to s. Not inlined: it is called
// once per subscription, by many stages, for every element type.
//
//go:noinline
func Push[T any](s reactor.Subscriber[T]) func(T) {
	if p, ok := s.(Pusher[T]); ok {
		return p.Push()
	}
	return s.OnNext
}
