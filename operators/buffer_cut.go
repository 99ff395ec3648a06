package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// newBufferCut returns the publisher of buffers between the boundaries that a cutter
// finds; there is one for each subscription.
func newBufferCut[T any](op string, src reactor.Publisher[T], newCutter func() cutter[T]) reactor.Publisher[[]T] {
	return &bufferCutPublisher[T]{op: op, src: protocol.Trust(op, src), newCutter: newCutter}
}

type bufferCutPublisher[T any] struct {
	protocol.Op
	op        string
	src       reactor.Publisher[T]
	newCutter func() cutter[T]
}

func (p *bufferCutPublisher[T]) Subscribe(ctx context.Context, down reactor.Subscriber[[]T]) {
	s := &bufferCutSubscriber[T]{op: p.op, cut: p.newCutter(), spent: pending.SpentFor[T](ctx)}
	s.init(ctx, down, 0)
	s.stride = whole
	p.src.Subscribe(ctx, s)
}

// bufferCutSubscriber asks src for as many elements as buffers are wanted, then for
// one at a time until there are as many.
type bufferCutSubscriber[T any] struct {
	restSlicer[T]
	op      string
	cut     cutter[T]    // signals of upstream
	spent   func(T)      // takes elements that belong to no buffer; may be nil
	awaited atomic.Int64 // elements asked of src that have not come
	ended   bool         // src sent more than it was asked for; signals of upstream
}

func (s *bufferCutSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *bufferCutSubscriber[T]) OnNext(v T) {
	if s.ended {
		reactor.DropNext(s.ctx, v)
		return
	}
	switch s.cut(v) {
	case cutNone:
		s.kept.Push(v)
	case cutAfter:
		if s.kept.Push(v) {
			s.flush(1)
		}
	case cutBefore:
		failure.Before(s.ctx, v, func() { s.flush(0) })
		s.kept.Push(v)
	case cutOut:
		s.flush(0)
		if s.spent != nil {
			s.spent(v)
		}
	}
	if demand.Produced(&s.awaited, 1) == 0 && s.demand.Load() > 0 && s.awaited.CompareAndSwap(0, 1) {
		s.up.Request(1)
	}
}

// flush emits the open buffer, unless it is empty; guarded is how many of its elements
// the guard upstream takes care of.
func (s *bufferCutSubscriber[T]) flush(guarded int) {
	buf := s.take()
	if len(buf) == 0 {
		return
	}
	if s.demand.Load() == 0 {
		s.ended = true
		failure.InTurn(s.Cancel, func() { pending.DiscardAll(s.kept.Discard, buf) }, func() {
			s.down.OnError(reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the buffer"))
		})
		return
	}
	demand.Produced(&s.demand, 1)
	s.SendOwn(buf, len(buf)-guarded)
}

// OnError drops what comes after an overflow.
func (s *bufferCutSubscriber[T]) OnError(err error) {
	if s.ended {
		reactor.DropError(s.ctx, err)
		return
	}
	s.restSlicer.OnError(err)
}

// OnComplete leaves the open buffer to the drain.
func (s *bufferCutSubscriber[T]) OnComplete() {
	if !s.ended {
		s.restSlicer.OnComplete()
	}
}

// Request asks for n elements: there may be a buffer in each.
func (s *bufferCutSubscriber[T]) Request(n int64) {
	// In this order: OnNext asks for one more when it sees demand and nothing awaited, and
	// each element asked for may need a buffer of its own.
	demand.Add(&s.awaited, n)
	chaos.Yield()
	demand.Add(&s.demand, n)
	if s.done.Load() {
		s.drain.Run(s)
		return
	}
	s.up.Request(n)
}
