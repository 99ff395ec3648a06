package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// bufferTimeoutFairPublisher is BufferTimeout with FairBackpressure.
type bufferTimeoutFairPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	size  int
	timer trigger

	verbatim bool // demand that comes back flushes
}

func (p *bufferTimeoutFairPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[[]T]) {
	s := &bufferTimeoutFairSubscriber[T]{
		size:     p.size,
		prefetch: demand.Product(int64(p.size), 4),
		refill:   demand.Product(int64(p.size), 2),
		timer:    p.timer,
		verbatim: p.verbatim,
	}
	s.Attach(&s.out, ctx, sub, s)
	s.queue = queue.NewSPSC[T](s.prefetch)
	p.src.Subscribe(ctx, s)
}

// bufferTimeoutFairSubscriber queues elements and makes buffers of them when there is
// demand.
type bufferTimeoutFairSubscriber[T any] struct {
	protocol.Inner
	protocol.SliceSender[T]
	out      protocol.Outlet
	up       reactor.Subscription // set by OnSubscribe
	queue    queue.SPSC[T]        // offered to by upstream, polled by the owner of out
	size     int                  // elements that fill a buffer
	prefetch int64                // elements asked for ahead of demand
	refill   int64                // when fewer than these are still to come, src is asked again
	timer    trigger              // for the oldest element in the queue
	verbatim bool
	wait     protocol.Handle // owns the timer
	expired  atomic.Int64    // the number of the last timer that has gone off
	behind   askBehind       // what src is to be asked for: not with out taken, where src may work for as long as it likes

	// What follows belongs to the owner of out.
	resumed bool  // there is demand again
	awaited int64 // elements asked of src that were not emitted; stays put if unbounded
	turn    int64 // the number of the timer
	timing  bool  // there is a timer for the oldest element
	overdue int   // how many of the oldest elements have waited for their time
}

func (s *bufferTimeoutFairSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.out.BeginWith(s)
}

func (s *bufferTimeoutFairSubscriber[T]) OnNext(v T) {
	if s.out.Closed() {
		s.Late(&s.out, v)
		return
	}
	if !s.queue.Offer(v) {
		s.overflow(v)
		return
	}
	defer s.behind.pass(s.up) // also if the subscriber ends the goroutine, as below
	s.out.Run()
}

// overflow fails the stream because there is no room for v.
func (s *bufferTimeoutFairSubscriber[T]) overflow(v T) {
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		err := unasked(s.out.Context(), "bufferTimeout", s.prefetch, v)
		s.Discard(v)
		s.out.End(err)
	})
}

func (s *bufferTimeoutFairSubscriber[T]) OnError(err error) { s.out.End(err) }

func (s *bufferTimeoutFairSubscriber[T]) OnComplete() { s.out.End(nil) }

// Request adds to the demand of downstream.
func (s *bufferTimeoutFairSubscriber[T]) Request(n int64) {
	defer s.behind.pass(s.up)
	before := s.out.AddDemand(n)
	entered := s.out.TryEnter()
	s.out.Run()
	if entered {
		s.resumed = before == 0
		s.out.Leave()
	}
}

// Cancel stops upstream and the timer, and discards what is queued.
func (s *bufferTimeoutFairSubscriber[T]) Cancel() { s.out.Cancel() }

func (s *bufferTimeoutFairSubscriber[T]) fired(id int64) {
	newest(&s.expired, id)
	defer s.behind.pass(s.up)
	s.out.Run()
}

// failed is called if the timer was refused.
func (s *bufferTimeoutFairSubscriber[T]) failed(_ int64, err error) { s.out.Fail(err) }

// Flow implements protocol.Flow, as do the three methods at the end: it emits the buffers that
// are due and asks for more.
func (s *bufferTimeoutFairSubscriber[T]) Flow() {
	resumed := s.resumed
	s.resumed = false
	done := s.out.Done() // before the look at the queue
	if !s.out.Open() {
		return
	}
	n := s.queue.Len()
	if s.timing && s.expired.Load() == s.turn {
		s.stopTimer()
		s.overdue = n
	}
	full := n >= s.size
	all := done || s.verbatim && (full || resumed)
	if n > 0 && (full || all || s.overdue > 0) && s.out.Demand() > 0 {
		s.stopTimer()
		if !s.emit(n, all) {
			return
		}
	}
	if done {
		s.out.Open() // that may have been the rest
		return
	}
	s.startTimer()
	s.ask()
}

// emit sends the first elements of the queue, as far as there is demand and buffers are
// full or due. It reports whether the stage is still wanted.
func (s *bufferTimeoutFairSubscriber[T]) emit(left int, all bool) bool {
	for s.out.Demand() > 0 {
		if s.verbatim {
			left = s.queue.Len() // with what has come meanwhile
		}
		n := min(left, s.size)
		if n == 0 || n < s.size && !all && s.overdue == 0 {
			break
		}
		left -= n
		s.overdue = max(s.overdue-n, 0)
		buf := make([]T, n)
		s.queue.PollBatch(buf)
		if s.prefetch != reactor.Unbounded {
			s.awaited -= int64(n)
		}
		s.Send(buf)
		s.out.Produced(1)
		if s.out.Stopped() {
			return s.out.Open()
		}
	}
	return true
}

// ask keeps src at work while there is demand.
func (s *bufferTimeoutFairSubscriber[T]) ask() {
	if s.out.Demand() == 0 || s.awaited >= s.refill {
		return
	}
	n := s.prefetch
	if n != reactor.Unbounded {
		n -= s.awaited
	}
	s.awaited = s.prefetch
	if s.verbatim {
		s.up.Request(n)
		return
	}
	s.behind.add(n)
}

// startTimer starts the timer if elements wait without one.
func (s *bufferTimeoutFairSubscriber[T]) startTimer() {
	if s.timing || s.overdue > 0 || s.queue.IsEmpty() {
		return
	}
	s.timing = true
	s.turn++
	s.timer(s.out.Context(), s, s.turn, &s.wait)
}

func (s *bufferTimeoutFairSubscriber[T]) stopTimer() {
	if s.timing {
		s.timing = false
		s.wait.Clear(s.turn)
	}
}

func (s *bufferTimeoutFairSubscriber[T]) Dry() bool { return s.queue.IsEmpty() }

func (s *bufferTimeoutFairSubscriber[T]) Stop() {
	defer s.wait.Dispose() // also if a function that hears of the first ends the goroutine
	s.up.Cancel()
}

func (s *bufferTimeoutFairSubscriber[T]) Drop() {
	defer s.out.DropFailures()
	s.wait.Dispose()
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
}
