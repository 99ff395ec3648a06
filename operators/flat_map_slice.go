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
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/upstream"
)

// FlatMapSlice emits the elements of the slices that fn returns, one slice after the
// other.
//
//	src:  1 ------- 2 ------- |
//	      FlatMapSlice(n => [n 10n])
//	out:  1 - 10 -- 2 - 20 -- |
//
// It asks src for 256 elements ([Prefetch]), which wait in a queue, and for another three
// quarters of that number whenever it is done with as many. fn is called when the slice
// before has been emitted. An error of src or of fn ends the stream at once: the elements
// that wait and the rest of the current slice are discarded, as at a cancellation. For
// functions that fail in the ordinary way there is [TryFlatMapSlice], for sequences
// [FlatMapSeq]. fn runs, and elements are emitted, on the goroutine of src or that of a
// request.
func FlatMapSlice[T, R any](src reactor.Publisher[T], fn func(T) []R, opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("flatMapSlice", "mapper", fn != nil)
	return newFlatten("flatMapSlice", src, defaultHopPrefetch(), opts, func(v T) ([]R, flattenedSeq[R], error) {
		return fn(v), flattenedSeq[R]{}, nil
	})
}

// newFlatten returns the publisher of the operators that flatten slices and sequences.
func newFlatten[T, R any](
	op string, src reactor.Publisher[T], prefetch int, opts []PrefetchOption, fn flattenFunc[T, R],
) *flattenPublisher[T, R] {
	for _, o := range opts {
		prefetch = int(o)
	}
	return &flattenPublisher[T, R]{op: op, src: protocol.Trust(op, src), fn: fn, prefetch: positiveSize(op, "prefetch", prefetch)}
}

// flattenFunc returns items or a sequence for an element. Results of a struct of their own would go through memory.
type flattenFunc[T, R any] = func(T) (items []R, seq flattenedSeq[R], err error)

// flattenedSeq is a sequence that a function has returned; zero: none.
type flattenedSeq[R any] struct {
	all   iter.Seq[R]
	pairs iter.Seq2[R, error] // or one that can fail
}

func (q flattenedSeq[R]) isSet() bool { return q.all != nil || q.pairs != nil }

type flattenPublisher[T, R any] struct {
	protocol.Op
	op       string
	src      reactor.Publisher[T]
	fn       flattenFunc[T, R] // may panic
	prefetch int64
	seqs     bool // fn returns sequences
}

// ofSeqs says that the function returns sequences.
func (p *flattenPublisher[T, R]) ofSeqs() reactor.Publisher[R] {
	p.seqs = true
	return p
}

func (p *flattenPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar(p.op, ctx, p.src, func(v T) reactor.Publisher[R] { return p.only(v) }, s, upstream.Continuing(ctx)) {
		return
	}
	sub := &flattenSubscriber[T, R]{
		p: p, cont: upstream.Continuing(ctx), queue: queue.NewSPSC[T](p.prefetch), refill: demand.NewRefill(p.prefetch),
	}
	sub.out.EagerErrors = true
	sub.out.InRuns = true
	sub.Attach(&sub.out, ctx, s, sub)
	p.src.Subscribe(ctx, sub)
}

// only returns the publisher of what is emitted for the only element of a source.
func (p *flattenPublisher[T, R]) only(v T) reactor.Publisher[R] {
	items, seq, err := p.fn(v)
	switch {
	case err != nil:
		return &flattenFailed[T, R]{value: v, err: err}
	case seq.isSet():
		return &seqPublisher[R]{op: p.op, seq: seq.all, seq2: seq.pairs, ahead: true}
	}
	return FromSlice(items)
}

// flattenFailed is the stream of an only element for which the function has returned an error. It is subscribed to once, when the
// guard around the function is left, which would discard the element as well.
type flattenFailed[T, R any] struct {
	protocol.Op
	value T
	err   error
}

