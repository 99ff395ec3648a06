package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// PublishSelector shares one run of src inside the function fn: fn gets a publisher of
// that run, may use it several times, and returns the result. src runs once for each
// subscription of the result.
//
//	src:  1 ------ 2 ------ 3 |
//	      PublishSelector(x => merge(x, x.map(10x)))
//	out:  1 10 --- 2 20 --- 3 30 |
//
// src is subscribed right after the result of fn. The slowest subscriber of the shared
// publisher sets the pace, as with [Publish]; while it has no subscribers, elements and
// the end wait. src is asked for 256 elements ([Prefetch]), and for another three quarters
// of that number whenever as many were delivered. An error of src overtakes the elements
// that wait. When the result ends or is cancelled, src is cancelled and the elements that
// wait are discarded. A panic of fn ends the stream.
func PublishSelector[T, R any, P reactor.Publisher[R]](src reactor.Publisher[T], fn func(reactor.Publisher[T]) P, opts ...PublishOption) reactor.Publisher[R] {
	argument.Given("publishSelector", "function", fn != nil)
	return &publishSelectorPublisher[T, R]{
		src: protocol.Trust("publishSelector", src),
		fn: func(shared reactor.Publisher[T]) reactor.Publisher[R] {
			return protocol.Trust[R]("publishSelector", fn(shared))
		},
		prefetch: publishPrefetch("publishSelector", opts),
	}
}

type publishSelectorPublisher[T, R any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	fn       func(reactor.Publisher[T]) reactor.Publisher[R]
	prefetch int64
}

func (p *publishSelectorPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	down := protocol.Strict(ctx, s)
	shared := newPublishShared[T](ctx, p.prefetch)
	var result reactor.Publisher[R]
	if !failure.Guard(
		func() { result = p.fn(shared) },
		func(err error) {
			err = reactor.OperatorError(ctx, err, nil)
			defer shared.fanout.Stop(err) // fn may have subscribed somebody; also if downstream ends the goroutine
			protocol.Fail(down, err)
		},
	) {
		return
	}
	failure.InTurn(func() {
		result.Subscribe(ctx, &publishSelectorResult[T, R]{down: down, shared: shared})
	}, func() {
		if !shared.fanout.Stopped() {
			p.src.Subscribe(ctx, &publishSelectorSource[T]{shared: shared})
		}
	})
}

// publishShared is the publisher that fn gets.
type publishShared[T any] struct {
	protocol.Op
	fanout   multicast.Fanout[T]
	ctx      context.Context
	prefetch int64
	up       protocol.Deferred // to src
	refill   demand.Refill     // touched by whoever drains the fanout only
}

func newPublishShared[T any](ctx context.Context, prefetch int64) *publishShared[T] {
	p := &publishShared[T]{ctx: ctx, prefetch: prefetch, refill: demand.NewRefill(prefetch)}
	p.fanout.Queue = queue.NewSPSC[T](prefetch)
	p.fanout.Patient = true
	p.fanout.Batch = p.refill.Left
	p.fanout.Consumed = func(n int64) {
		if n := p.refill.Consumed(n); n > 0 {
			p.up.Request(n)
		}
	}
	p.fanout.SetContext(ctx)
	return p
}

func (p *publishShared[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	member := multicast.NewMember(ctx, down)
	defer func() { // also if downstream ends the goroutine
		if !p.fanout.Add(member) {
			member.End(p.fanout.Err())
		}
	}()
	down.OnSubscribe(member)
}

// release cancels src and discards what waits.
func (p *publishShared[T]) release() {
	defer p.fanout.Stop(nil) // also if a function that hears of what follows ends the goroutine
	p.up.Cancel()
}

// publishSelectorSource is the subscriber of src.
type publishSelectorSource[T any] struct {
	protocol.Inner
	shared *publishShared[T]
	done   bool // touched by the signals of src only
}

func (s *publishSelectorSource[T]) OnSubscribe(up reactor.Subscription) {
	p := s.shared
	if !p.up.Set(up) {
		return
	}
	if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(s) {
		p.fanout.Feed(up, p.prefetch)
		return
	}
	up.Request(p.prefetch)
}

func (s *publishSelectorSource[T]) OnNext(v T) {
	p := s.shared
	switch {
	case p.fanout.IsFed():
		p.fanout.Taking()(v)
	case s.done:
		reactor.DropNext(p.ctx, v)
	case p.fanout.Stopped():
		reactor.Discard(p.ctx, v)
	case !p.fanout.Offer(v):
		s.done = true
		failure.InTurn(p.up.Cancel, func() {
			err := reactor.OperatorError(p.ctx, reactor.Failure("publishSelector", reactor.ErrOverflow,
				"the source sent more than the %d elements it was asked for", p.prefetch), v)
			reactor.Discard(p.ctx, v)
			p.fanout.End(err)
		})
	}
}

// Push implements protocol.Pusher.
func (s *publishSelectorSource[T]) Push() func(T) {
	if s.shared.fanout.IsFed() {
		return s.shared.fanout.Taking()
	}
	return s.OnNext
}

func (s *publishSelectorSource[T]) OnError(err error) {
	if s.done || s.shared.fanout.Stopped() {
		reactor.DropError(s.shared.ctx, err)
		return
	}
	s.done = true
	s.shared.up.Close()
	s.shared.fanout.End(err)
}

func (s *publishSelectorSource[T]) OnComplete() {
	if !s.done {
		s.done = true
		s.shared.up.Close()
		s.shared.fanout.End(nil)
	}
}

// publishSelectorResult passes the result down and cancels src when that is over.
type publishSelectorResult[T, R any] struct {
	protocol.Inner
	down   reactor.Subscriber[R]
	up     reactor.Subscription // set by OnSubscribe
	shared *publishShared[T]
}

func (s *publishSelectorResult[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *publishSelectorResult[T, R]) OnNext(v R) { s.down.OnNext(v) }

// Push implements protocol.Pusher.
func (s *publishSelectorResult[T, R]) Push() func(R) { return protocol.Push(s.down) }

// PushGuarded implements what protocol.PushGuarded asks for.
func (s *publishSelectorResult[T, R]) PushGuarded() func(R) { return protocol.PushGuarded(s.down) }

func (s *publishSelectorResult[T, R]) OnError(err error) {
	defer s.shared.release() // also if downstream ends the goroutine
	s.down.OnError(err)
}

func (s *publishSelectorResult[T, R]) OnComplete() {
	defer s.shared.release() // also if downstream ends the goroutine
	s.down.OnComplete()
}

func (s *publishSelectorResult[T, R]) Request(n int64) { s.up.Request(n) }

// Attach lets h know of the runs of the result.
func (s *publishSelectorResult[T, R]) Attach(h *protocol.Half) bool { return h.Attach(s.up) }

// Host returns the protocol.Host behind it.
func (s *publishSelectorResult[T, R]) Host() protocol.Host { return protocol.HostOf(s.up) }

func (s *publishSelectorResult[T, R]) Cancel() {
	defer s.shared.release() // also if a function that hears of what follows ends the goroutine
	s.up.Cancel()
}
