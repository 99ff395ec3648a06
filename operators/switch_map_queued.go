package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// switchChunk is how many elements the queue of a switchMap with prefetch grows by.
const switchChunk = 64

// switchMapQueued is switchMap with a prefetch: the elements of all inner publishers go
// through one queue, and those of publishers that were replaced are discarded when their
// turn comes.
type switchMapQueued[T, R any] struct {
	protocol.Inner
	switchMapConfig
	ctx     context.Context
	down    reactor.Subscriber[R]
	push    func(R) // hands elements to down
	fn      func(T) reactor.Publisher[R]
	discard func(any)            // nil if nobody wants what is discarded
	up      reactor.Subscription // set by OnSubscribe

	queue     *queue.MPSC[switchedElement[T, R]] // offered to by the inner publishers, polled by the owner of drain
	current   atomic.Pointer[switchMapQueuedInner[T, R]]
	requested atomic.Int64
	failures  protocol.Failures
	done      atomic.Bool // no further elements will come
	stop      atomic.Bool // nothing is to be delivered any more: cancelled, failed, or ended
	drain     protocol.Drain

	// Touched by the owner of drain only.
	over bool // the end was sent, or downstream has gone
	hand protocol.Hand[R]
}

type switchedElement[T, R any] struct {
	from  *switchMapQueuedInner[T, R]
	value R
}

func newSwitchMapQueued[T, R any](
	ctx context.Context, s reactor.Subscriber[R], fn func(T) reactor.Publisher[R], c switchMapConfig,
) *switchMapQueued[T, R] {
	down := protocol.Strict(ctx, s)
	return &switchMapQueued[T, R]{
		ctx: ctx, down: down, push: protocol.Push(down), fn: fn, switchMapConfig: c,
		discard: reactor.DiscardHookFor[T](ctx), queue: queue.NewMPSC[switchedElement[T, R]](switchChunk),
	}
}

func (s *switchMapQueued[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	up.Request(reactor.Unbounded)
}

func (s *switchMapQueued[T, R]) OnNext(v T) {
	switch {
	case s.stop.Load():
		discardTo(s.discard, v)
		return
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
		return
	}
	if old := s.current.Load(); old != nil {
		s.current.Store(nil) // in case fn fails
		old.link.Cancel()
	}
	p := protocol.Trust(s.op, s.fn(v))
	in := &switchMapQueuedInner[T, R]{main: s, refill: protocol.NewRefill(s.prefetch)}
	s.current.Store(in)
	chaos.Yield()
	if s.stop.Load() {
		// Whoever stopped it may not have seen the new one.
		discardTo(s.discard, v)
		return
	}
	p.Subscribe(s.ctx, in)
}

func (s *switchMapQueued[T, R]) OnError(err error) {
	if s.done.Load() || s.stop.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.OnComplete()
}

func (s *switchMapQueued[T, R]) OnComplete() {
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand of downstream.
func (s *switchMapQueued[T, R]) Request(n int64) {
	protocol.AddDemand(&s.requested, n)
	s.drain.Run(s)
}

// Cancel stops the source and the current inner publisher, and discards what waits.
func (s *switchMapQueued[T, R]) Cancel() {
	if !s.stop.Swap(true) {
		s.drain.Run(s)
	}
}

// DrainPass implements protocol.Drainer.
func (s *switchMapQueued[T, R]) DrainPass() {
	for {
		if s.ended() {
			return
		}
		demand := s.requested.Load()
		if demand == 0 {
			return
		}
		e, ok := s.queue.Poll()
		if !ok {
			return
		}
		if e.from != s.current.Load() {
			discardTo(s.discard, e.value)
			continue
		}
		s.hand.Hold(e.value)
		s.push(e.value)
		s.hand.LetGo()
		if demand != reactor.Unbounded {
			protocol.Produced(&s.requested, 1)
		}
		if n := e.from.refill.Consumed(1); n > 0 {
			e.from.link.Request(n)
		}
	}
}

// idle reports whether neither the source nor the current inner publisher has anything
// left to send.
func (s *switchMapQueued[T, R]) idle() bool {
	if !s.done.Load() {
		return false
	}
	in := s.current.Load()
	return in == nil || in.done.Load()
}

// ended reports whether nothing more is to be delivered. It is what ends the stream.
func (s *switchMapQueued[T, R]) ended() bool {
	switch {
	case s.over || s.stop.Load():
		s.close()
		return true
	case !s.delayErrors && s.failures.Any():
		err := s.failures.Terminate()
		s.close()
		s.down.OnError(err)
		return true
	}
	if !s.idle() || !s.queue.IsEmpty() {
		return false
	}
	s.over = true
	s.stop.Store(true)
	protocol.Finish(s.down, s.failures.Terminate())
	return true
}

// close stops everything, the first time, and discards what waits.
func (s *switchMapQueued[T, R]) close() {
	if !s.over {
		s.over = true
		s.stop.Store(true)
		if !s.done.Load() {
			s.up.Cancel()
		}
		chaos.Yield()
		if in := s.current.Load(); in != nil && !in.done.Load() {
			in.link.Cancel()
		}
	}
	for e, ok := s.queue.Poll(); ok; e, ok = s.queue.Poll() {
		discardTo(s.discard, e.value)
	}
}

// DrainCrashed implements protocol.Drainer.
func (s *switchMapQueued[T, R]) DrainCrashed(err error) {
	over := s.over
	s.close()
	s.hand.Crash(s.ctx, s.down, over, err)
}

// switchMapQueuedInner receives the signals of one inner publisher.
type switchMapQueuedInner[T, R any] struct {
	protocol.Inner
	main   *switchMapQueued[T, R]
	link   protocol.Deferred
	done   atomic.Bool
	refill protocol.Refill // touched by the owner of main.drain
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
		reactor.DropNext(s.ctx, v)
	case s.stop.Load() || s.current.Load() != in:
		discardTo(s.discard, v)
	default:
		s.queue.Offer(switchedElement[T, R]{in, v})
		s.drain.Run(s)
	}
}

// Push implements protocol.Pusher.
func (in *switchMapQueuedInner[T, R]) Push() func(R) { return in.OnNext }

func (in *switchMapQueuedInner[T, R]) OnError(err error) {
	s := in.main
	if in.done.Load() || s.stop.Load() || s.current.Load() != in || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	in.OnComplete()
}

func (in *switchMapQueuedInner[T, R]) OnComplete() {
	in.done.Store(true)
	in.main.drain.Run(in.main)
}
