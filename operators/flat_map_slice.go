package operators

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// FlatMapSlice emits the elements of the slices that fn returns, one slice after the
// other.
//
//	src:  1 ------- 2 ------- |
//	      FlatMapSlice(n => [n 10n])
//	out:  1 - 10 -- 2 - 20 -- |
//
// It asks src for 256 elements ([Prefetch]) and for as many again whenever three quarters
// of them are done with; they wait in a queue. fn is called when the slice before has
// been emitted. An error of src, or of fn, cuts in at once: what waits and what is left of
// a slice is discarded, as at cancellation. For functions that fail in the ordinary way
// there is [TryFlatMapSlice], for sequences [FlatMapSeq]. fn runs, and elements are
// emitted, on the goroutine of src or that of a request.
func FlatMapSlice[T, R any](src reactor.Publisher[T], fn func(T) []R, opts ...PrefetchOption) reactor.Publisher[R] {
	argument.NotNil("flatMapSlice", "mapper", fn)
	return newFlatten("flatMapSlice", src, defaultHopPrefetch(), opts, func(v T) (flattened[R], error) {
		return flattened[R]{items: fn(v)}, nil
	})
}

// newFlatten returns the publisher of the operators that flatten slices and sequences.
func newFlatten[T, R any](
	op string, src reactor.Publisher[T], prefetch int, opts []PrefetchOption, fn func(T) (flattened[R], error),
) reactor.Publisher[R] {
	for _, o := range opts {
		prefetch = int(o)
	}
	return &flattenPublisher[T, R]{op: op, src: protocol.Trust(op, src), fn: fn, prefetch: argument.Prefetch(op, prefetch)}
}

// flattened is what a function returned for an element: items or a sequence.
type flattened[R any] struct {
	items []R
	seq   iter.Seq[R]
	seq2  iter.Seq2[R, error] // what seq is made of, or nil
	err   *error              // of seq2, once seq has come to it
}

type flattenPublisher[T, R any] struct {
	protocol.Op
	op       string
	src      reactor.Publisher[T]
	fn       func(T) (flattened[R], error) // may panic
	prefetch int64
}

func (p *flattenPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar(p.op, ctx, p.src, func(v T) reactor.Publisher[R] { return p.only(ctx, v) }, s, upstream.Continuing(ctx)) {
		return
	}
	down := protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, &flattenSubscriber[T, R]{
		p:       p,
		ctx:     ctx,
		down:    down,
		push:    protocol.Push(down),
		discard: reactor.DiscardHookFor[T](ctx),
		cont:    upstream.Continuing(ctx),
		queue:   newSPSC[T](p.prefetch),
		refill:  demand.NewRefill(p.prefetch),
	})
}

// only returns what is emitted for the only element of a source.
func (p *flattenPublisher[T, R]) only(ctx context.Context, v T) reactor.Publisher[R] {
	in, err := p.fn(v)
	switch {
	case err != nil:
		reactor.Discard(ctx, v)
		if err = upstream.Continuing(ctx).Take(err, v); err == nil {
			return Empty[R]()
		}
		return Error[R](reactor.OperatorError(ctx, err, v))
	case in.seq2 != nil:
		return newSeq(p.op, nil, in.seq2)
	case in.seq != nil:
		return newSeq(p.op, in.seq, nil)
	}
	return FromSlice(in.items)
}

// call calls the function. With OnErrorContinue in force a panic becomes an error.
func (p *flattenPublisher[T, R]) call(cont *upstream.Continuation, v T) (in flattened[R], err error) {
	if cont != nil {
		defer func() {
			if r := recover(); r != nil {
				err = failure.Recovered(r)
			}
		}()
	}
	return p.fn(v)
}

type flattenSubscriber[T, R any] struct {
	protocol.Inner
	p       *flattenPublisher[T, R]
	ctx     context.Context
	down    reactor.Subscriber[R]
	push    func(R)                // hands elements to down
	discard func(any)              // nil if nobody wants what is discarded
	cont    *upstream.Continuation // nil: failures end the stream
	up      reactor.Subscription   // set by OnSubscribe
	queue   spsc[T]                // offered to by upstream, polled by the owner of drain

	failures failure.List
	done     atomic.Bool // upstream has ended

	demand    atomic.Int64 // open demand of downstream
	cancelled atomic.Bool
	stop      atomic.Bool // cancelled or failed: whoever emits has to look up
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over    bool // terminal signal sent, failed downstream, or cancelled
	refill  demand.Refill
	source  T                // the function runs for it, if it does
	call    protocol.Calling // the function runs
	current bool             // there is a slice or sequence that is not finished with
	items   []R              // the slice; items[next:] is still to be emitted
	next    int
	emit    protocol.Calling // the element before next, or that in seq.hand, is on its way down
	seq     flattenSeq[R]
}

func (s *flattenSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	up.Request(s.p.prefetch)
}

