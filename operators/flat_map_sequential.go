package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// FlatMapSequentialOption configures [FlatMapSequential] and [MergeSequentialAll]:
// [Concurrency] (default 256), [Prefetch] (default 32), [DelayErrors].
type FlatMapSequentialOption interface {
	applyFlatMapSequential(*flatMapSequentialConfig)
}

type flatMapSequentialConfig struct {
	op                    string // for errors
	concurrency, prefetch int64
	delayErrors           bool
}

func (n ConcurrencyOption) applyFlatMapSequential(c *flatMapSequentialConfig) {
	c.concurrency = positiveSize(c.op, "concurrency", int(n))
}

func (n PrefetchOption) applyFlatMapSequential(c *flatMapSequentialConfig) {
	c.prefetch = positiveSize(c.op, "prefetch", int(n))
}

func (d DelayErrorsOption) applyFlatMapSequential(c *flatMapSequentialConfig) {
	c.delayErrors = bool(d)
}

// FlatMapSequential subscribes to the publisher that fn returns for each element at
// once, as [FlatMap] does, and emits what they send in the order of the elements, as
// [ConcatMap] does: all of the first publisher, then all of the second, and so on.
//
//	src:  1 - 2 ------------ |
//	      FlatMapSequential(1 => 10, 11, every 6; 2 => 20, 21, every 2)
//	out:  ----- 10 ---- 11 20 21 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are
// requested from src, and one more for each publisher whose turn is over. Each inner
// publisher is asked for [Prefetch] elements ahead of demand, which wait in a queue of
// its own until it is its turn.
//
// The first error, of src, of fn, or of an inner publisher, cancels src and all inner
// publishers, discards what waits and ends the stream. With [DelayErrors] inner publishers
// and src run on, and their errors, joined if there are several, come at the end. A nil
// publisher is an error of fn.
//
// Cancellation cancels src and all inner publishers. fn runs on the goroutine of src.
// Elements are emitted on whatever goroutine makes it possible: that of the inner
// publisher whose turn it is, that of the one before, or that of a request.
func FlatMapSequential[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...FlatMapSequentialOption,
) reactor.Publisher[R] {
	return newFlatMapSequential("flatMapSequential", src, fn, opts)
}

func newFlatMapSequential[T, R any](
	op string, src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts []FlatMapSequentialOption,
) reactor.Publisher[R] {
	protocol.NotNil(op, "mapper", fn)
	p := &flatMapSequentialPublisher[T, R]{
		src: protocol.Trust(op, src), fn: fn,
		flatMapSequentialConfig: flatMapSequentialConfig{
			op: op, concurrency: defaultConcurrency, prefetch: defaultPrefetch,
		},
	}
	for _, o := range opts {
		o.applyFlatMapSequential(&p.flatMapSequentialConfig)
	}
	return p
}

type flatMapSequentialPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[R]
	flatMapSequentialConfig
}

func (p *flatMapSequentialPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar(p.op, ctx, p.src, p.fn, s, nil) {
		return
	}
	down := protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, &flatMapSequentialSubscriber[T, R]{
		ctx: ctx, down: down, push: protocol.Push(down), fn: p.fn, flatMapSequentialConfig: p.flatMapSequentialConfig,
		discard: reactor.DiscardHookFor[T](ctx), cont: protocol.Continuing(ctx),
		waiting: queue.NewLinked[*sequentialInner[T, R]](int(min(p.concurrency, scalarChunk))),
	})
}

// flatMapSequentialSubscriber receives the signals of the source. The drain loop serves the
// inner publisher whose turn it is; the others wait in a queue, each with a queue of its
// elements. As in merging, a synchronous inner publisher needs none: it is asked for exactly
// what it can deliver.
type flatMapSequentialSubscriber[T, R any] struct {
	protocol.Inner
	flatMapSequentialConfig
	ctx     context.Context
	down    reactor.Subscriber[R]
	push    func(R) // hands elements to down
	fn      func(T) reactor.Publisher[R]
	discard func(any)              // nil if nobody wants what is discarded
	cont    *protocol.Continuation // nil: failures of inner publishers end the stream
	up      reactor.Subscription   // set by OnSubscribe

	waiting   *queue.Linked[*sequentialInner[T, R]] // inner publishers; offered to by the signals of upstream, polled by the owner of drain
	requested atomic.Int64
	failures  protocol.Failures
	done      atomic.Bool // no further inner publishers
	cancelled atomic.Bool // downstream has cancelled
	stop      atomic.Bool // nothing is to be delivered any more: cancelled, failed, or ended
	drain     protocol.Drain

	// Touched by the owner of drain only.
	current *sequentialInner[T, R]
	closed  []*sequentialInner[T, R] // those that were cancelled
	over    bool                     // the end was sent, or downstream has gone
	sent    int64                    // elements that a synchronous inner publisher has emitted
	hand    protocol.Hand[R]
}

func (s *flatMapSequentialSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	up.Request(s.concurrency)
}

func (s *flatMapSequentialSubscriber[T, R]) OnNext(v T) {
	switch {
	case s.stop.Load():
		discardTo(s.discard, v)
		return
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
		return
	}
	p := protocol.Trust(s.op, s.fn(v))
	if s.stop.Load() {
		discardTo(s.discard, v)
		return
	}
	in := &sequentialInner[T, R]{main: s, refill: protocol.NewRefill(s.prefetch)}
	s.waiting.Offer(in)
	p.Subscribe(s.ctx, in)
}

