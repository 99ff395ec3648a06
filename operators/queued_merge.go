package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

type queuedMergeConfig[T any] struct {
	op          string           // for errors
	source      string           // what a source is called in errors
	compare     func(a, b T) int // nil: no order
	eager       bool             // with compare: the smallest element that is there, whatever the others will have
	delayErrors bool
	prefetch    int64
}

func newQueuedMerge[T any](ctx context.Context, sub reactor.Subscriber[T], n int, c queuedMergeConfig[T]) *queuedMerge[T] {
	down := protocol.Strict(ctx, sub)
	s := &queuedMerge[T]{
		queuedMergeConfig: c,
		ctx:               ctx, down: down, push: protocol.Push(down), discard: reactor.DiscardHookFor[T](ctx),
		inners: make([]queuedMergeInner[T], n),
	}
	if c.compare != nil {
		s.cont = protocol.Continuing(ctx)
		s.order.compare = c.compare
	}
	s.left.Store(int32(n))
	for i := range s.inners {
		r := &s.inners[i]
		r.main, r.index, r.queue, r.refill = s, i, newSPSC[T](c.prefetch), protocol.NewRefill(c.prefetch)
	}
	return s
}

// queuedMerge merges several sources, each with a queue of its own, in any order or in
// that of a comparison.
type queuedMerge[T any] struct {
	queuedMergeConfig[T]
	ctx     context.Context
	down    reactor.Subscriber[T]
	push    func(T)                // hands elements to down
	discard func(any)              // nil if nobody wants what is discarded
	cont    *protocol.Continuation // nil: failures are not skipped
	inners  []queuedMergeInner[T]

	left      atomic.Int32 // sources that have not ended
	failures  protocol.Failures
	demand    atomic.Int64
	cancelled atomic.Bool // nothing is to be delivered any more
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over bool // terminal signal sent, failed downstream, or cancelled
	hand protocol.Hand[T]

	order mergeOrder[T] // with compare, unless eager
}

// queuedMergeInner is the subscriber of one source.
type queuedMergeInner[T any] struct {
	protocol.Inner
	main  *queuedMerge[T]
	index int // in main.inners
	link  protocol.Deferred
	queue spsc[T]          // offered to by the source's signals, polled by the owner of main.drain
	ended atomic.Bool      // the source has ended
	call  protocol.Calling // touched by the source's signals: inside push, on the short way

	// What follows belongs to the owner of main.drain.
	refill protocol.Refill
	first  T // the oldest element, if has; only with a comparison
	has    bool
}

