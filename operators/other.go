package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// otherSubscriber subscribes another publisher of a stage for all it has, such as the
// one that marks boundaries, and tells the stage. It is also the handle on it.
type otherSubscriber[U any] struct {
	protocol.Inner
	ctx   context.Context
	next  func(U)     // called with each element; if it panics, ended gets the failure
	ended func(error) // called once at the end, with nil for completion
	link  protocol.Deferred
}

// OnSubscribe asks for everything.
func (s *otherSubscriber[U]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

// OnNext passes an element on.
func (s *otherSubscriber[U]) OnNext(v U) {
	if !s.link.IsCancelled() {
		s.next(v)
	}
}

// OnError passes the failure on.
func (s *otherSubscriber[U]) OnError(err error) {
	if !s.link.Close() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.ended(err)
}

// OnComplete passes the completion on.
func (s *otherSubscriber[U]) OnComplete() {
	if s.link.Close() {
		s.ended(nil)
	}
}

// Dispose cancels the subscription.
func (s *otherSubscriber[U]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *otherSubscriber[U]) IsDisposed() bool { return s.link.IsCancelled() }