func (s *flattenSubscriber[T, R]) OnNext(v T) {
	switch {
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
		return
	case s.cancelled.Load():
		discardTo(s.discard, v)
		return
	case !s.queue.Offer(v):
		defer discardTo(s.discard, v) // also if what follows ends the goroutine
		s.up.Cancel()
		s.OnError(reactor.OperatorError(s.ctx, reactor.Failure(s.p.op, reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", s.p.prefetch), v))
		return
	}
	s.drain.Run(s)
}

func (s *flattenSubscriber[T, R]) OnError(err error) {
	if s.done.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done.Store(true)
	s.stop.Store(true)
	s.drain.Run(s)
}

func (s *flattenSubscriber[T, R]) OnComplete() {
	if !s.done.Load() {
		s.done.Store(true)
		s.drain.Run(s)
	}
}

// Request adds to the demand of downstream.
func (s *flattenSubscriber[T, R]) Request(n int64) {
	demand.Add(&s.demand, n)
	s.drain.Run(s)
}

// Cancel stops upstream and discards what waits.
func (s *flattenSubscriber[T, R]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.stop.Store(true)
	defer s.drain.Run(s) // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

// DrainPass implements protocol.Drainer.
func (s *flattenSubscriber[T, R]) DrainPass() {
	for !s.ended() {
		if !s.current {
			v, ok := s.queue.Poll()
			if !ok {
				return
			}
			s.open(v)
			continue
		}
		n := s.demand.Load()
		if n == 0 {
			return
		}
		var sent int64
		if s.seq.isSet() {
			sent = s.emitSeq(n)
		} else {
			sent = s.emitSlice(n)
		}
		if sent > 0 && n != reactor.Unbounded {
			demand.Produced(&s.demand, sent)
		}
	}
}

// ended ends the stream if it is time, and reports whether it has ended.
func (s *flattenSubscriber[T, R]) ended() bool {
	switch done := s.done.Load(); {
	case s.over:
		s.dropQueue()
	case s.cancelled.Load():
		s.close()
	case done && s.failures.Any():
		s.close()
		s.down.OnError(s.failures.Terminate())
	case done && !s.current && s.queue.IsEmpty():
		s.over = true
		s.down.OnComplete()
	default:
		return false
	}
	return true
}

// open begins with what the function returns for v.
func (s *flattenSubscriber[T, R]) open(v T) {
	s.source = v
	s.call.Begin()
	in, err := s.p.call(s.cont, v)
	s.source = *new(T)
	s.call.End()
	if err != nil {
		s.failed(err, v)
		in = flattened[R]{}
	}
	switch {
	case s.over:
	case in.seq != nil:
		s.current = true
		s.openSeq(in)
		return
	case len(in.items) > 0:
		s.current = true
		s.items, s.next = in.items, 0
		return
	}
	s.consumed()
}

// failed takes the error that the function has returned for v.
func (s *flattenSubscriber[T, R]) failed(err error, v T) {
	defer discardTo(s.discard, v) // also if what follows, such as a retry, ends the goroutine
	if err = s.cont.Take(err, v); err != nil {
		s.broken(reactor.OperatorError(s.ctx, err, v))
	}
}

// broken ends the stream with a failure of this stage.
func (s *flattenSubscriber[T, R]) broken(err error) {
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		s.close()
		s.failures.Add(err)
		s.down.OnError(s.failures.Terminate())
	})
}

// finish is done with the slice or sequence.
func (s *flattenSubscriber[T, R]) finish() {
	s.current, s.items, s.next = false, nil, 0
	s.seq = flattenSeq[R]{}
	s.consumed()
}

// consumed counts an element of upstream that is done with.
func (s *flattenSubscriber[T, R]) consumed() {
	if n := s.refill.Consumed(1); n > 0 && !s.stop.Load() {
		s.up.Request(n)
	}
}

// emitSlice emits at most n elements of the slice.
func (s *flattenSubscriber[T, R]) emitSlice(n int64) (sent int64) {
	first, end := s.next, len(s.items)
	if int64(end-first) > n {
		end = first + int(n)
	}
	s.emit.Begin()
	for s.next < end {
		v := s.items[s.next]
		s.next++
		s.push(v)
		if s.stop.Load() {
			break
		}
	}
	s.emit.End()
	sent = int64(s.next - first)
	if s.next == len(s.items) {
		s.finish()
	}
	return sent
}

// DrainCrashed implements protocol.Drainer: the function, the sequence, or something
// downstream has failed.
func (s *flattenSubscriber[T, R]) DrainCrashed(err error) {
	err = failure.Renamed(err, "flatMapSeq", s.p.op)
	switch {
	case s.over:
		if mayRepeat(err) {
			reactor.DropError(s.ctx, err)
		}
		return
	case s.call.Failed():
		v := s.source
		s.source = *new(T)
		err = reactor.OperatorError(s.ctx, err, v)
		discardTo(s.discard, v)
	case s.emit.Failed():
		v := s.seq.hand
		if s.items != nil {
			v = s.items[s.next-1]
		}
		if !failure.IsSettled(err) {
			err = reactor.OperatorError(s.ctx, err, v)
			discardTo(s.discard, v)
		}
	default:
		err = reactor.OperatorError(s.ctx, err, nil)
	}
	s.broken(err)
}

// close discards everything that is still here.
func (s *flattenSubscriber[T, R]) close() {
	s.over = true
	if s.discard != nil {
		for _, v := range s.items[s.next:] {
			s.discard(v)
		}
	}
	s.current, s.items, s.next = false, nil, 0
	s.closeSeq()
	s.dropQueue()
}

func (s *flattenSubscriber[T, R]) dropQueue() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		discardTo(s.discard, v)
	}
}
