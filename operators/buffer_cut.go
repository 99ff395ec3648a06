package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/batch"
	"github.com/goreactor/reactor/internal/stage/boundary"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// newBufferCut returns the publisher of buffers between the boundaries that a cutter
// finds; there is one for each subscription.
func newBufferCut[T any](op string, src reactor.Publisher[T], newCutter func() boundary.Cutter[T]) reactor.Publisher[[]T] {
	return &bufferCutPublisher[T]{op: op, src: protocol.Trust(op, src), newCutter: newCutter}
}

type bufferCutPublisher[T any] struct {
	protocol.Op
	op        string
	src       reactor.Publisher[T]
	newCutter func() boundary.Cutter[T]
}

func (p *bufferCutPublisher[T]) Subscribe(ctx context.Context, down reactor.Subscriber[[]T]) {
	s := &bufferCutSubscriber[T]{op: p.op, cut: p.newCutter(), spent: pending.SpentFor[T](ctx)}
	s.Init(ctx, down, 0)
	s.Stride = batch.Whole
	p.src.Subscribe(ctx, s)
}

// bufferCutSubscriber asks src for as many elements as buffers are wanted, then for
// one at a time until there are as many.
type bufferCutSubscriber[T any] struct {
	batch.RestSlicer[T]
	op      string
	cut     boundary.Cutter[T] // signals of upstream
	spent   func(T)            // takes elements that belong to no buffer; may be nil
	awaited atomic.Int64       // elements asked of src that have not come
	ended   bool               // src sent more than it was asked for; signals of upstream
}

func (s *bufferCutSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *bufferCutSubscriber[T]) OnNext(v T) {
	if s.ended {
		reactor.DropNext(s.Ctx, v)
		return
	}
	switch s.cut(v) {
	case boundary.None:
		s.Kept.Push(v)
	case boundary.After:
		if s.Kept.Push(v) {
			s.flush(1)
		}
	case boundary.Before:
		failure.Before(s.Ctx, v, func() { s.flush(0) })
		s.Kept.Push(v)
	case boundary.Out:
		s.flush(0)
		if s.spent != nil {
			s.spent(v)
		}
	}
	if demand.Produced(&s.awaited, 1) == 0 && s.Demand.Load() > 0 && s.awaited.CompareAndSwap(0, 1) {
		s.Up.Request(1)
	}
}

// flush emits the open buffer, unless it is empty; guarded is how many of its elements
// the guard upstream takes care of.
func (s *bufferCutSubscriber[T]) flush(guarded int) {
	buf := s.Take()
	if len(buf) == 0 {
		return
	}
	if s.Demand.Load() == 0 {
		s.ended = true
		failure.InTurn(s.Cancel, func() { pending.DiscardAll(s.Kept.Discard, buf) }, func() {
			s.Down.OnError(reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the buffer"))
		})
		return
	}
	demand.Produced(&s.Demand, 1)
	s.SendOwn(buf, len(buf)-guarded)
}

// OnError drops what comes after an overflow.
func (s *bufferCutSubscriber[T]) OnError(err error) {
	if s.ended {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.cut = boundary.Nowhere // the key of the last element goes with the end, not with the subscription
	s.RestSlicer.OnError(err)
}

// OnComplete leaves the open buffer to the drain.
func (s *bufferCutSubscriber[T]) OnComplete() {
	if !s.ended {
		s.cut = boundary.Nowhere
		s.RestSlicer.OnComplete()
	}
}

// Request asks for n elements: there may be a buffer in each.
func (s *bufferCutSubscriber[T]) Request(n int64) {
	// In this order: OnNext asks for one more when it sees demand and nothing awaited, and
	// each element asked for may need a buffer of its own.
	demand.Add(&s.awaited, n)
	chaos.Yield()
	demand.Add(&s.Demand, n)
	if s.Done.Load() {
		s.Drain.Run(s)
		return
	}
	s.Up.Request(n)
}
