package vectors

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/mono"
)

// boxed makes elements of a Flux values of the format; it is no stage of the
// pipeline under test, except that like the mapping it stands for it hides a
// publisher that has its element at once.
func boxed[T any](f flux.Flux[T]) flux.Flux[Value] { return castFlux(f, box[T]) }

func box[T any](v T) Value {
	if n, ok := any(v).(int); ok {
		return int64(n)
	}
	return v
}

// castFlux converts the elements of a Flux with fn, which does not fail.
func castFlux[T any](f flux.Flux[T], fn func(T) Value) flux.Flux[Value] {
	return flux.From[Value](&castPublisher[T]{src: f.Source(), fn: fn})
}

// castMono converts the element of a Mono with fn, which does not fail. A Mono that
// has its element at once keeps that.
func castMono[T any](m mono.Mono[T], fn func(T) Value) mono.Mono[Value] {
	return mono.FromDirect(cast(m.Source(), fn))
}

func cast[T any](src reactor.Publisher[T], fn func(T) Value) Publisher {
	c := castPublisher[T]{src: src, fn: fn}
	if call, ok := direct.AsCallable[T](src); ok {
		return &castCallable[T]{castPublisher: c, call: call}
	}
	return &c
}

type castPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) Value
}

func (c *castPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[Value]) {
	c.src.Subscribe(ctx, castSubscriber[T]{down: protocol.Strict(ctx, s), fn: c.fn})
}

type castCallable[T any] struct {
	castPublisher[T]
	direct.CallMark
	call direct.Callable[T]
}

// Computable returns the way: see [direct.WayOf].
func (c *castCallable[T]) Computable() direct.Way { return direct.Called }

func (c *castCallable[T]) Call(ctx context.Context) (Value, bool, error) {
	v, ok, err := c.call.Call(ctx)
	if !ok || err != nil {
		return nil, false, err
	}
	return c.fn(v), true, nil
}

type castSubscriber[T any] struct {
	protocol.Inner
	down reactor.Subscriber[Value]
	fn   func(T) Value
}

func (s castSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }
func (s castSubscriber[T]) OnNext(v T)                          { s.down.OnNext(s.fn(v)) }

// Push implements protocol.Pusher.
func (s castSubscriber[T]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) { next(fn(v)) }
}

func (s castSubscriber[T]) OnError(err error) { s.down.OnError(err) }
func (s castSubscriber[T]) OnComplete()       { s.down.OnComplete() }
