package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// sequentialInner receives the signals of one inner publisher.
type sequentialInner[T, R any] struct {
	protocol.Inner
	main *flatMapSequentialSubscriber[T, R]
	link protocol.Deferred

	queue    queue.Queue[R] // made by the first element that has to wait; written before hasQueue is set, read after
	consumed int64          // delivered since the last request; owner of out
	hasQueue atomic.Bool
	done     atomic.Bool      // nothing more will be offered
	state    atomic.Uint32    // see sequentialNew
	pulled   bool             // it is asked by the flow and emits into it; written before it is ready, read after
	call     protocol.Calling // in down.OnNext; touched by the signals of this publisher only
}

// States of an inner publisher.
const (
	sequentialNew   = iota
	sequentialReady // OnSubscribe was called
	sequentialOver  // its turn is over, and it was pulled; set by the owner of out
)

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
	in.state.Store(sequentialReady)
	if in.pulled {
		s.run()
		return
	}
	defer in.link.Request(s.prefetch) // also if a function that hears of what follows ends the goroutine
	s.admit()
}

// renew makes in ready for another publisher. The publisher before has sent all its elements within
// requests, and its turn is over: nobody else refers to in.
func (in *sequentialInner[T, R]) renew() {
	in.link = protocol.Deferred{}
	in.done, in.state, in.pulled = atomic.Bool{}, atomic.Uint32{}, false
}

func (in *sequentialInner[T, R]) OnNext(v R) {
	s := in.main
	if in.pulled {
		if s.out.Stopped() {
			in.link.Cancel()
			s.Discard(v)
			return
		}
		s.sent++
		in.call.Next(s.PushDown, v)
		return
	}
	switch {
	case s.out.Stopped():
		s.Discard(v)
		return
	case in.done.Load():
		reactor.DropNext(s.out.Context(), v)
		return
	case s.asking.Here() || !s.out.TryEnter():
		if in.keep(v) {
			s.run()
		} else {
			in.overflow(v, false)
		}
		return
	}
	if q := in.queued(); s.current == in && s.out.Demand() != 0 && !s.out.Stopped() && (q == nil || q.IsEmpty()) && s.out.Sending() {
		in.call.Next(s.PushDown, v)
		s.out.Produced(1)
		if n := in.due(1); n > 0 {
			in.leaveAsking(n)
			return
		}
		s.out.Leave()
		s.asking.Ask(s)
		return
	}
	if in.keep(v) {
		s.out.Pass()
		s.asking.Ask(s)
	} else {
		in.overflow(v, true)
	}
}

// leaveAsking leaves the outlet and then asks for n elements. It does not ask before, because a
// function that hears of the request may end the goroutine.
func (in *sequentialInner[T, R]) leaveAsking(n int64) {
	defer in.link.Request(n) // also if a function that the source calls ends the goroutine
	in.main.out.Leave()
	in.main.asking.Ask(in.main)
}

// Push implements protocol.Pusher.
func (in *sequentialInner[T, R]) Push() func(R) { return in.OnNext }

// keep keeps an element until it is its turn, or reports false if there is no room for it.
func (in *sequentialInner[T, R]) keep(v R) bool {
	if in.queue == nil {
		in.queue = queue.NewSPSC[R](in.main.prefetch)
		in.hasQueue.Store(true)
	}
	return in.queue.Offer(v)
}

// overflow fails the stream because there is no room for v. entered says that the outlet is the caller's.
func (in *sequentialInner[T, R]) overflow(v R, entered bool) {
	s := in.main
	var err error = reactor.Failure(s.op, reactor.ErrOverflow, "an inner publisher sent more than the %d elements it was asked for", s.prefetch)
	failure.InTurn(in.link.Cancel, func() { // each may end the goroutine
		err = reactor.OperatorError(s.out.Context(), err, v)
	}, func() { s.Discard(v) }, func() { in.fail(err) }, func() {
		if entered {
			s.out.Pass()
			s.asking.Ask(s)
		} else {
			s.run()
		}
	})
}

// fail ends this publisher, and unless errors are delayed all of it. The failure is recorded
// before that.
func (in *sequentialInner[T, R]) fail(err error) {
	in.main.out.Refuse(err)
	chaos.Yield()
	in.done.Store(true)
}

func (in *sequentialInner[T, R]) OnError(err error) {
	s := in.main
	if in.call.Failed() {
		// Deferred: a function that hears of the cancellation may end the goroutine.
		if in.pulled {
			defer s.out.UnwindWithin(err)
		} else {
			defer s.out.Unwind(err)
		}
		if !s.out.Cancelled() {
			s.up.Cancel()
		}
		return
	}
	if in.done.Load() || s.out.Stopped() {
		reactor.DropError(s.out.Context(), err)
		return
	}
	s.cont.TakeAnd(err, nil, func(err error) {
		if err == nil {
			in.OnComplete()
			return
		}
		in.fail(err)
		s.run()
	})
}

func (in *sequentialInner[T, R]) OnComplete() {
	in.done.Store(true)
	if !in.pulled { // else the flow is just asking it, and looks
		in.main.run()
	}
}

// due counts n elements that were delivered, and returns how many to request, in batches. Owner of
// out.
func (in *sequentialInner[T, R]) due(n int64) int64 {
	if in.consumed += n; in.consumed < in.main.batch {
		return 0
	}
	n, in.consumed = in.consumed, 0
	return n
}

// queued returns the queue, or nil if no element had to wait yet. Any goroutine.
func (in *sequentialInner[T, R]) queued() queue.Queue[R] {
	if !in.hasQueue.Load() {
		return nil
	}
	return in.queue
}

// isEmpty reports whether nothing waits. Owner of out.
func (in *sequentialInner[T, R]) isEmpty() bool {
	q := in.queued()
	return q == nil || q.IsEmpty()
}
