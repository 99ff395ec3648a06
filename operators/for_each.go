package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ForEach calls fn with every element of src, one at a time, and blocks until
// the stream has ended; fn does not run after that.
//
//	src:  1 --- 2 |
//	      ForEach(ctx, src, fn) calls fn(1), fn(2), returns nil
//
// Demand is unbounded. The result is the error of src, or the cause of ctx if
// that ends first, or a *reactor.PanicError if fn panics, which cancels src. fn
// runs on the goroutine that emits, which need not be the caller's. On a worker
// that must not block the result is reactor.ErrBlocking, unless src ends at once; src is
// cancelled then, and may be at an element still.
func ForEach[T any](ctx context.Context, src reactor.Publisher[T], fn func(T)) error {
	argument.NotNil("forEach", "function", fn)
	sink := &forEachSink[T]{await: await{ctx: ctx, op: "forEach"}, fn: fn}
	return awaitEnd(&sink.await, src, sink)
}

type forEachSink[T any] struct {
	protocol.Inner
	await
	fn func(T)
}

func (s *forEachSink[T]) OnSubscribe(up reactor.Subscription) {
	s.start(up, reactor.Unbounded)
}

func (s *forEachSink[T]) OnNext(v T) { s.fn(v) }

// Push implements protocol.Pusher.
func (s *forEachSink[T]) Push() func(T) { return s.fn }

func (s *forEachSink[T]) OnError(err error) { s.fail(failure.InFunction(err, "forEach", s.fn)) }

func (s *forEachSink[T]) OnComplete() { s.end(nil) }
