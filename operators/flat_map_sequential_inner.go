package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// sequentialInner receives the signals of one inner publisher.
type sequentialInner[T, R any] struct {
	protocol.Inner
	main *flatMapSequentialSubscriber[T, R]
	link protocol.Deferred

	queue    queue.Queue[R] // made by the first element that has to wait; written before hasQueue is set, read after
	hasQueue atomic.Bool
	done     atomic.Bool      // nothing more will be offered
	refill   protocol.Refill  // touched by the owner of the drain
	pulled   bool             // it is asked by the drain and emits into it; written before ready is set, read after
	ready    atomic.Bool      // OnSubscribe was called
	call     protocol.Calling // in down.OnNext; touched by the signals of this publisher only
}

func (in *sequentialInner[T, R]) OnSubscribe(up reactor.Subscription) {
	s := in.main
	if sync, ok := up.(protocol.Synchronous); ok {
		// With user functions in between it makes a difference to them when they
		// run: ahead of demand, as with any other publisher.
		in.pulled = sync.Feeds(in)
	}
	if !in.link.Set(up) {
		return
	}
	in.ready.Store(true)
	s.drain.Run(s)
	if !in.pulled {
		in.link.Request(s.prefetch)
	}
}

func (in *sequentialInner[T, R]) OnNext(v R) {
	s := in.main
	if in.pulled {
		if s.stop.Load() {
			in.link.Cancel()
			discardTo(s.discard, v)
			return
		}
		s.sent++
		in.call.Next(s.push, v)
		return
	}
	switch {
	case s.stop.Load():
		discardTo(s.discard, v)
		return
	case in.done.Load():
		reactor.DropNext(s.ctx, v)
		return
	case !s.drain.TryEnter():
		in.offer(v)
		s.drain.Run(s)
		return
	}
	demand := s.requested.Load()
	if q := in.queued(); s.current == in && demand != 0 && !s.stop.Load() && (q == nil || q.IsEmpty()) {
		in.call.Next(s.push, v)
		if demand != reactor.Unbounded {
			protocol.Produced(&s.requested, 1)
		}
		if n := in.refill.Consumed(1); n > 0 {
			in.link.Request(n)
		}
	} else {
		in.offer(v)
		s.drain.Announce()
	}
	s.drain.Leave(s)
}

// Push implements protocol.Pusher.
func (in *sequentialInner[T, R]) Push() func(R) { return in.OnNext }

// offer keeps an element until it is its turn. If there is no room for it, it fails the
// stream.
func (in *sequentialInner[T, R]) offer(v R) {
	s := in.main
	if in.queue == nil {
		in.queue = newSPSC[R](s.prefetch)
		in.hasQueue.Store(true)
	}
	if in.queue.Offer(v) {
		return
	}
	in.link.Cancel()
	err := reactor.OperatorError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow,
		"an inner publisher sent more than the %d elements it was asked for", s.prefetch), v)
	discardTo(s.discard, v)
	if s.failures.Add(err) {
		in.failed()
	}
}

// failed ends this publisher, and unless errors are delayed all of it, after its failure
// was recorded.
func (in *sequentialInner[T, R]) failed() {
	chaos.Yield()
	s := in.main
	if !s.delayErrors {
		s.stop.Store(true)
		s.up.Cancel()
	}
	in.done.Store(true)
}

func (in *sequentialInner[T, R]) OnError(err error) {
	s := in.main
	if in.call.Failed() {
		// It is the failure of an element on its way down from here.
		s.crashed(err)
		if !in.pulled {
			s.drain.Leave(s)
		}
		return
	}
	if in.done.Load() || s.stop.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	if err = s.cont.Take(err, nil); err == nil {
		in.OnComplete()
		return
	}
	if !s.failures.Add(err) {
		in.done.Store(true)
		reactor.DropError(s.ctx, err)
		return
	}
	in.failed()
	s.drain.Run(s)
}

func (in *sequentialInner[T, R]) OnComplete() {
	in.done.Store(true)
	in.main.drain.Run(in.main)
}

// queued returns the queue, or nil if no element had to wait yet. Any goroutine.
func (in *sequentialInner[T, R]) queued() queue.Queue[R] {
	if !in.hasQueue.Load() {
		return nil
	}
	return in.queue
}

// isEmpty reports whether nothing waits. Owner of the drain.
func (in *sequentialInner[T, R]) isEmpty() bool {
	q := in.queued()
	return q == nil || q.IsEmpty()
}
