package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ParallelSequential merges the rails into one stream, in whatever order elements
// come.
//
//	rail 0:  1 ----- 3 ----- 5 |
//	rail 1:  --- 2 --------- 4 ---|
//	         ParallelSequential()
//	out:     1 - 2 - 3 ----- 5 - 4 |
//
// It asks each rail for 256 elements ([Prefetch]) and, whenever three quarters of
// them were delivered, for as many again. An error of a rail cancels the others and
// comes at once; what is queued is discarded. Elements come on the goroutines of
// the rails, one at a time.
func ParallelSequential[T any](src ParallelPublisher[T], opts ...ParallelMergeOption) reactor.Publisher[T] {
	return newRailMerge("sequential", src, nil, opts)
}

// ParallelOrdered merges rails that are each in the order of compare into one
// stream in that order: the smallest element of those that are first in their
// rails comes next, as soon as each rail has one or has ended.
//
//	rail 0:  1 ----- 4 ----- 5 |
//	rail 1:  --- 2 ----- 6 ----- 7 |
//	         ParallelOrdered(cmp.Compare)
//	out:     --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// An error of a rail waits until everything else was delivered. See
// [ParallelSequential] for demand.
func ParallelOrdered[T any](src ParallelPublisher[T], compare func(a, b T) int, opts ...ParallelMergeOption) reactor.Publisher[T] {
	protocol.NotNil("ordered", "comparison", compare)
	return newRailMerge("ordered", src, compare, opts)
}

// ParallelMergeOption is an option of [ParallelSequential] and [ParallelOrdered]:
// [Prefetch].
type ParallelMergeOption interface{ applyParallelMerge(*parallelMergeConfig) }

type parallelMergeConfig struct{ prefetch int }

func (o PrefetchOption) applyParallelMerge(c *parallelMergeConfig) { c.prefetch = int(o) }

func newRailMerge[T any](op string, src ParallelPublisher[T], compare func(a, b T) int, opts []ParallelMergeOption) reactor.Publisher[T] {
	protocol.NotNil(op, "source", src)
	c := parallelMergeConfig{prefetch: defaultHopPrefetch}
	for _, o := range opts {
		o.applyParallelMerge(&c)
	}
	return &railMergePublisher[T]{op: op, src: src, compare: compare, prefetch: protocol.Prefetch(op, c.prefetch)}
}

type railMergePublisher[T any] struct {
	protocol.Op
	op       string
	src      ParallelPublisher[T]
	compare  func(a, b T) int // nil: no order
	prefetch int64
}

func (p *railMergePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, sub)
	s := &railMerge[T]{
		ctx: ctx, down: down, push: protocol.Push(down), discard: reactor.DiscardHook(ctx),
		op: p.op, compare: p.compare, prefetch: p.prefetch,
		rails: make([]railMergeInner[T], p.src.Parallelism()),
	}
	s.left.Store(int32(len(s.rails)))
	inners := make([]reactor.Subscriber[T], len(s.rails))
	for i := range s.rails {
		r := &s.rails[i]
		r.main, r.queue, r.refill = s, newSPSC[T](p.prefetch), protocol.NewRefill(p.prefetch)
		inners[i] = r
	}
	down.OnSubscribe(s)
	p.src.SubscribeRails(ctx, inners)
}

type railMerge[T any] struct {
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T)   // hands elements to down
	discard  func(any) // nil if nobody wants what is discarded
	op       string
	compare  func(a, b T) int
	prefetch int64
	rails    []railMergeInner[T]

	left      atomic.Int32 // rails that have not ended
	failures  protocol.Failures
	demand    atomic.Int64
	cancelled atomic.Bool
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over   bool // terminal signal sent, failed downstream, or cancelled
	hand   T    // on its way down if inHand
	inHand bool
}

// railMergeInner is the subscriber of one rail.
type railMergeInner[T any] struct {
	protocol.Inner
	main    *railMerge[T]
	link    protocol.Deferred
	queue   spsc[T]     // offered to by the rail's signals, polled by the owner of main.drain
	ended   atomic.Bool // the rail has ended
	calling bool        // touched by the rail's signals: inside push, on the short way

	// What follows belongs to the owner of main.drain.
	refill protocol.Refill
	first  T // the oldest element of an ordered rail, if hasFirst
	has    bool
}

