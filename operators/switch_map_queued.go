package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// switchChunk is how many elements the queue of a switchMap with prefetch grows by.
const switchChunk = 64

// switchMapQueued is switchMap with a prefetch: the elements of all inner publishers go through
// one queue, and the elements of a replaced publisher are discarded when the next publisher
// comes; elements that come later are discarded when it is their turn.
type switchMapQueued[T, R any] struct {
	protocol.Inner
	switchMapConfig
	protocol.Sender[R]
	out     protocol.Outlet
	fn      func(T) reactor.Publisher[R]
	up      reactor.Subscription               // set by OnSubscribe
	upEnded atomic.Bool                        // the source has failed
	queue   *queue.MPSC[switchedElement[T, R]] // offered to by the inner publishers, polled by the owner of out
	current atomic.Pointer[switchMapQueuedInner[T, R]]
}

type switchedElement[T, R any] struct {
	from  *switchMapQueuedInner[T, R]
	value R
}

func newSwitchMapQueued[T, R any](
	ctx context.Context, s reactor.Subscriber[R], fn func(T) reactor.Publisher[R], c switchMapConfig,
) *switchMapQueued[T, R] {
	m := &switchMapQueued[T, R]{fn: fn, switchMapConfig: c, queue: queue.NewMPSC[switchedElement[T, R]](switchChunk)}
	m.Attach(&m.out, ctx, s, m)
	m.out.DelayErrors = c.delayErrors
	return m
}

func (s *switchMapQueued[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.out.Begin()
}

func (s *switchMapQueued[T, R]) OnNext(v T) {
	if s.out.Closed() {
		s.Late(&s.out, v)
		return
	}
	old := s.current.Load()
	replaced := old != nil
	if replaced {
		s.current.Store(nil) // in case fn fails
		failure.Beside(s.out.Context(), v, old.link.Cancel)
	}
	p := protocol.Trust(s.op, s.fn(v))
	in := &switchMapQueuedInner[T, R]{main: s, refill: demand.NewRefill(s.prefetch)}
	s.current.Store(in)
	chaos.Yield()
	if replaced {
		s.out.Run() // discards what it has sent
	}
	if s.out.Stopped() {
		// The call that has stopped the outlet may not have seen the new one.
		s.Discard(v)
		return
	}
	p.Subscribe(s.out.Context(), in)
}

func (s *switchMapQueued[T, R]) OnError(err error) {
	switch {
	case s.out.Stopped():
		reactor.DropError(s.out.Context(), err)
	case s.delayErrors || s.out.Done():
		s.out.End(err)
	default:
		s.upEnded.Store(true)
		s.out.Fail(err)
	}
}

func (s *switchMapQueued[T, R]) OnComplete() { s.out.End(nil) }

// Flow implements protocol.Flow, as do the methods below: it delivers the elements of the
// current inner publisher.
func (s *switchMapQueued[T, R]) Flow() {
	for s.out.Open() {
		if s.out.Demand() == 0 {
			if s.dropStale() {
				continue // that may have been all
			}
			return
		}
		e, ok := s.queue.Poll()
		if !ok {
			return
		}
		if e.from != s.current.Load() {
			s.Discard(e.value)
			continue
		}
		s.InFlight.Send(s.PushDown, e.value)
		s.out.Produced(1)
		if n := e.from.refill.Consumed(1); n > 0 {
			e.from.link.Request(n)
		}
	}
}

// dropStale discards the elements of replaced publishers at the head of the queue, and reports
// whether there were any. These elements do not wait for demand, because they would keep the end
// back.
func (s *switchMapQueued[T, R]) dropStale() bool {
	dropped := false
	for {
		e, ok := s.queue.Peek()
		if !ok || e.from == s.current.Load() {
			return dropped
		}
		s.queue.Poll()
		s.Discard(e.value)
		dropped = true
	}
}

func (s *switchMapQueued[T, R]) Dry() bool {
	in := s.current.Load()
	return (in == nil || in.done.Load()) && s.queue.IsEmpty()
}

func (s *switchMapQueued[T, R]) Stop() {
	defer s.stopCurrent() // also if a function that hears of what follows ends the goroutine
	if !s.out.Done() && !s.upEnded.Load() {
		s.up.Cancel()
	}
}

func (s *switchMapQueued[T, R]) stopCurrent() {
	chaos.Yield()
	if in := s.current.Load(); in != nil && !in.done.Load() {
		in.link.Cancel()
	}
}

func (s *switchMapQueued[T, R]) Drop() {
	defer s.out.DropFailures()
	for e, ok := s.queue.Poll(); ok; e, ok = s.queue.Poll() {
		s.Discard(e.value)
	}
}

// switchMapQueuedInner receives the signals of one inner publisher.
type switchMapQueuedInner[T, R any] struct {
	protocol.Inner
	main   *switchMapQueued[T, R]
	link   protocol.Deferred
	done   atomic.Bool
	refill demand.Refill // touched by the owner of main.out
}

func (in *switchMapQueuedInner[T, R]) OnSubscribe(up reactor.Subscription) {
	if in.link.Set(up) {
		up.Request(in.main.prefetch)
	}
}

func (in *switchMapQueuedInner[T, R]) OnNext(v R) {
	s := in.main
	switch {
	case in.done.Load():
		reactor.DropNext(s.out.Context(), v)
	case s.out.Stopped() || s.current.Load() != in:
		s.Discard(v)
	default:
		s.queue.Offer(switchedElement[T, R]{in, v})
		s.out.Run()
	}
}

// Push implements protocol.Pusher.
func (in *switchMapQueuedInner[T, R]) Push() func(R) { return in.OnNext }

func (in *switchMapQueuedInner[T, R]) OnError(err error) {
	s := in.main
	if in.done.Load() || s.out.Stopped() || s.current.Load() != in {
		reactor.DropError(s.out.Context(), err)
		return
	}
	if s.out.Refuse(err) {
		in.OnComplete()
	}
}

func (in *switchMapQueuedInner[T, R]) OnComplete() {
	in.done.Store(true)
	in.main.out.Run()
}
