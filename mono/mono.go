package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/describe"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/operators"
)

// Mono is a stream of at most one element. It is a small immutable value, to be copied freely;
// nothing runs before somebody subscribes. The zero Mono is empty. Do not compare two of them with
// ==, and do not use one as the key of a map: that panics if the publisher behind a Mono is a
// function.
type Mono[T any] struct {
	src reactor.Publisher[T]
}

// Self is satisfied by Mono[T] alone. Methods that return the type they are called on have a type
// parameter with this constraint, which the compiler always infers. As a result, a method costs
// build time only where it is called.
type Self[T any] interface{ Mono[T] }

// Subscribe starts the stream for s (see [reactor.Publisher]).
func (m Mono[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	failure.Outside(func() { m.Source().Subscribe(ctx, s) })
}

// Source returns the publisher behind m.
func (m Mono[T]) Source() reactor.Publisher[T] {
	if m.src == nil {
		return operators.Empty[T]()
	}
	return m.src
}

// String returns the operators of m in the order of the elements, for example
// "Mono: fromFunc → retryWhen"; see flux.Flux.String.
func (m Mono[T]) String() string { return describe.Chain("Mono: ", m.Source()) }

// wrap makes the Mono that stands for src.
func wrap[F Self[T], T any](src reactor.Publisher[T]) F { return F(Mono[T]{src}) }
