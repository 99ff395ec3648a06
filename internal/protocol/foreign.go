package protocol

import (
	"context"

	"github.com/goreactor/reactor"
)

// foreign is a publisher from outside. Signals that break the rules do not reach
// the stages of this module: a second OnSubscribe is cancelled, what comes
// before it or after the end is dropped, nil errors are replaced, and a
// publisher that panics in Subscribe fails (§1.9, §1.7).
type foreign[T any] struct {
	Op
	src reactor.Publisher[T]
}

func (f foreign[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &foreignSubscriber[T]{ctx: ctx, down: Strict(ctx, s)}
	Guard(func() { f.src.Subscribe(ctx, sub) }, func(err error) { sub.fail(err) })
}

// foreignSubscriber is what the foreign publisher sees. A rule-abiding publisher
// calls it serially; nothing here makes up for one that does not.
type foreignSubscriber[T any] struct {
	Inner // the publisher may be a wrapper around one of ours: no second strict edge
	ctx   context.Context
	down  reactor.Subscriber[T]
	up    reactor.Subscription // set by OnSubscribe
	done  bool                 // after a terminal signal
}

func (s *foreignSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if up == nil {
		s.fail(reactor.Failure("subscribe", reactor.ErrProtocol, "§2.13: OnSubscribe(nil)"))
		return
	}
	if s.up != nil || s.done {
		safeCancel(s.ctx, up)
		return
	}
	s.up = up
	s.down.OnSubscribe(foreignSubscription{s.ctx, up})
}

func (s *foreignSubscriber[T]) OnNext(v T) {
	if s.done || s.up == nil {
		reactor.DropNext(s.ctx, v)
		return
	}
	clean := false
	defer func() {
		if clean {
			return
		}
		err := Recovered(recover())
		s.done = true
		safeCancel(s.ctx, s.up)
		Crash(s.ctx, s.down, err, v)
	}()
	s.down.OnNext(v)
	clean = true
}

func (s *foreignSubscriber[T]) OnError(err error) { s.fail(reactor.NonNil(err)) }

func (s *foreignSubscriber[T]) OnComplete() {
	if s.done {
		return
	}
	if s.up == nil {
		s.fail(reactor.Failure("subscribe", reactor.ErrProtocol, "§1.9: OnComplete before OnSubscribe"))
		return
	}
	s.done = true
	s.down.OnComplete()
}

func (s *foreignSubscriber[T]) fail(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	if s.up == nil {
		s.down.OnSubscribe(Empty)
	}
	s.down.OnError(err)
}

// foreignSubscription keeps panics of a foreign Request or Cancel from our
// state (§3.15, §3.16): they are reported, and count as a cancellation.
type foreignSubscription struct {
	ctx context.Context
	up  reactor.Subscription
}

func (s foreignSubscription) Request(n int64) {
	Guard(func() { s.up.Request(n) }, func(err error) {
		reactor.DropError(s.ctx, err)
		safeCancel(s.ctx, s.up)
	})
}

func (s foreignSubscription) Cancel() { safeCancel(s.ctx, s.up) }

func safeCancel(ctx context.Context, up reactor.Subscription) {
	Guard(up.Cancel, func(err error) { reactor.DropError(ctx, err) })
}
