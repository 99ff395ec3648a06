package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TakeOption changes how [Take] asks for elements.
type TakeOption interface{ applyTake(*takeConfig) }

type takeConfig struct{ unlimited bool }

// UnlimitedRequestOption lets demand pass that is greater than what will be delivered.
type UnlimitedRequestOption struct{}

// UnlimitedRequest makes [Take] pass demand on as it comes; without it Take never
// requests more than it will deliver. If the first request covers all elements to
// deliver, Take requests everything. It is for sources that are faster when asked for
// everything, and cheap to cancel.
func UnlimitedRequest() UnlimitedRequestOption { return UnlimitedRequestOption{} }

func (UnlimitedRequestOption) applyTake(c *takeConfig) { c.unlimited = true }

// Take emits the first n elements, then cancels src and completes.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Take(2)
//	out:  1 --- 2 |
//
// No more than n elements are requested in total, unless [UnlimitedRequest] is given.
// Take(0) completes without subscribing to src; with UnlimitedRequest it subscribes and
// cancels. A negative n panics.
func Take[T any](src reactor.Publisher[T], n int, opts ...TakeOption) reactor.Publisher[T] {
	argument.NotNegative("take", "count", n)
	var c takeConfig
	for _, o := range argument.Options("take", opts) {
		o.applyTake(&c)
	}
	return &takePublisher[T]{src: protocol.Trust("take", src), n: count(n), config: c}
}

type takePublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	n      int64
	config takeConfig
}

func (p *takePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if p.n == 0 && !p.config.unlimited {
		protocol.Complete(protocol.Strict(ctx, s))
		return
	}
	sub := &takeSubscriber[T]{left: p.n, unlimited: p.config.unlimited}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	sub.askable.Store(p.n)
	p.src.Subscribe(ctx, sub)
}

type takeSubscriber[T any] struct {
	elementwise.Passing
	down      reactor.Subscriber[T]
	left      int64        // not delivered yet; signals of upstream
	askable   atomic.Int64 // not requested yet
	unlimited bool
	asked     atomic.Bool // there was a request
}

func (s *takeSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	if s.left == 0 {
		defer s.Finish() // also if downstream ends the goroutine
		s.Down.OnSubscribe(protocol.Empty)
		return
	}
	s.Down.OnSubscribe(s)
}

func (s *takeSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	s.left--
	s.down.OnNext(v)
	s.taken()
}

// taken ends the stream after the last element.
func (s *takeSubscriber[T]) taken() {
	if s.left == 0 {
		s.Finish()
	}
}

func (s *takeSubscriber[T]) Request(n int64) {
	if s.unlimited {
		// Asked for all that it will deliver, it asks for everything.
		if !s.asked.Swap(true) && n >= s.askable.Load() {
			n = reactor.Unbounded
		}
		s.Up.Request(n)
		return
	}
	for {
		can := s.askable.Load()
		if can == 0 {
			return
		}
		n = min(n, can)
		if s.askable.CompareAndSwap(can, can-n) {
			s.Up.Request(n)
			return
		}
	}
}

func (s *takeSubscriber[T]) Cancel() { s.Up.Cancel() }

// Push implements protocol.Pusher.
func (s *takeSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.Done {
			reactor.DropNext(s.Ctx, v)
			return
		}
		s.left--
		next(v)
		s.taken()
	}
}