// Request adds to the demand of downstream.
func (s *queuedMerge[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel cancels the sources and discards what is queued.
func (s *queuedMerge[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.cancelInners()
	s.drain.Run(s)
}

func (s *queuedMerge[T]) cancelInners() {
	for i := range s.inners {
		s.inners[i].link.Cancel()
	}
}

func (r *queuedMergeInner[T]) OnSubscribe(up reactor.Subscription) {
	if r.link.Set(up) {
		up.Request(r.main.prefetch)
	}
}

func (r *queuedMergeInner[T]) OnNext(v T) {
	s := r.main
	if r.ended.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.cancelled.Load() {
		s.drop(v)
		return
	}
	if s.compare == nil && s.drain.TryEnter() {
		if !s.over && !s.failures.Any() && s.demand.Load() > 0 && r.queue.IsEmpty() {
			r.call.Next(s.push, v)
			s.delivered(r)
			s.drain.Leave(s)
			return
		}
		if r.queue.Offer(v) { // before the pass, which a Goexit may end
			s.drain.Loop(s)
			return
		}
		protocol.InTurn(func() { s.drain.Leave(s) }, func() { r.enqueue(v) })
		return
	}
	r.enqueue(v)
}

// enqueue queues an element of the source, or fails if it was not asked for.
func (r *queuedMergeInner[T]) enqueue(v T) {
	s := r.main
	if !r.queue.Offer(v) {
		err := reactor.OperatorError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow,
			"%s sent more than the %d elements it was asked for", s.source, s.prefetch), v)
		s.drop(v)
		r.link.Cancel()
		r.OnError(err)
		return
	}
	s.drain.Run(s)
}

func (r *queuedMergeInner[T]) OnError(err error) {
	s := r.main
	if r.call.Failed() {
		// The element on the short way failed downstream.
		s.cancelled.Store(true)
		s.cancelInners()
		s.release()
		defer s.drain.Leave(s) // also if downstream ends the goroutine
		s.down.OnError(err)
		return
	}
	r.closeLink()
	if !s.cancelled.Load() {
		if err = s.cont.Take(err, nil); err == nil {
			r.end()
			return
		}
	}
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	if !s.delayErrors {
		s.cancelInners()
	}
	r.end()
}

func (r *queuedMergeInner[T]) OnComplete() {
	r.closeLink()
	r.end()
}

// closeLink leaves a source that has ended alone. In an ordered merge requests and a
// cancellation still go to it, as they do in Reactor.
func (r *queuedMergeInner[T]) closeLink() {
	if r.main.compare == nil {
		r.link.Close()
	}
}

// end counts the source as ended.
func (r *queuedMergeInner[T]) end() {
	if !r.ended.Swap(true) {
		r.main.left.Add(-1)
	}
	r.main.drain.Run(r.main)
}

// DrainPass delivers what there is demand for.
func (s *queuedMerge[T]) DrainPass() {
	if s.compare != nil {
		for !s.stopped() && s.demand.Load() > 0 && s.emitSmallest() {
		}
		return
	}
	for any := true; any; {
		any = false
		for i := range s.inners {
			if s.stopped() || s.demand.Load() == 0 {
				return
			}
			r := &s.inners[i]
			if v, ok := r.queue.Poll(); ok {
				any = true
				s.emit(r, v)
			}
		}
	}
}

// emitSmallest emits the smallest of the first elements, or reports false because
// there is none or a source that is waited for has not shown its one.
func (s *queuedMerge[T]) emitSmallest() bool {
	if s.eager {
		return s.emitSmallestThere()
	}
	if !s.order.ready(s.inners) {
		return false
	}
	r, v := s.order.take()
	if r == nil {
		return false
	}
	s.emit(r, v)
	return true
}

// emitSmallestThere emits the smallest of the elements that are there. It looks at all
// sources, for any of those that had none may have one now.
func (s *queuedMerge[T]) emitSmallestThere() bool {
	var smallest *queuedMergeInner[T]
	for i := range s.inners {
		r := &s.inners[i]
		if !r.has {
			if has, _ := r.show(); !has {
				continue
			}
		}
		if smallest == nil || s.compare(r.first, smallest.first) < 0 {
			smallest = r
		}
	}
	if smallest == nil {
		return false
	}
	v := smallest.first
	smallest.first, smallest.has = *new(T), false
	s.emit(smallest, v)
	return true
}

func (s *queuedMerge[T]) emit(r *queuedMergeInner[T], v T) {
	s.hand.Hold(v)
	s.push(v)
	s.hand.LetGo()
	s.delivered(r)
}

// delivered accounts for one element of a source.
func (s *queuedMerge[T]) delivered(r *queuedMergeInner[T]) {
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, 1)
	}
	if n := r.refill.Consumed(1); n > 0 {
		r.link.Request(n)
	}
}

// stopped reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (s *queuedMerge[T]) stopped() bool {
	switch {
	case s.over, s.cancelled.Load():
		s.release()
	case !s.delayErrors && s.failures.Any(), s.left.Load() == 0 && s.empty():
		err := s.failures.Terminate()
		s.release()
		protocol.Finish(s.down, err)
	default:
		return false
	}
	return true
}

// empty reports whether nothing is queued.
func (s *queuedMerge[T]) empty() bool {
	if s.order.heap {
		return s.order.empty()
	}
	for i := range s.inners {
		if s.inners[i].has || !s.inners[i].queue.IsEmpty() {
			return false
		}
	}
	return true
}

// DrainCrashed ends the stream because downstream or the comparison failed.
func (s *queuedMerge[T]) DrainCrashed(err error) {
	over := s.over
	s.cancelled.Store(true)
	s.cancelInners()
	s.release()
	s.hand.Crash(s.ctx, s.down, over, err)
}

// release ends the stage and discards what is queued.
func (s *queuedMerge[T]) release() {
	s.over = true
	s.cancelled.Store(true)
	for i := range s.inners {
		r := &s.inners[i]
		if r.has {
			v := r.first
			r.first, r.has = *new(T), false
			s.drop(v)
		}
		for v, ok := r.queue.Poll(); ok; v, ok = r.queue.Poll() {
			s.drop(v)
		}
	}
}

func (s *queuedMerge[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}
