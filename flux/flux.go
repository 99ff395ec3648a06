package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/describe"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Flux is a stream of any number of elements. It is a small immutable value, to be copied freely;
// nothing runs before somebody subscribes. The zero Flux is empty. Do not compare two of them with
// ==, and do not use one as the key of a map: that panics if the publisher behind a Flux is a
// function.
type Flux[T any] struct {
	src reactor.Publisher[T]
}

// Self is satisfied by Flux[T] alone. Methods that return the type they are called on have a type
// parameter with this constraint, which the compiler always infers. As a result, a method costs
// build time only where it is called.
type Self[T any] interface{ Flux[T] }

// Slice is satisfied by []T alone; see [Self] for why it exists.
type Slice[T any] interface{ []T }

// Subscribe starts the stream for s (see [reactor.Publisher]).
func (f Flux[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	failure.Outside(func() { f.Source().Subscribe(ctx, s) })
}

// Source returns the publisher behind f.
func (f Flux[T]) Source() reactor.Publisher[T] {
	if f.src == nil {
		return operators.Empty[T]()
	}
	return f.src
}

// String returns the operators of f in the order of the elements, for example "Flux: range → filter
// → map". It inspects the types of the stages when it is called, and subscribes to nothing. An
// operator that is made of other operators is shown as those; the text ends where a function makes
// the stream, as in [Defer].
func (f Flux[T]) String() string { return describe.Chain("Flux: ", f.Source()) }

// Discarded implements [reactor.Discardable]: when f is an element of a stream and is
// discarded there, the window or group behind f is cancelled, unless somebody has
// subscribed to it. A Flux that further operators have made of a window does not do that:
// apply such operators inside the function that flattens, not between the two.
func (f Flux[T]) Discarded() {
	discarded(f.src)
}

// discarded tells src, a publisher of any type, of that. Not inlined: every type of element has the method.
//
//go:noinline
func discarded(src any) {
	if d, ok := src.(reactor.Discardable); ok {
		d.Discarded()
	}
}

// wrap makes the Flux that stands for src.
func wrap[F Self[T], T any](src reactor.Publisher[T]) F { return F(Flux[T]{src}) }

// source returns the publisher behind p without boxing a Flux or a Mono.
func source[T any, P reactor.Publisher[T]](p P) reactor.Publisher[T] {
	switch q := any(p).(type) {
	case Flux[T]:
		return q.Source()
	case mono.Mono[T]:
		return q.Source()
	}
	return p
}

// sourcesOf is source for a slice of any publishers of one type.
func sourcesOf[T any, P reactor.Publisher[T]](ps []P) []reactor.Publisher[T] {
	out := make([]reactor.Publisher[T], len(ps))
	for i, p := range ps {
		out[i] = source[T](p)
	}
	return out
}
