package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Next emits the first element of src and cancels src; an empty src gives an empty
// stream.
//
//	src:  --- 1 --- 2 --- 3 |
//	      Next()
//	out:  --- 1 |
//
// The first request asks src for everything; src is cancelled before it can send a
// second element. An error that comes before the element passes. The element comes on
// the goroutine of src.
func Next[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &nextPublisher[T]{src: protocol.Trust("next", src)}
}

type nextPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *nextPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &nextSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s)})
}

// Computable reports whether its source can be asked where it is computed: see [direct.Is].
func (p *nextPublisher[T]) Computable() direct.Way { return whole(isPulled(p.src)) }

// Direct implements direct.Source.
func (p *nextPublisher[T]) Direct(ctx context.Context) (T, bool, error) { return computePulled(ctx, p) }

type nextSubscriber[T any] struct {
	protocol.Inner
	ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription // set by OnSubscribe
	requested atomic.Bool
	done      bool // touched by the signals of upstream only
}

func (s *nextSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

// AttachLooking lets h know of the runs of src: see [protocol.Half.AttachLooking].
func (s *nextSubscriber[T]) AttachLooking(h *protocol.Half) bool { return h.AttachLooking(s.up) }

func (s *nextSubscriber[T]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.done = true
	defer single.Last(s.ctx, s.down, v) // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

func (s *nextSubscriber[T]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *nextSubscriber[T]) OnComplete() {
	if !s.done {
		s.done = true
		s.down.OnComplete()
	}
}

func (s *nextSubscriber[T]) Request(int64) {
	if !s.requested.Swap(true) {
		s.up.Request(reactor.Unbounded)
	}
}

func (s *nextSubscriber[T]) Cancel() { s.up.Cancel() }
