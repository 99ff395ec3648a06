package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/upstream"
)

type queuedMergeConfig[T any] struct {
	op          string           // for errors
	source      string           // what a source is called in errors
	compare     func(a, b T) int // nil: no order
	eager       bool             // with compare: the smallest element that is there, whatever the others will have
	delayErrors bool
	toTheEnded  bool // sources that have ended are asked and cancelled like the others
	prefetch    int64
}

func newQueuedMerge[T any](ctx context.Context, sub reactor.Subscriber[T], n int, c queuedMergeConfig[T]) *queuedMerge[T] {
	s := &queuedMerge[T]{queuedMergeConfig: c, inners: make([]queuedMergeInner[T], n)}
	s.Attach(&s.out, ctx, sub, s)
	s.out.DelayErrors = c.delayErrors
	if c.compare != nil {
		s.cont = upstream.Continuing(ctx)
		s.order.compare = c.compare
	}
	s.left.Store(int32(n))
	for i := range s.inners {
		r := &s.inners[i]
		r.main, r.index, r.queue, r.refill = s, i, queue.NewSPSC[T](c.prefetch), demand.NewRefill(c.prefetch)
	}
	return s
}

// queuedMerge merges several sources, each with a queue of its own, in any order or in
// that of a comparison.
type queuedMerge[T any] struct {
	queuedMergeConfig[T]
	protocol.Sender[T]
	out    protocol.Outlet
	cont   *upstream.Continuation // nil: failures are not skipped
	inners []queuedMergeInner[T]
	left   atomic.Int32  // sources that have not ended
	order  mergeOrder[T] // with compare, unless eager; owner of out
}

// queuedMergeInner is the subscriber of one source.
type queuedMergeInner[T any] struct {
	protocol.Inner
	main  *queuedMerge[T]
	index int // in main.inners
	link  protocol.Deferred
	queue queue.SPSC[T] // offered to by the source's signals, polled by the owner of main.out
	ended atomic.Bool   // the source has ended
	call  protocol.Calling

	// What follows belongs to the owner of main.out.
	refill demand.Refill
	first  T // the oldest element, if has; only with a comparison
	has    bool
}

func (r *queuedMergeInner[T]) OnSubscribe(up reactor.Subscription) {
	if r.link.Set(up) {
		up.Request(r.main.prefetch)
	}
}

func (r *queuedMergeInner[T]) OnNext(v T) {
	s := r.main
	if r.ended.Load() {
		reactor.DropNext(s.out.Context(), v)
		return
	}
	if s.out.Stopped() {
		s.Discard(v)
		return
	}
	if s.compare == nil && s.out.TryEnter() {
		if s.out.Ready() && r.queue.IsEmpty() {
			r.call.Next(s.PushDown, v)
			s.delivered(r)
			s.out.Leave()
			return
		}
		if r.queue.Offer(v) { // before the pass, which a Goexit may end
			s.out.Pass()
			return
		}
		failure.InTurn(s.out.Leave, func() { r.enqueue(v) })
		return
	}
	r.enqueue(v)
}

// enqueue queues an element of the source, or fails if it was not asked for.
func (r *queuedMergeInner[T]) enqueue(v T) {
	s := r.main
	if !r.queue.Offer(v) {
		err := reactor.OperatorError(s.out.Context(), reactor.Failure(s.op, reactor.ErrOverflow,
			"%s sent more than the %d elements it was asked for", s.source, s.prefetch), v)
		s.Discard(v)
		r.link.Cancel()
		r.OnError(err)
		return
	}
	s.out.Run()
}

func (r *queuedMergeInner[T]) OnError(err error) {
	s := r.main
	if r.call.Failed() {
		s.Stop()
		s.out.Unwind(err)
		return
	}
	r.closeLink()
	if !s.out.Stopped() {
		if err = s.cont.Take(err, nil); err == nil {
			r.end()
			return
		}
	}
	if s.out.Refuse(err) {
		r.end()
	}
}

func (r *queuedMergeInner[T]) OnComplete() {
	r.closeLink()
	r.end()
}

// closeLink leaves a source that has ended alone, unless it is one that requests and a
// cancellation still go to, as they do in Reactor.
func (r *queuedMergeInner[T]) closeLink() {
	if !r.main.toTheEnded {
		r.link.Close()
	}
}

// end counts the source as ended.
func (r *queuedMergeInner[T]) end() {
	if !r.ended.Swap(true) && r.main.left.Add(-1) == 0 {
		r.main.out.End(nil)
	} else {
		r.main.out.Run()
	}
}

// Flow implements protocol.Flow, as do the three at the end: it delivers what there is demand
// for.
func (s *queuedMerge[T]) Flow() {
	if s.compare != nil {
		for s.out.Open() && s.out.Demand() > 0 && s.emitSmallest() {
		}
		return
	}
	for any := true; any; {
		any = false
		for i := range s.inners {
			if !s.out.Open() || s.out.Demand() == 0 {
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
	s.InFlight.Send(s.PushDown, v)
	s.delivered(r)
}

// delivered accounts for one element of a source.
func (s *queuedMerge[T]) delivered(r *queuedMergeInner[T]) {
	s.out.Produced(1)
	if n := r.refill.Consumed(1); n > 0 {
		r.link.Request(n)
	}
}

func (s *queuedMerge[T]) Dry() bool {
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

func (s *queuedMerge[T]) Stop() {
	failure.Persist(len(s.inners), func(i int) bool { s.inners[i].link.Cancel(); return true })
}

func (s *queuedMerge[T]) Drop() {
	for i := range s.inners {
		r := &s.inners[i]
		if r.has {
			v := r.first
			r.first, r.has = *new(T), false
			s.Discard(v)
		}
		for v, ok := r.queue.Poll(); ok; v, ok = r.queue.Poll() {
			s.Discard(v)
		}
	}
}
