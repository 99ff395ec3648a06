package merge

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/upstream"
)

// Config is how sources are merged.
type Config[T any] struct {
	Name        string           // of the operator, for errors
	Source      string           // what a source is called in errors
	Compare     func(a, b T) int // nil: no order
	Eager       bool             // with Compare: the smallest element that is there, whatever the others will have
	DelayErrors bool
	Shared      bool // sources may bring the same error, that of what they all come from, which counts once; without DelayErrors
	ToTheEnded  bool // sources that have ended are asked and cancelled like the others
	announces   bool // sources say when they have something; otherwise each is looked at. Of New
	Prefetch    int64
}

// New returns what merges n sources into sub; its Inners are the subscribers of these.
func New[T any](ctx context.Context, sub reactor.Subscriber[T], n int, c Config[T]) *Main[T] {
	s := &Main[T]{Config: c, Inners: make([]source[T], n)}
	s.Out.InRuns = true
	s.Attach(&s.Out, ctx, sub, s)
	s.Out.DelayErrors = c.DelayErrors
	if c.Compare != nil {
		s.cont = upstream.Continuing(ctx)
		s.order.compare = c.Compare
	}
	s.announces = c.Compare == nil || c.Eager && n > fewSources
	s.left.Store(int32(n))
	for i := range s.Inners {
		r := &s.Inners[i]
		r.main, r.index, r.queue, r.refill = s, i, queue.NewSPSC[T](c.Prefetch), demand.NewRefill(c.Prefetch)
	}
	return s
}

// fewSources is up to how many it is faster to look at all of them than to keep them in order.
const fewSources = 16

// Main merges several sources, each with a queue of its own, in any order or in
// that of a comparison.
type Main[T any] struct {
	Config[T]
	protocol.Sender[T]
	Out    protocol.Outlet
	cont   *upstream.Continuation // nil: failures are not skipped
	Inners []source[T]
	first  atomic.Pointer[error] // with Shared: kept, since a source may bring it at any time
	left   atomic.Int32          // sources that have not ended
	ready  ready[T]              // sources that have something, if they say so
	order  order[T]              // with compare; owner of Out
}

// source is the subscriber of one source.
type source[T any] struct {
	protocol.Inner
	main  *Main[T]
	index int // in main.Inners
	link  protocol.Deferred
	queue queue.SPSC[T] // offered to by the source's signals, polled by the owner of main.Out
	ended atomic.Bool   // the source has ended
	call  protocol.Calling

	// What follows belongs to the owner of main.Out.
	refill demand.Refill
	first  T // the oldest element, if has; only with a comparison
	has    bool

	// Of main.ready:
	announced atomic.Bool // it is there, or the owner of main.Out knows that it has something
	below     *source[T]  // in the stack; written by whoever set announced, then the owner's
}

func (r *source[T]) OnSubscribe(up reactor.Subscription) {
	if r.link.Set(up) {
		up.Request(r.main.Prefetch)
	}
}

func (r *source[T]) OnNext(v T) {
	s := r.main
	if r.ended.Load() {
		reactor.DropNext(s.Out.Context(), v)
		return
	}
	if s.Out.Stopped() {
		s.Discard(v)
		return
	}
	if s.Compare == nil && s.Out.TryEnter() {
		if s.Out.Ready() && r.queue.IsEmpty() && s.Out.Sending() {
			r.call.Next(s.PushDown, v)
			more := s.produced(r)
			s.Out.Leave()
			if more > 0 { // not before: a function that hears of it may end the goroutine
				r.link.Request(more)
			}
			return
		}
		if r.queue.Offer(v) { // before the pass, which a Goexit may end
			r.announce()
			s.Out.Pass()
			return
		}
		failure.InTurn(s.Out.Leave, func() { r.enqueue(v) })
		return
	}
	r.enqueue(v)
}

// enqueue queues an element of the source, or fails if it was not asked for.
func (r *source[T]) enqueue(v T) {
	s := r.main
	if !r.queue.Offer(v) {
		r.overflow(v)
		return
	}
	if s.announces {
		r.announce()
	}
	s.Out.Run()
}

// overflow ends the source because there is no room for v.
func (r *source[T]) overflow(v T) {
	s := r.main
	var err error = reactor.Failure(s.Name, reactor.ErrOverflow, "%s sent more than the %d elements it was asked for", s.Source, s.Prefetch)
	failure.InTurn( // each may end the goroutine
		func() { err = reactor.OperatorError(s.Out.Context(), err, v) },
		func() { s.Discard(v) },
		r.link.Cancel,
		func() { r.OnError(err) },
	)
}