// Request adds to the demand of downstream.
func (s *railMerge[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel cancels the rails and discards what is queued.
func (s *railMerge[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.cancelRails()
	s.drain.Run(s)
}

func (s *railMerge[T]) cancelRails() {
	for i := range s.rails {
		s.rails[i].link.Cancel()
	}
}

func (r *railMergeInner[T]) OnSubscribe(up reactor.Subscription) {
	if r.link.Set(up) {
		up.Request(r.main.prefetch)
	}
}

func (r *railMergeInner[T]) OnNext(v T) {
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
			r.calling = true
			s.push(v)
			r.calling = false
			s.delivered(r)
			s.drain.Leave(s)
			return
		}
		s.drain.Leave(s)
	}
	if !r.queue.Offer(v) {
		err := reactor.OperatorError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow,
			"a rail sent more than the %d elements it was asked for", s.prefetch), v)
		s.drop(v)
		r.link.Cancel()
		r.OnError(err)
		return
	}
	s.drain.Run(s)
}

func (r *railMergeInner[T]) OnError(err error) {
	s := r.main
	if r.calling {
		// The element on the short way failed downstream.
		r.calling = false
		s.cancelled.Store(true)
		s.cancelRails()
		s.release()
		s.down.OnError(err)
		s.drain.Leave(s)
		return
	}
	r.link.Close()
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	if s.compare == nil {
		s.cancelRails()
	}
	r.end()
}

func (r *railMergeInner[T]) OnComplete() {
	r.link.Close()
	r.end()
}

// end counts the rail as ended.
func (r *railMergeInner[T]) end() {
	if !r.ended.Swap(true) {
		r.main.left.Add(-1)
	}
	r.main.drain.Run(r.main)
}

// DrainPass delivers what there is demand for.
func (s *railMerge[T]) DrainPass() {
	if s.compare != nil {
		for !s.stopped() && s.demand.Load() > 0 && s.emitSmallest() {
		}
		return
	}
	for any := true; any; {
		any = false
		for i := range s.rails {
			if s.stopped() || s.demand.Load() == 0 {
				return
			}
			r := &s.rails[i]
			if v, ok := r.queue.Poll(); ok {
				any = true
				s.emit(r, v)
			}
		}
	}
}

// emitSmallest emits the smallest of the first elements, or reports false because
// there is none or a rail has not shown its one.
func (s *railMerge[T]) emitSmallest() bool {
	var smallest *railMergeInner[T]
	for i := range s.rails {
		r := &s.rails[i]
		if !r.has {
			ended := r.ended.Load()
			if r.first, r.has = r.queue.Poll(); !r.has {
				if !ended {
					return false
				}
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

func (s *railMerge[T]) emit(r *railMergeInner[T], v T) {
	s.hand, s.inHand = v, true
	s.push(v)
	s.hand, s.inHand = *new(T), false
	s.delivered(r)
}

// delivered accounts for one element of a rail.
func (s *railMerge[T]) delivered(r *railMergeInner[T]) {
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, 1)
	}
	if n := r.refill.Consumed(1); n > 0 {
		r.link.Request(n)
	}
}

// stopped reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (s *railMerge[T]) stopped() bool {
	switch {
	case s.over, s.cancelled.Load():
		s.release()
	case s.compare == nil && s.failures.Any(), s.left.Load() == 0 && s.empty():
		err := s.failures.Terminate()
		s.release()
		if err != nil {
			s.down.OnError(err)
		} else {
			s.down.OnComplete()
		}
	default:
		return false
	}
	return true
}

// empty reports whether nothing is queued.
func (s *railMerge[T]) empty() bool {
	for i := range s.rails {
		if s.rails[i].has || !s.rails[i].queue.IsEmpty() {
			return false
		}
	}
	return true
}

// DrainCrashed ends the stream because downstream or the comparison failed.
func (s *railMerge[T]) DrainCrashed(err error) {
	over, inHand, v := s.over, s.inHand, s.hand
	s.hand, s.inHand = *new(T), false
	s.cancelled.Store(true)
	s.cancelRails()
	s.release()
	switch {
	case over:
		reactor.DropError(s.ctx, err)
	case inHand:
		protocol.Crash(s.ctx, s.down, err, v)
	default:
		s.down.OnError(err)
	}
}

// release ends the stage and discards what is queued.
func (s *railMerge[T]) release() {
	s.over = true
	for i := range s.rails {
		r := &s.rails[i]
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

func (s *railMerge[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}

// ParallelSorted emits all elements of all rails in the order of compare: each rail
// sorts its own, where it runs, and the sorted rails are merged. Elements that
// compare equal come in the order of their rails and, within a rail, as they came.
//
// Nothing is emitted before every rail has ended. Each rail is asked for everything.
// An error of a rail ends the stream once the others have ended.
func ParallelSorted[T any](src ParallelPublisher[T], compare func(a, b T) int, opts ...ParallelMergeOption) reactor.Publisher[T] {
	protocol.NotNil("sorted", "comparison", compare)
	sorted := ParallelRails(src, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return Sort(rail, compare) })
	return newRailMerge("sorted", sorted, compare, opts)
}
