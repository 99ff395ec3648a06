package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// peekHooks are the callbacks of the Do… operators that are called a few times in
// the life of a stream, not per element. A nil field is skipped.
type peekHooks struct {
	subscribe func(reactor.Subscription)
	request   func(n int64)
	cancel    func() // once, also if the stream has ended before
	err       func(error)
	complete  func()
	after     func()                   // after either end
	finally   func(reactor.SignalKind) // once, after either end or the cancellation
}

// peekPublisher is src with side effects.
type peekPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	hooks peekHooks
}

func newPeek[T any](op string, src reactor.Publisher[T], given bool, hooks peekHooks) reactor.Publisher[T] {
	argument.Given(op, "callback", given)
	return &peekPublisher[T]{src: protocol.Trust(op, src), hooks: hooks}
}

func (p *peekPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &peekSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), hooks: &p.hooks})
}

type peekSubscriber[T any] struct {
	protocol.Inner
	ctx   context.Context
	down  reactor.Subscriber[T]
	up    reactor.Subscription
	hooks *peekHooks
	over  atomic.Bool      // ended or cancelled: the hooks for that have had their turn
	gone  atomic.Bool      // cancelled
	done  bool             // ended; signals of upstream only
	call  protocol.Calling // inside down.OnNext; signals of upstream only
}

func (s *peekSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	h := s.hooks
	if h.subscribe != nil {
		own := &peekedSubscription{ctx: s.ctx, up: up}
		if !failure.Guard(
			func() { h.subscribe(own) },
			func(err error) {
				s.done = true
				defer protocol.Fail(s.down, reactor.OperatorError(s.ctx, err, nil)) // also if what follows ends the goroutine
				up.Cancel()
			},
		) {
			return
		}
		defer own.early.Set(up)
	}
	if h.request == nil && h.cancel == nil && h.finally == nil {
		s.down.OnSubscribe(up)
		return
	}
	s.down.OnSubscribe(s)
}

func (s *peekSubscriber[T]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.call.Deliver(s.down, v)
}

// Push implements protocol.Pusher.
func (s *peekSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.done {
			reactor.DropNext(s.ctx, v)
			return
		}
		s.call.Next(next, v)
	}
}

func (s *peekSubscriber[T]) OnError(err error) {
	switch {
	case s.done:
		reactor.DropError(s.ctx, err)
	case s.call.Active():
		// Downstream failed, which is a cancellation for everybody up from there.
		s.done = true
		defer s.down.OnError(err) // also if a function that hears of it ends the goroutine
		s.cancelled()
	default:
		s.fail(err)
	}
}

func (s *peekSubscriber[T]) OnComplete() {
	if s.done {
		return
	}
	if fn := s.hooks.complete; fn != nil && !failure.Guard(fn, func(err error) {
		defer s.fail(reactor.OperatorError(s.ctx, err, nil)) // also if what follows ends the goroutine
		s.up.Cancel()                                        // the end does not count: upstream learns that nobody is there any more
	}) {
		return
	}
	s.done = true
	defer s.ended(reactor.KindComplete) // also if downstream ends the goroutine
	s.down.OnComplete()
}

// Attach lets h know of the runs of the source.
func (s *peekSubscriber[T]) Attach(h *protocol.Half) bool { return h.Attach(s.up) }

// Host returns the protocol.Host behind it.
func (s *peekSubscriber[T]) Host() protocol.Host { return protocol.HostOf(s.up) }

func (s *peekSubscriber[T]) Request(n int64) {
	fn := s.hooks.request
	if fn == nil {
		s.up.Request(n)
		return
	}
	defer s.up.Request(n) // also if fn ends the goroutine
	failure.Guard(func() { fn(n) }, s.drop)
}

func (s *peekSubscriber[T]) Cancel() {
	// Deferred: what comes first may end the goroutine.
	if s.hooks.finally == nil {
		defer s.up.Cancel()
		s.cancelled()
		return
	}
	defer s.cancelled()
	s.up.Cancel()
}

// fail sends an error down that counts as upstream's.
func (s *peekSubscriber[T]) fail(err error) {
	s.done = true
	if fn := s.hooks.err; fn != nil && !failure.Guard(func() { fn(err) }, func(second error) {
		defer s.ended(reactor.KindError)
		s.down.OnError(failure.Both(reactor.OperatorError(s.ctx, second, nil), err))
	}) {
		return
	}
	defer s.ended(reactor.KindError)
	s.down.OnError(err)
}

// ended runs the functions that come after the end. A cancellation that comes while the
// end goes down counts as first.
func (s *peekSubscriber[T]) ended(how reactor.SignalKind) {
	first := !s.over.Swap(true)
	if fn := s.hooks.after; fn != nil {
		failure.Guard(fn, s.drop)
	}
	if fn := s.hooks.finally; fn != nil && first {
		failure.Guard(func() { fn(how) }, s.drop)
	}
}

func (s *peekSubscriber[T]) cancelled() {
	first := !s.over.Swap(true)
	if fn := s.hooks.cancel; fn != nil && !s.gone.Swap(true) {
		failure.Guard(fn, s.drop)
	}
	if fn := s.hooks.finally; fn != nil && first {
		failure.Guard(func() { fn(reactor.KindCancel) }, s.drop)
	}
}

func (s *peekSubscriber[T]) drop(err error) {
	reactor.DropError(s.ctx, reactor.OperatorError(s.ctx, err, nil))
}

// peekedSubscription is a subscription in the hands of a user, before downstream has
// it: it has to bear requests that stages never make, and keeps them until then.
type peekedSubscription struct {
	ctx   context.Context
	up    reactor.Subscription
	early protocol.Deferred // to up, for requests
}

func (s *peekedSubscription) Request(n int64) {
	if n <= 0 {
		reactor.DropError(s.ctx, reactor.IllegalRequest(n))
		return
	}
	s.early.Request(n)
}

func (s *peekedSubscription) Cancel() { s.up.Cancel() }