func (p *flattenFailed[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	failKnown(ctx, s, p.value, p.err)
}

// flattenSubscriber is the subscriber of src.
type flattenSubscriber[T, R any] struct {
	protocol.Inner
	protocol.Sender[R]
	out   protocol.Outlet
	p     *flattenPublisher[T, R]
	cont  *upstream.Continuation // nil: failures end the stream
	up    reactor.Subscription   // set by OnSubscribe
	queue queue.SPSC[T]          // offered to by upstream, polled by the owner of the outlet

	within atomic.Bool // the first request is under way; who subscribes

	// What follows belongs to the owner of the outlet.
	asks    bool // the flow asks the source by itself, which sends to ahead; set by OnSubscribe
	ahead   flattenAhead[T]
	refill  demand.Refill
	came    T    // the element that has come, if hasCame: past the queue
	hasCame bool // until it is polled
	operand protocol.Operand[T]
	current bool // there is a slice or sequence that is not finished with
	items   []R  // the slice; items[next:] is still to be emitted
	next    int
	seq     flattenSeq[R]
}

func (s *flattenSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(s) && reactor.DiscardHook(s.out.Context()) == nil {
		s.asks = true
		s.out.Begin()
		s.out.Run()
		return
	}
	defer s.request() // also if downstream ends the goroutine
	s.out.Begin()
}

// request asks the source for the first time. A source that emits on the goroutine that requests
// may send all its elements within this call: meanwhile the coroutine of the sequences is kept.
func (s *flattenSubscriber[T, R]) request() {
	if s.p.seqs {
		s.within.Store(true)
		defer s.requested()
	}
	s.up.Request(s.p.prefetch)
}

func (s *flattenSubscriber[T, R]) requested() {
	s.within.Store(false)
	s.out.Run() // comes to restSeq if there is nothing to do
}

// Push implements protocol.Pusher.
func (s *flattenSubscriber[T, R]) Push() func(T) {
	if s.asks {
		return s.ahead.push()
	}
	return s.OnNext
}

func (s *flattenSubscriber[T, R]) OnNext(v T) {
	switch {
	case s.asks:
		s.ahead.push()(v)
	case s.out.Closed():
		s.Late(&s.out, v)
	case s.out.TryEnter():
		s.enter(v)
	case s.queue.Offer(v):
		s.out.Run()
	default:
		s.overflow(v)
	}
}

// enter takes an element as the owner of the outlet: past the queue, if nothing waits.
func (s *flattenSubscriber[T, R]) enter(v T) {
	if !s.current && s.queue.IsEmpty() {
		s.came, s.hasCame = v, true
	} else if !s.queue.Offer(v) {
		failure.InTurn(s.out.Leave, func() { s.overflow(v) }) // each may end the goroutine
		return
	}
	s.out.Pass()
}

// overflow ends the stream because there is no room for v.
func (s *flattenSubscriber[T, R]) overflow(v T) {
	defer s.Discard(v) // also if what follows ends the goroutine
	failure.InTurn(s.up.Cancel, func() {
		s.OnError(reactor.OperatorError(s.out.Context(), reactor.Failure(s.p.op, reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", s.p.prefetch), v))
	})
}

func (s *flattenSubscriber[T, R]) OnError(err error) { s.out.End(reactor.NonNil(err)) }

func (s *flattenSubscriber[T, R]) OnComplete() { s.out.End(nil) }

// Stop implements protocol.Flow.
func (s *flattenSubscriber[T, R]) Stop() { s.up.Cancel() }

// Flow implements protocol.Flow.
func (s *flattenSubscriber[T, R]) Flow() {
	for s.out.Open() {
		if !s.current {
			v, ok := s.poll()
			if !ok {
				if !s.within.Load() {
					s.restSeq()
				}
				return
			}
			s.open(v)
			continue
		}
		n := s.out.Demand()
		if n == 0 {
			return
		}
		if s.seq.isSet() {
			n = s.emitSeq(n)
		} else {
			n = s.emitSlice(n)
		}
		s.out.Produced(n)
	}
}

// Dry implements protocol.Flow.
func (s *flattenSubscriber[T, R]) Dry() bool {
	return !s.current && !s.hasCame && s.queue.IsEmpty() && s.ahead.isEmpty()
}

// poll returns the next element of the source. What came past the queue was there when that was empty.
func (s *flattenSubscriber[T, R]) poll() (v T, ok bool) {
	if s.hasCame {
		v = s.came
		s.came, s.hasCame = *new(T), false
		return v, true
	}
	if s.asks {
		return s.ahead.poll(s.up)
	}
	return s.queue.Poll()
}

// open begins with what the function returns for v.
func (s *flattenSubscriber[T, R]) open(v T) {
	s.operand.Begin(&s.out, v)
	var (
		items []R
		seq   flattenedSeq[R]
		err   error
	)
	if s.cont == nil {
		items, seq, err = s.p.fn(v)
	} else {
		items, seq, err = s.call(v)
	}
	s.operand.End(&s.out)
	switch {
	case err != nil:
		s.failed(err, v)
	case seq.isSet():
		s.current = true
		s.openSeq(seq)
		return
	case len(items) > 0:
		s.current = true
		s.items, s.next = items, 0
		return
	}
	s.consumed()
}

// call calls the function with OnErrorContinue in force: a panic becomes an error.
func (s *flattenSubscriber[T, R]) call(v T) (items []R, seq flattenedSeq[R], err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failure.Recovered(r)
		}
	}()
	return s.p.fn(v)
}

// failed takes the error that the function has returned for v.
func (s *flattenSubscriber[T, R]) failed(err error, v T) {
	defer s.Discard(v) // also if what follows, such as a retry, ends the goroutine
	if err = s.cont.Take(err, v); err != nil {
		s.out.Refuse(reactor.OperatorError(s.out.Context(), err, v))
	}
}

// CallFailed is called by the outlet: the function, the sequence or something downstream has
// failed.
func (s *flattenSubscriber[T, R]) CallFailed(err error) {
	if s.items != nil {
		s.InFlight.Hold(s.items[s.next-1])
	}
	if s.InFlight.Full() {
		s.Crash(&s.out, err)
		return
	}
	s.InFlight.Clear() // of what a sequence has sent before
	err = failure.Renamed(s.seq.out(err), "flatMapSeq", s.p.op)
	if s.current {
		s.out.Refuse(reactor.OperatorError(s.out.Context(), err, nil))
		return
	}
	v := s.operand.Take()
	defer s.Discard(v) // also if the hook for errors ends the goroutine
	s.out.Refuse(reactor.OperatorError(s.out.Context(), err, v))
}

// finish is done with the slice or sequence.
func (s *flattenSubscriber[T, R]) finish() {
	s.current, s.items, s.next = false, nil, 0
	s.consumed()
}

// consumed counts an element of upstream that is done with.
func (s *flattenSubscriber[T, R]) consumed() {
	if s.asks {
		return
	}
	if n := s.refill.Consumed(1); n > 0 && !s.out.Stopped() {
		s.up.Request(n)
	}
}

// emitSlice emits at most n elements of the slice.
func (s *flattenSubscriber[T, R]) emitSlice(n int64) (sent int64) {
	first, end := s.next, len(s.items)
	if int64(end-first) > n {
		end = first + int(n)
	}
	s.out.Sending()
	push := s.PushDown
	s.out.Call.Begin() // what is in flight is the element before next
	for s.next < end && !s.out.Stopped() {
		v := s.items[s.next]
		s.next++
		push(v)
	}
	s.out.Call.End()
	sent = int64(s.next - first)
	if s.next == len(s.items) {
		s.finish()
	}
	return sent
}

// Drop implements protocol.Flow: it discards everything that is still here.
func (s *flattenSubscriber[T, R]) Drop() {
	for s.next < len(s.items) {
		s.next++ // before the hook, which may end the goroutine: then the next call goes on
		s.Discard(s.items[s.next-1])
	}
	s.current, s.items, s.next = false, nil, 0
	s.closeSeq()
	if s.asks {
		s.ahead.drop(s.out.Context())
	} else {
		for v, ok := s.poll(); ok; v, ok = s.poll() {
			s.Discard(v)
		}
	}
	s.out.DropFailures()
}
