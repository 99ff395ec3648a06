package marbles

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Row puts a call on the streams of a diagram.
type Row = func(s *sources) reactor.Publisher[any]

// boxed makes any stream one of anything.
func boxed[T any](p reactor.Publisher[T]) reactor.Publisher[any] {
	return operators.Map(p, func(v T) any { return v })
}

// streams makes a stream of streams one of boxed streams, which the recorder subscribes.
func streams[T any, P reactor.Publisher[T]](p reactor.Publisher[P]) reactor.Publisher[any] {
	return operators.Map(p, func(v P) any { return stream{boxed[T](v)} })
}

// OnInts is the row of an operator on f, a stream of numbers.
func OnInts[R any, P reactor.Publisher[R]](op func(f flux.Flux[int]) P) Row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(flux.From(s.ints("f")))) }
}

// OnTexts is the row of an operator on f, a stream of letters.
func OnTexts[R any, P reactor.Publisher[R]](op func(f flux.Flux[string]) P) Row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(flux.From(s.texts("f")))) }
}

// OnMono is the row of an operator on m, a Mono of a number.
func OnMono[R any, P reactor.Publisher[R]](op func(m mono.Mono[int]) P) Row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(mono.From(s.ints("m")))) }
}

// OnTwo is the row of an operator on two streams of numbers, whose labels are given.
func OnTwo[R any, P reactor.Publisher[R]](a, b string, op func(a, b flux.Flux[int]) P) Row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[R](op(flux.From(s.ints(a)), flux.From(s.ints(b))))
	}
}