func (r *source[T]) OnError(err error) {
	s := r.main
	if r.call.Failed() {
		defer s.Out.Unwind(err) // also if a function that hears of the cancellation ends the goroutine
		s.Stop()
		return
	}
	r.closeLink()
	if s.Out.Stopped() {
		r.endWith(err)
	} else {
		s.cont.TakeAnd(err, nil, r.endWith)
	}
}

// endWith ends the source with its failure, or nil if that was taken.
func (r *source[T]) endWith(err error) {
	switch {
	case err != nil && r.main.isKnown(err):
		r.ended.Store(true)
	case err == nil || r.main.Out.Refuse(err):
		r.end()
	}
}

// isKnown reports whether another source has brought err.
func (s *Main[T]) isKnown(err error) bool {
	return s.Shared && !s.first.CompareAndSwap(nil, &err) && belated.Same(*s.first.Load(), err)
}

func (r *source[T]) OnComplete() {
	r.closeLink()
	if r.main.Out.Stopped() {
		r.ended.Store(true) // no pass, which looks at all sources for what is left there
		return
	}
	r.end()
}

// closeLink leaves a source that has ended alone, unless it is one that requests and a
// cancellation still go to, as they do in Reactor.
func (r *source[T]) closeLink() {
	if !r.main.ToTheEnded {
		r.link.Close()
	}
}

// end counts the source as ended.
func (r *source[T]) end() {
	if !r.ended.Swap(true) && r.main.left.Add(-1) == 0 {
		r.main.Out.End(nil)
	} else {
		r.main.Out.Run()
	}
}

// Flow implements protocol.Flow, as do the three at the end: it delivers what there is demand
// for.
func (s *Main[T]) Flow() {
	if s.Compare != nil {
		for s.Out.Open() && s.Out.Demand() > 0 && s.emitSmallest() {
		}
		return
	}
	for i := 0; s.Out.Open() && s.Out.Demand() > 0; i++ {
		if i = s.ready.next(s.Inners, i); i < 0 {
			if i = s.ready.next(s.Inners, 0); i < 0 { // from the left again
				return
			}
		}
		r := &s.Inners[i]
		if v, ok := r.queue.Poll(); ok {
			s.emit(r, v)
		}
	}
}

// emitSmallest emits the smallest of the first elements, or reports false because
// there is none or a source that is waited for has not shown its one.
func (s *Main[T]) emitSmallest() bool {
	if !s.Eager {
		if !s.order.ready(s.Inners) {
			return false
		}
	} else if s.announces {
		s.order.refresh(&s.ready)
	} else {
		return s.emitSmallestThere()
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
func (s *Main[T]) emitSmallestThere() bool {
	var smallest *source[T]
	for i := range s.Inners {
		r := &s.Inners[i]
		if !r.has {
			if has, _ := r.show(); !has {
				continue
			}
		}
		if smallest == nil || s.Compare(r.first, smallest.first) < 0 {
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

func (s *Main[T]) emit(r *source[T], v T) {
	if !s.Out.Sending() {
		s.Discard(v)
		return
	}
	s.InFlight.Send(s.PushDown, v)
	s.delivered(r)
}

// delivered accounts for one element of a source.
func (s *Main[T]) delivered(r *source[T]) {
	if n := s.produced(r); n > 0 {
		r.link.Request(n)
	}
}

// produced is delivered, and returns what is to be requested.
func (s *Main[T]) produced(r *source[T]) int64 {
	s.Out.Produced(1)
	return r.refill.Consumed(1)
}

func (s *Main[T]) Dry() bool {
	switch {
	case s.Compare == nil:
		return s.ready.next(s.Inners, 0) < 0
	case s.announces:
		return s.ready.empty() && s.order.empty()
	case s.order.heap:
		return s.order.empty()
	}
	for i := range s.Inners {
		if s.Inners[i].has || !s.Inners[i].queue.IsEmpty() {
			return false
		}
	}
	return true
}

func (s *Main[T]) Stop() {
	failure.Persist(len(s.Inners), func(i int) bool { s.Inners[i].link.Cancel(); return true })
}

func (s *Main[T]) Drop() {
	defer s.Out.DropFailures()
	for i := range s.Inners {
		r := &s.Inners[i]
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
