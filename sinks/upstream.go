package sinks

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
)

// UpstreamSink is a [ManySink] that may be fed by a publisher instead of by emissions.
type UpstreamSink[T any] struct {
	ManySink[T]
	buffer *multicastBuffer[T]
	feed   upstream[T]
}

// ManyWithUpstream returns the sink of [MulticastSpec.OnBackpressureBuffer] in a form that can
// also subscribe to a publisher; see [UpstreamSink.SubscribeTo].
func (s Spec) ManyWithUpstream[T any](opts ...MulticastOption) *UpstreamSink[T] {
	c := multicastConfigOf(opts)
	u := &UpstreamSink[T]{buffer: newMulticastBuffer[T](c.capacity, c.autoCancel)}
	u.ManySink = *many(s, core[T](u.buffer))
	u.feed.sink = u.buffer
	u.feed.prefetch = int64(c.capacity)
	u.buffer.fanout.Closing = func() {
		u.feed.watch.End()
		u.feed.up.Cancel()
		u.buffer.wait.Wake()
	}
	u.buffer.fanout.Consumed = u.feed.consumed
	return u
}

// SubscribeTo makes the sink a subscriber of p and returns a handle: disposing it cancels
// p, and the subscribers fail with reactor.ErrCancelled. p is asked for 256 elements, or as
// many as [Capacity] says, less those that wait already, and then for as many as were
// delivered. p is cancelled when the sink ends. The end of ctx cancels p too, and fails the
// subscribers with context.Cause(ctx).
//
// SubscribeTo can be called once; another call fails with reactor.ErrIllegalState. From
// then on only p feeds the sink: nobody else may emit.
func (u *UpstreamSink[T]) SubscribeTo(ctx context.Context, p reactor.Publisher[T]) (reactor.Disposable, error) {
	u.made()
	src := protocol.Trust("sink", p)
	argument.Given("sink", "context", ctx != nil)
	if u.feed.taken.Swap(true) {
		return nil, reactor.Failure("sink", reactor.ErrIllegalState, "it has subscribed to a publisher before")
	}
	u.feed.ctx = ctx
	u.feed.free.Add(u.feed.prefetch - u.buffer.accepted)
	if u.buffer.fanout.Ended() { // perhaps elements wait before the end: nothing may come behind it
		u.feed.done = true
		u.feed.up.Cancel()
	}
	if ctx.Err() != nil {
		u.feed.stop(reactor.NonNil(context.Cause(ctx)))
		return &u.feed, nil
	}
	u.feed.watch.Start(ctx, u.feed.stop)
	src.Subscribe(ctx, &u.feed)
	return &u.feed, nil
}

// upstream is the subscriber of the publisher, and the handle to end it.
type upstream[T any] struct {
	protocol.Inner
	sink     *multicastBuffer[T]
	prefetch int64
	taken    atomic.Bool
	ctx      context.Context // written before the publisher is subscribed
	up       protocol.Deferred
	watch    multicast.Watch // over ctx
	open     atomic.Bool     // up may be asked
	free     atomic.Int64    // how many elements the publisher may be asked for; what was emitted before SubscribeTo counts against that
	done     bool            // touched by the signals of the publisher only
}

// String returns "connection", for who prints the handle: package fmt would read the fields that others write meanwhile.
func (s *upstream[T]) String() string { return "connection" }

func (s *upstream[T]) OnSubscribe(up reactor.Subscription) {
	if s.up.Set(up) {
		s.open.Store(true)
		s.consumed(0)
	}
}

// consumed asks for n elements more: so many were delivered.
func (s *upstream[T]) consumed(n int64) {
	left := s.free.Add(n)
	chaos.Yield()
	for s.open.Load() && left > 0 {
		if s.free.CompareAndSwap(left, 0) {
			s.up.Request(left)
			return
		}
		left = s.free.Load()
	}
}

func (s *upstream[T]) OnNext(v T) {
	switch {
	case s.done:
		reactor.DropNext(s.ctx, v)
	case s.sink.fanout.Stopped():
		reactor.Discard(s.ctx, v)
	case !s.sink.fanout.Offer(v):
		s.done = true
		failure.InTurn(s.up.Cancel, func() {
			err := reactor.OperatorError(s.ctx, reactor.Failure("sink", reactor.ErrOverflow,
				"the source sent more than the %d elements it was asked for", s.prefetch), v)
			reactor.Discard(s.ctx, v)
			s.sink.fanout.End(err)
		})
	}
}

func (s *upstream[T]) OnError(err error) {
	if s.done || s.sink.fanout.Stopped() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.up.Close()
	s.watch.End()
	s.sink.fanout.End(err)
}

func (s *upstream[T]) OnComplete() {
	if !s.done {
		s.done = true
		s.up.Close()
		s.watch.End()
		s.sink.fanout.End(nil)
	}
}

// Dispose cancels the publisher and fails the subscribers.
func (s *upstream[T]) Dispose() {
	if !s.IsDisposed() {
		failure.Outside(func() { s.stop(reactor.Failure("sink", reactor.ErrCancelled, "detached from its source")) })
	}
}

// stop cancels the publisher and fails the subscribers with err.
func (s *upstream[T]) stop(err error) {
	defer s.sink.fanout.Stop(err) // also if a function that hears of the cancellation ends the goroutine
	s.up.Cancel()
}

// IsDisposed reports whether the sink has ended.
func (s *upstream[T]) IsDisposed() bool { return s.sink.fanout.Stopped() || s.sink.fanout.Closed() }
