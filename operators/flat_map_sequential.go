package operators

import (
	"context"
	"math"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/asking"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/upstream"
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

// FlatMapSequential subscribes at once to the publisher that fn returns for each element, as
// [FlatMap] does, and emits what these publishers send in the order of the elements, as [ConcatMap]
// does: all of the first publisher, then all of the second, and so on.
//
//	src:  1 - 2 ------------ |
//	      FlatMapSequential(1 => 10, 11, every 6; 2 => 20, 21, every 2)
//	out:  ----- 10 ---- 11 20 21 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are requested
// from src, and one more for each publisher whose turn is over. Each inner publisher is asked for
// [Prefetch] elements ahead of demand; they wait in a queue of its own until the publisher's turn
// comes.
//
// The first error, of src, of fn, or of an inner publisher, cancels src and all inner publishers,
// discards the elements that wait and ends the stream. With [DelayErrors] inner publishers and src
// run on, and their errors, joined if there are several, come at the end. A nil publisher is an
// error of fn.
//
// Cancellation cancels src and all inner publishers; errors held back so far are then lost. fn runs
// on the goroutine of src. Elements are emitted on the goroutine that makes it possible: that of
// the inner publisher whose turn it is, that of the inner publisher before it, or that of a
// request.
func FlatMapSequential[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...FlatMapSequentialOption,
) reactor.Publisher[R] {
	return newFlatMapSequential("flatMapSequential", src, fn, opts)
}

func newFlatMapSequential[T, R any](
	op string, src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts []FlatMapSequentialOption,
) reactor.Publisher[R] {
	argument.Given(op, "mapper", fn != nil)
	p := &flatMapSequentialPublisher[T, R]{
		src: protocol.Trust(op, src), fn: fn,
		flatMapSequentialConfig: flatMapSequentialConfig{
			op: op, concurrency: defaultConcurrency(), prefetch: defaultPrefetch(),
		},
	}
	for _, o := range argument.Options(op, opts) {
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
	m := &flatMapSequentialSubscriber[T, R]{
		fn: p.fn, batch: demand.Batch(p.prefetch), flatMapSequentialConfig: p.flatMapSequentialConfig, cont: upstream.Continuing(ctx),
		waiting: queue.NewLinked[*sequentialInner[T, R]](int(min(p.concurrency, scalarChunk))),
	}
	m.out.InRuns = true
	m.Sender.Attach(&m.out, ctx, s, m)
	m.out.EagerErrors, m.out.DelayErrors = !p.delayErrors, p.delayErrors
	p.src.Subscribe(ctx, m)
}

// flatMapSequentialSubscriber receives the signals of the source. The flow serves the
// inner publisher whose turn it is; the others wait in a queue, each with a queue of its
// elements. As in flatMap, a synchronous inner publisher needs none: it is asked for exactly
// what it can deliver.
type flatMapSequentialSubscriber[T, R any] struct {
	protocol.Inner
	flatMapSequentialConfig
	protocol.Sender[R]
	out   protocol.Outlet
	fn    func(T) reactor.Publisher[R]
	batch int64                  // delivered elements of an inner publisher that are asked for again at a time
	cont  *upstream.Continuation // nil: failures of inner publishers end the stream
	up    reactor.Subscription   // set by OnSubscribe

	waiting *queue.Linked[*sequentialInner[T, R]] // inner publishers; offered to by the signals of upstream, polled by the owner of out
	spare   *sequentialInner[T, R]                // one whose turn is over, to be used again; signals of upstream only
	asking  asking.Behind                         // of the source, for those whose turn is over, before the next one's turn; set by the owner of out

	// Touched by the owner of out only.
	current *sequentialInner[T, R]
	closed  []*sequentialInner[T, R] // those that were cancelled
	sent    int64                    // elements that a synchronous inner publisher has emitted
}

func (s *flatMapSequentialSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(s.concurrency) // also if downstream ends the goroutine
	s.out.BeginWith(s)
}

func (s *flatMapSequentialSubscriber[T, R]) OnNext(v T) {
	if s.out.Closed() {
		s.Late(&s.out, v)
		return
	}
	p := protocol.Trust(s.op, s.fn(v))
	if s.out.Stopped() {
		s.Discard(v)
		return
	}
	in := s.spare
	if s.spare = nil; in == nil {
		in = &sequentialInner[T, R]{main: s}
	}
	s.waiting.Offer(in)
	p.Subscribe(s.out.Context(), in)
	if in.state.Load() == sequentialOver {
		in.renew()
		s.spare = in
	}
}

func (s *flatMapSequentialSubscriber[T, R]) OnError(err error) {
	if s.out.Stopped() {
		reactor.DropError(s.out.Context(), err)
		return
	}
	s.out.End(err)
}

func (s *flatMapSequentialSubscriber[T, R]) OnComplete() { s.out.End(nil) }

// Request adds to the demand of downstream.
func (s *flatMapSequentialSubscriber[T, R]) Request(n int64) {
	s.out.AddDemand(n)
	s.run()
}

// Cancel ends the stream.
func (s *flatMapSequentialSubscriber[T, R]) Cancel() { s.out.Cancel() }

// Attach lets h know of the runs of the elements that are sent.
func (s *flatMapSequentialSubscriber[T, R]) Attach(h *protocol.Half) bool { return s.out.Attach(h) }

// Host returns the outlet.
func (s *flatMapSequentialSubscriber[T, R]) Host() protocol.Host { return &s.out }

// run announces work, and does it unless that is done elsewhere, or is about to be.
func (s *flatMapSequentialSubscriber[T, R]) run() {
	if s.asking.Here() {
		s.asking.Pass()
		return
	}
	s.out.Run()
	s.asking.Ask(s)
}

// admit makes the next inner publisher the one whose turn it is, if there is none.
func (s *flatMapSequentialSubscriber[T, R]) admit() {
	if s.asking.Here() || !s.out.TryEnter() {
		s.run()
		return
	}
	if s.current == nil && s.out.Open() {
		s.current, _ = s.waiting.Poll()
	}
	if s.out.Open() {
		s.out.Leave()
	} else {
		s.out.Pass() // which cancels it
	}
	s.asking.Ask(s)
}

// AskFor implements asking.Stage, as does the next.
func (s *flatMapSequentialSubscriber[T, R]) AskFor(n int64) {
	if !s.out.Closed() {
		s.up.Request(n)
	}
}

func (s *flatMapSequentialSubscriber[T, R]) PassAgain() { s.out.Run() }

// Flow implements protocol.Flow, as do the three at the end.
func (s *flatMapSequentialSubscriber[T, R]) Flow() {
	for s.out.Open() && !s.asking.First() {
		if s.current == nil {
			in, ok := s.waiting.Poll()
			if !ok {
				return
			}
			s.current = in
		}
		if !s.serve(s.current) {
			return
		}
	}
}

// serve delivers the elements of the inner publisher whose turn it is, as far as demand
// allows, and reports whether to look again.
func (s *flatMapSequentialSubscriber[T, R]) serve(in *sequentialInner[T, R]) (again bool) {
	if in.state.Load() == sequentialNew {
		return false
	}
	over := in.done.Load()
	chaos.Yield()
	if over && in.isEmpty() {
		s.current = nil
		if in.pulled {
			in.state.Store(sequentialOver)
		}
		if s.concurrency != reactor.Unbounded && !s.out.Done() {
			s.asking.Add(1)
			return !s.waiting.IsEmpty()
		}
		return true
	}
	asked := s.out.Demand()
	if asked == 0 {
		return false
	}
	n := s.deliver(in, asked)
	if n > 0 {
		s.out.Produced(n)
	}
	if !in.pulled && n > 0 {
		// Also if it has completed, as Reactor does.
		if more := in.due(n); more > 0 {
			in.link.Request(more)
		}
	}
	// There is neither an element nor the end. The signal that brings one runs the loop.
	return n > 0 || in.done.Load() || s.out.Stopped()
}

// deliver sends at most n elements and returns how many it has sent.
func (s *flatMapSequentialSubscriber[T, R]) deliver(in *sequentialInner[T, R], n int64) (sent int64) {
	if in.pulled {
		s.sent = 0
		s.out.Sending()
		in.link.Request(n)
		return s.sent
	}
	q := in.queued()
	if q == nil {
		return 0
	}
	s.out.Sending()
	for sent != n && !s.out.Stopped() {
		v, ok := q.Poll()
		if !ok {
			break
		}
		s.InFlight.SendNext(s.PushDown, v)
		sent++
	}
	s.InFlight.Clear()
	return sent
}

func (s *flatMapSequentialSubscriber[T, R]) Dry() bool {
	return s.current == nil && s.waiting.IsEmpty()
}

// Stop leaves the inner publishers to Drop, because they belong to the owner of out.
func (s *flatMapSequentialSubscriber[T, R]) Stop() { s.up.Cancel() }

func (s *flatMapSequentialSubscriber[T, R]) Drop() {
	defer s.dropQueued() // also if a function that hears of a cancellation ends the goroutine, as below
	failure.Persist(math.MaxInt, func(int) bool {
		in := s.current
		s.current = nil
		if in == nil {
			in, _ = s.waiting.Poll()
		}
		if in == nil {
			return false
		}
		s.closed = append(s.closed, in)
		in.link.Cancel()
		return true
	})
}

// dropQueued discards the elements of the inner publishers that were cancelled. Errors that were
// held back are lost with them.
func (s *flatMapSequentialSubscriber[T, R]) dropQueued() {
	if !s.delayErrors {
		defer s.out.DropFailures()
	}
	for _, in := range s.closed {
		if q := in.queued(); q != nil {
			for v, ok := q.Poll(); ok; v, ok = q.Poll() {
				s.Discard(v)
			}
		}
	}
}
