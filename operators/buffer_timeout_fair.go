package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
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
		ctx:      ctx,
		down:     protocol.Strict(ctx, sub),
		discard:  reactor.DiscardHookFor[T](ctx),
		size:     p.size,
		prefetch: protocol.ProductDemand(int64(p.size), 4),
		refill:   protocol.ProductDemand(int64(p.size), 2),
		timer:    p.timer,
		verbatim: p.verbatim,
	}
	s.push = protocol.Push(s.down)
	s.queue = newSPSC[T](s.prefetch)
	p.src.Subscribe(ctx, s)
}

// bufferTimeoutFairSubscriber queues elements and makes buffers of them when there is
// demand.
type bufferTimeoutFairSubscriber[T any] struct {
	protocol.Inner
	ctx       context.Context
	down      reactor.Subscriber[[]T]
	push      func([]T)            // hands buffers to down
	discard   func(any)            // nil if nobody wants what is discarded
	up        reactor.Subscription // set by OnSubscribe
	queue     spsc[T]              // offered to by upstream, polled by the owner of drain
	size      int                  // elements that fill a buffer
	prefetch  int64                // elements asked for ahead of demand
	refill    int64                // when fewer than these are still to come, src is asked again
	timer     trigger              // for the oldest element in the queue
	verbatim  bool
	wait      protocol.Handle       // owns the timer
	expired   atomic.Int64          // the number of the last timer that has gone off
	refused   atomic.Pointer[error] // why there is no timer
	err       error                 // written by upstream's signals before done
	done      atomic.Bool           // upstream has ended
	demand    atomic.Int64          // open demand of downstream
	cancelled atomic.Bool
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over    bool  // terminal signal sent, failed downstream, or cancelled
	resumed bool  // there is demand again
	awaited int64 // elements asked of src that were not emitted; stays put if unbounded
	turn    int64 // the number of the timer
	timing  bool  // there is a timer for the oldest element
	overdue int   // how many of the oldest elements have waited for their time
	hand    []T   // on its way down
}

func (s *bufferTimeoutFairSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *bufferTimeoutFairSubscriber[T]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if !s.queue.Offer(v) {
		s.up.Cancel()
		s.err = reactor.OperatorError(s.ctx, reactor.Failure("bufferTimeout", reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", s.prefetch), v)
		if s.discard != nil {
			s.discard(v)
		}
		s.done.Store(true)
	}
	s.drain.Run(s)
}

func (s *bufferTimeoutFairSubscriber[T]) OnError(err error) {
	if s.done.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *bufferTimeoutFairSubscriber[T]) OnComplete() {
	if !s.done.Load() {
		s.done.Store(true)
		s.drain.Run(s)
	}
}

// Request adds to the demand of downstream.
func (s *bufferTimeoutFairSubscriber[T]) Request(n int64) {
	before := protocol.AddDemand(&s.demand, n)
	if s.drain.Announce() {
		s.resumed = before == 0
		s.drain.Loop(s)
	}
}

// Cancel stops upstream and the timer, and discards what is queued.
func (s *bufferTimeoutFairSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.up.Cancel()
	s.wait.Dispose()
	s.drain.Run(s)
}

func (s *bufferTimeoutFairSubscriber[T]) fired(id int64) {
	s.expired.Store(id)
	s.drain.Run(s)
}

// failed tells that there is no timer.
func (s *bufferTimeoutFairSubscriber[T]) failed(_ int64, err error) {
	s.refused.CompareAndSwap(nil, &err)
	s.drain.Run(s)
}

// DrainPass emits what is due, asks for more, and ends the stream.
func (s *bufferTimeoutFairSubscriber[T]) DrainPass() {
	resumed := s.resumed
	s.resumed = false
	if s.stopped() {
		return
	}
	done := s.done.Load()
	n := s.queue.Len()
	if s.timing && s.expired.Load() == s.turn {
		s.stopTimer()
		s.overdue = n
	}
	full := n >= s.size
	all := done || s.verbatim && (full || resumed)
	if n > 0 && (full || all || s.overdue > 0) && s.demand.Load() > 0 {
		s.stopTimer()
		if !s.emit(n, all) {
			return
		}
	}
	switch {
	case done && s.queue.IsEmpty():
		s.finish()
	case done:
	default:
		s.startTimer()
		s.ask() // what comes at once is for the next pass
	}
}

// emit sends the first elements of the queue, as far as there is demand and buffers are
// full or due. It reports whether the stage is still wanted.
func (s *bufferTimeoutFairSubscriber[T]) emit(left int, all bool) bool {
	for s.demand.Load() > 0 {
		if s.verbatim {
			left = s.queue.Len() // with what has come meanwhile
		}
		n := min(left, s.size)
		if n == 0 || n < s.size && !all && s.overdue == 0 {
			break
		}
		left -= n
		s.overdue = max(s.overdue-n, 0)
		s.hand = make([]T, n)
		s.queue.PollBatch(s.hand)
		if s.prefetch != reactor.Unbounded {
			s.awaited -= int64(n)
		}
		s.push(s.hand)
		s.hand = nil
		protocol.Produced(&s.demand, 1)
		if s.stopped() {
			return false
		}
	}
	return true
}

// ask keeps src at work while there is demand.
func (s *bufferTimeoutFairSubscriber[T]) ask() {
	if s.demand.Load() == 0 || s.awaited >= s.refill {
		return
	}
	n := s.prefetch
	if n != reactor.Unbounded {
		n -= s.awaited
	}
	s.awaited = s.prefetch
	s.up.Request(n)
}

// startTimer starts the timer if elements wait without one.
func (s *bufferTimeoutFairSubscriber[T]) startTimer() {
	if s.timing || s.overdue > 0 || s.queue.IsEmpty() {
		return
	}
	s.timing = true
	s.turn++
	s.timer(s.ctx, s, s.turn, &s.wait)
}

func (s *bufferTimeoutFairSubscriber[T]) stopTimer() {
	if s.timing {
		s.timing = false
		s.wait.Clear(s.turn)
	}
}

// stopped reports whether nothing more is to be delivered, and discards what is left.
func (s *bufferTimeoutFairSubscriber[T]) stopped() bool {
	if s.over {
		s.dropQueue()
		return true
	}
	if s.cancelled.Load() {
		s.release()
		return true
	}
	if refused := s.refused.Load(); refused != nil {
		s.up.Cancel()
		s.release()
		s.down.OnError(*refused)
		return true
	}
	return false
}

// finish sends the terminal signal.
func (s *bufferTimeoutFairSubscriber[T]) finish() {
	s.release()
	protocol.Finish(s.down, s.err)
}

// DrainCrashed ends the stream because downstream failed.
func (s *bufferTimeoutFairSubscriber[T]) DrainCrashed(err error) {
	over, buf := s.over, s.hand
	s.hand = nil
	s.cancelled.Store(true)
	s.up.Cancel()
	s.release()
	crashSlice(s.ctx, s.down, over, err, buf)
}

func (s *bufferTimeoutFairSubscriber[T]) release() {
	s.over = true
	s.wait.Dispose()
	s.dropQueue()
}

func (s *bufferTimeoutFairSubscriber[T]) dropQueue() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		if s.discard != nil {
			s.discard(v)
		}
	}
}