func (s *flatMapSequentialSubscriber[T, R]) OnError(err error) {
	if s.done.Load() || s.stop.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.OnComplete()
}

func (s *flatMapSequentialSubscriber[T, R]) OnComplete() {
	if !s.delayErrors && s.failures.Any() {
		s.stop.Store(true)
	}
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand of downstream.
func (s *flatMapSequentialSubscriber[T, R]) Request(n int64) {
	protocol.AddDemand(&s.requested, n)
	s.drain.Run(s)
}

// Cancel stops the source and all inner publishers, and discards what waits.
func (s *flatMapSequentialSubscriber[T, R]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.stop.Store(true)
	s.up.Cancel()
	s.drain.Run(s)
}

// DrainPass implements protocol.Drainer.
func (s *flatMapSequentialSubscriber[T, R]) DrainPass() {
	for !s.stopped() {
		if s.current == nil {
			done := s.done.Load()
			chaos.Yield()
			in, ok := s.waiting.Poll()
			if !ok {
				if done {
					s.finish()
				}
				return
			}
			s.current = in
		}
		if !s.serve(s.current) {
			return
		}
	}
}

// serve delivers what the inner publisher whose turn it is has, as far as demand allows, and
// reports whether to look again.
func (s *flatMapSequentialSubscriber[T, R]) serve(in *sequentialInner[T, R]) (again bool) {
	if !in.ready.Load() {
		return false
	}
	over := in.done.Load()
	chaos.Yield()
	if over && in.isEmpty() {
		s.current = nil
		if s.concurrency != reactor.Unbounded && !s.done.Load() {
			s.up.Request(1)
		}
		return true
	}
	demand := s.requested.Load()
	if demand == 0 {
		return false
	}
	n := s.deliver(in, demand)
	if n > 0 && demand != reactor.Unbounded {
		protocol.Produced(&s.requested, n)
	}
	if !in.pulled && n > 0 {
		// Also if it has completed, as Reactor does.
		if more := in.refill.Consumed(n); more > 0 {
			in.link.Request(more)
		}
	}
	// Without an element, and without an end: whoever brings one runs the loop.
	return n > 0 || in.done.Load() || s.stop.Load()
}

// deliver sends at most n elements and returns how many it has sent.
func (s *flatMapSequentialSubscriber[T, R]) deliver(in *sequentialInner[T, R], n int64) (sent int64) {
	if in.pulled {
		s.sent = 0
		in.link.Request(n)
		return s.sent
	}
	q := in.queued()
	if q == nil {
		return 0
	}
	for sent != n && !s.stop.Load() {
		v, ok := q.Poll()
		if !ok {
			break
		}
		s.hand.Hold(v)
		s.push(v)
		s.hand.Sent()
		sent++
	}
	s.hand.LetGo()
	return sent
}

// stopped reports whether nothing more is to be delivered. It ends the stream if it was
// cancelled, or if an error is not to wait.
func (s *flatMapSequentialSubscriber[T, R]) stopped() bool {
	switch {
	case s.over:
		s.sweep()
	case s.cancelled.Load():
		s.close()
	case !s.delayErrors && s.failures.Any():
		err := s.failures.Terminate()
		s.close()
		s.down.OnError(err)
	default:
		return false
	}
	return true
}

// finish ends the stream: all inner publishers had their turn.
func (s *flatMapSequentialSubscriber[T, R]) finish() {
	s.over = true
	s.stop.Store(true)
	protocol.Finish(s.down, s.failures.Terminate())
}

// close cancels all inner publishers and discards what waits.
func (s *flatMapSequentialSubscriber[T, R]) close() {
	s.over = true
	s.stop.Store(true)
	if in := s.current; in != nil {
		s.current = nil
		s.closed = append(s.closed, in)
		in.link.Cancel()
	}
	s.sweep()
}

// sweep cancels what has come after the end, and discards its elements.
func (s *flatMapSequentialSubscriber[T, R]) sweep() {
	for in, ok := s.waiting.Poll(); ok; in, ok = s.waiting.Poll() {
		s.closed = append(s.closed, in)
		in.link.Cancel()
	}
	for _, in := range s.closed {
		if q := in.queued(); q != nil {
			for v, ok := q.Poll(); ok; v, ok = q.Poll() {
				discardTo(s.discard, v)
			}
		}
	}
}

// DrainCrashed implements protocol.Drainer.
func (s *flatMapSequentialSubscriber[T, R]) DrainCrashed(err error) {
	over := s.over
	s.crash()
	s.hand.Crash(s.ctx, s.down, over, err)
}

// crashed is called by the owner of the drain when an element failed on its way down that is
// in hand upstream: downstream counts as cancelled and gets the error.
func (s *flatMapSequentialSubscriber[T, R]) crashed(err error) {
	if s.crash() {
		s.down.OnError(err)
	}
}

// crash closes a stream that has failed downstream, unless that was done.
func (s *flatMapSequentialSubscriber[T, R]) crash() bool {
	if s.over {
		return false // a Goexit that was delivered already goes on unwinding
	}
	s.up.Cancel()
	s.close()
	s.failures.Terminate()
	return true
}
