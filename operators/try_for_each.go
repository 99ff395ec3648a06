package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryForEach is [ForEach] for a function that can fail: the first error of fn cancels
// src and is returned.
//
//	src:  1 --- 2 X
//	      TryForEach(ctx, src, fn) calls fn(1), fn(2), returns the error of fn(2)
func TryForEach[T any](ctx context.Context, src reactor.Publisher[T], fn func(T) error) error {
	argument.Given("tryForEach", "function", fn != nil)
	sink := &tryForEachSink[T]{await: await{ctx: ctx, op: "tryForEach"}, fn: fn}
	return awaitEnd(&sink.await, src, sink)
}

// Run runs src for its side effects, blocking until the stream has ended.
//
//	src:  1 --- 2 |
//	      Run(ctx, src) returns nil
//
// Demand is unbounded. Errors are those of [ForEach].
func Run[T any](ctx context.Context, src reactor.Publisher[T]) error {
	each := func(T) {}
	if reactor.Owns[T]() {
		each = func(v T) { reactor.Abandon(ctx, v) } // nobody will subscribe to it
	}
	return forEach(ctx, src, each, "run")
}

type tryForEachSink[T any] struct {
	protocol.Inner
	await  await
	fn     func(T) error
	failed bool // signals of upstream only
}

func (s *tryForEachSink[T]) OnSubscribe(up reactor.Subscription) {
	s.await.start(up, reactor.Unbounded)
}

func (s *tryForEachSink[T]) OnNext(v T) {
	if s.failed {
		reactor.Discard(s.await.ctx, v)
		return
	}
	if err := s.fn(v); err != nil {
		s.failed = true
		defer s.await.fail(err) // also if a function that hears of what follows ends the goroutine
		s.await.link.Cancel()
	}
}

func (s *tryForEachSink[T]) OnError(err error) { s.await.fail(err) }

func (s *tryForEachSink[T]) OnComplete() { s.await.end(nil) }
