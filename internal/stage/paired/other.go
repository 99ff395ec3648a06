package paired

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Other subscribes another publisher of a stage for all it has, such as the
// one that marks boundaries, and tells the stage. It is also the handle on it.
type Other[U any] struct {
	protocol.Inner
	Ctx   context.Context
	Next  func(U)     // called with each element; if it panics, Ended gets the failure
	Ended func(error) // called once at the end, with nil for completion
	link  protocol.Deferred
}

// OnSubscribe asks for everything.
func (s *Other[U]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// OnNext passes an element on.
func (s *Other[U]) OnNext(v U) {
	if !s.link.IsCancelled() {
		s.Next(v)
		return
	}
	Spend(s.Ctx, v)
}

// OnError passes the failure on.
func (s *Other[U]) OnError(err error) {
	if !s.link.Close() {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.Ended(err)
}

// OnComplete passes the completion on.
func (s *Other[U]) OnComplete() {
	if s.link.Close() {
		s.Ended(nil)
	}
}

// Dispose cancels the subscription.
func (s *Other[U]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *Other[U]) IsDisposed() bool { return s.link.IsCancelled() }

// Spend gives v up, which has said its when: it goes no further, but is not discarded, as it is not in Reactor. An element that owns
// something, such as a window, has to be told all the same that nobody will subscribe to it.
func Spend[T any](ctx context.Context, v T) {
	if reactor.Owns[T]() {
		reactor.Abandon(ctx, v)
	}
}
