package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// OnBackpressureDrop asks src for everything and discards the elements that there is no
// demand for.
//
//	src:       1 - 2 - 3 - 4 |
//	           OnBackpressureDrop()
//	demand:    1 --------- 1
//	out:       1 --------- 4 |
//
// Everything happens on the goroutine of src.
func OnBackpressureDrop[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &backpressureDropPublisher[T]{src: protocol.Trust("onBackpressureDrop", src)}
}

// OnBackpressureDropFunc is [OnBackpressureDrop], and calls onDrop with each element
// before it is discarded. A panic of onDrop ends the stream.
func OnBackpressureDropFunc[T any](src reactor.Publisher[T], onDrop func(T)) reactor.Publisher[T] {
	argument.Given("onBackpressureDrop", "function", onDrop != nil)
	return &backpressureDropPublisher[T]{src: protocol.Trust("onBackpressureDrop", src), onDrop: onDrop}
}

// OnBackpressureError asks src for everything and fails with reactor.ErrOverflow when
// there is no demand for an element; that element is discarded.
//
//	src:       1 - 2 - 3 - 4 |
//	           OnBackpressureError()
//	demand:    2
//	out:       1 - 2 - #
//
// Everything happens on the goroutine of src.
func OnBackpressureError[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &backpressureDropPublisher[T]{src: protocol.Trust("onBackpressureError", src), fail: true}
}

type backpressureDropPublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	onDrop func(T) // nil if nobody wants to know
	fail   bool
}

func (p *backpressureDropPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &backpressureDropSubscriber[T]{discard: reactor.DiscardHookFor[T](ctx), onDrop: p.onDrop, fail: p.fail}
	s.down = protocol.Strict(ctx, sub)
	s.Ctx, s.Down = ctx, s.down
	p.src.Subscribe(ctx, s)
}

type backpressureDropSubscriber[T any] struct {
	protocol.Link
	down    reactor.Subscriber[T]
	discard func(any) // nil if nobody wants what is discarded
	onDrop  func(T)
	fail    bool
	demand  atomic.Int64 // added to by downstream, taken from by upstream's signals
}

func (s *backpressureDropSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.Down.OnSubscribe(s)
}

func (s *backpressureDropSubscriber[T]) OnNext(v T) { s.next(s.down.OnNext, v) }

// Push implements protocol.Pusher.
func (s *backpressureDropSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if !s.Done && s.demand.Load() == reactor.Unbounded {
			next(v)
			return
		}
		s.next(next, v)
	}
}

// next hands v to next if there is demand.
func (s *backpressureDropSubscriber[T]) next(next func(T), v T) {
	switch {
	case s.Done:
		reactor.DropNext(s.Ctx, v)
	case s.demand.Load() > 0:
		next(v)
		demand.Produced(&s.demand, 1)
	case s.fail:
		s.Fail(reactor.Failure("onBackpressureError", reactor.ErrOverflow, "no demand for the element"), v)
	default:
		if s.onDrop != nil {
			s.onDrop(v)
		}
		if s.discard != nil {
			s.discard(v)
		}
	}
}

// Request adds to the demand of downstream.
func (s *backpressureDropSubscriber[T]) Request(n int64) { demand.Add(&s.demand, n) }

// Cancel stops upstream.
func (s *backpressureDropSubscriber[T]) Cancel() { s.Up.Cancel() }

// Attach lets h know of the runs of the source, which do not come from within Request.
func (s *backpressureDropSubscriber[T]) Attach(h *protocol.Half) bool {
	return !h.WantsRequested() && h.Attach(s.Up)
}

// Host returns the protocol.Host behind it.
func (s *backpressureDropSubscriber[T]) Host() protocol.Host { return protocol.HostOf(s.Up) }
