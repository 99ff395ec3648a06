package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoMaterialize is [Materialize] for a source of at most one element: it emits the
// first signal of src, which is the element or the end, and completes.
//
//	src:  --- 1 |
//	      MonoMaterialize()
//	out:  --- next(1) |
//
// The first demand passes to src. A signal of the end waits for demand. The signal is
// emitted on the goroutine of src; a signal of the end may be emitted on the goroutine
// of a request.
func MonoMaterialize[T any, S SignalOf[T]](src reactor.Publisher[T]) reactor.Publisher[S] {
	return &monoMaterializePublisher[T, S]{src: protocol.Trust("materialize", src)}
}

type monoMaterializePublisher[T any, S SignalOf[T]] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *monoMaterializePublisher[T, S]) Subscribe(ctx context.Context, s reactor.Subscriber[S]) {
	p.src.Subscribe(ctx, &monoMaterializeSubscriber[T, S]{ctx: ctx, down: protocol.Strict(ctx, s)})
}

type monoMaterializeSubscriber[T any, S SignalOf[T]] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[S]
	arbiter protocol.Arbiter // to src, then to its end

	// Touched by the signals of upstream only.
	up   reactor.Subscription
	call protocol.Calling // inside down.OnNext
	done bool

	asked atomic.Bool // demand has come
	spent atomic.Bool // the signal of the end was emitted
}

func (s *monoMaterializeSubscriber[T, S]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.arbiter.Set(up)
	s.down.OnSubscribe(s)
}

func (s *monoMaterializeSubscriber[T, S]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.done = true
	s.call.Deliver(s.down, S(reactor.NextSignal(v)))
	s.down.OnComplete()
}

func (s *monoMaterializeSubscriber[T, S]) OnError(err error) {
	switch {
	case s.call.Failed():
		s.down.OnError(err)
	case s.done:
		reactor.DropError(s.ctx, err)
	default:
		s.end(reactor.ErrorSignal[T](err))
	}
}

func (s *monoMaterializeSubscriber[T, S]) OnComplete() {
	if !s.done {
		s.end(reactor.CompleteSignal[T]())
	}
}

// end emits the signal of the end as soon as there is demand.
func (s *monoMaterializeSubscriber[T, S]) end(last reactor.Signal[T]) {
	s.done = true
	if s.arbiter.Next(0) {
		s.arbiter.Set(&fallbackValue[S]{ctx: s.ctx, down: s.down, value: S(last), ended: s.up, spent: &s.spent})
	}
}

// Request asks src, the first time.
func (s *monoMaterializeSubscriber[T, S]) Request(n int64) {
	if !s.asked.Swap(true) {
		s.arbiter.Request(n)
	}
}

func (s *monoMaterializeSubscriber[T, S]) Cancel() { s.arbiter.Cancel() }
