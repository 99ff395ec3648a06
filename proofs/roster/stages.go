package roster

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Stages returns all stages for elements of type T.
func Stages[T any]() []Stage[T] {
	return slices.Concat(
		perElement[T](), cutting[T](), peeking[T](), failing[T](), joining[T](),
		gathering[T](), flattening[T](), merging[T](), sharing[T](), single[T](), around[T](), moving[T](), waiting[T](), buffering[T](), grouping[T](),
		windowing[T](), many[T](), variants[T](), sinking[T](), locking[T](),
	)
}

var (
	whole   = Traits{Whole: true}
	partial = Traits{}
	swallow = Traits{Swallows: true}
)

// same returns v; yes and no accept and refuse every element.
func same[T any](v T) T { return v }
func yes[T any](T) bool { return true }
func no[T any](T) bool  { return false }

// everyOther returns a predicate that is true for every second call. It is called
// by one goroutine at a time.
func everyOther[T any]() func(T) bool {
	n := 0
	return func(T) bool { n++; return n%2 == 0 }
}

// countdown returns a key that changes with every third element.
func countdown[T any]() func(T) int {
	n := 0
	return func(T) int { n++; return n / 3 }
}

// fewKeys is countdown for groups that stay open: when there are as many as a merge takes at a time,
// a further one waits for ever.
func fewKeys[T any]() func(T) int {
	next := countdown[T]()
	return func(v T) int { return next(v) % 16 }
}

// perSubscription builds a stage that has state of its own in its functions.
func perSubscription[T, R any](build func(src Publisher[T]) Publisher[R]) func(src Publisher[T]) Publisher[R] {
	return func(src Publisher[T]) Publisher[R] { return deferred[T, R]{src: src, build: build} }
}

type deferred[T, R any] struct {
	protocol.Op
	src   Publisher[T]
	build func(src Publisher[T]) Publisher[R]
}

func (d deferred[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	d.build(d.src).Subscribe(ctx, s)
}
