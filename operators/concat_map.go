package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/upstream"
)

// ConcatMapOption configures [ConcatMap]: [Prefetch] (default 32; 0 asks for one element
// at a time), [DelayErrors], [DelayErrorsToBoundary].
type ConcatMapOption interface{ applyConcatMap(*concatMapConfig) }

type concatMapConfig struct {
	prefetch int64 // 0: one element at a time, when the publisher of the one before has ended
	errors   errorMode
}

func (n PrefetchOption) applyConcatMap(c *concatMapConfig) {
	argument.NotNegative("concatMap", "prefetch", int(n))
	c.prefetch = count(int(n))
}

func (d DelayErrorsOption) applyConcatMap(c *concatMapConfig) { c.errors = d.mode() }

func (b BoundaryErrorsOption) applyConcatMap(c *concatMapConfig) {
	if c.errors = errorsAtOnce; b {
		c.errors = errorsAtBoundary
	}
}

// ConcatMap emits the elements of the publishers that fn returns, one publisher after the other:
// the next publisher is subscribed when the one before has completed.
//
//	src:  1 - 2 ------------ |
//	      ConcatMap(n => 10n and 10n+1, each 3 later)
//	out:  --- 10 - 11 - 20 - 21 |
//
// src is asked for 32 elements ([Prefetch]), which wait in a queue, and for another three quarters
// of that number whenever as many were taken. With Prefetch(0) the first request asks src for one
// element; the next one is requested when the publisher of the element before has completed.
// Demand goes to the current inner publisher, and demand that it leaves open to the next one.
// Publishers that have at most one element and know it at once ([Just], [Empty], …) are not
// subscribed to.
//
// An error of src or of an inner publisher ends the stream at once, cancels the other side and
// discards what waits. There are two exceptions to "at once": while an inner publisher computes
// its elements on request, as Range and FromSlice do, an error of src takes effect before its next
// element; and with Prefetch(0) an error of src comes when the publisher of the element before was
// subscribed. With [DelayErrors] the errors, joined if there are several, come when everything
// else was delivered; with [DelayErrorsToBoundary] the first one comes when the current inner
// publisher has ended. A panic of fn, or a nil publisher, ends the stream at once in any case.
// With Prefetch(0) the options work differently: DelayErrors delays such a panic as well, keeps
// the first error only and reports the others as dropped, and DelayErrorsToBoundary has no effect.
//
// Cancellation cancels src and the current inner publisher; errors held back so far are then lost,
// as they are when a failure of fn ends the stream. fn runs, and the next publisher is subscribed,
// on the goroutine of src or of the publisher that has completed. The stack depth is constant,
// however many publishers complete at once. Elements come on the goroutines of the inner
// publishers.
func ConcatMap[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...ConcatMapOption,
) reactor.Publisher[R] {
	argument.Given("concatMap", "mapper", fn != nil)
	p := &concatMapPublisher[T, R]{
		src: protocol.Trust("concatMap", src), fn: fn,
		concatMapConfig: concatMapConfig{prefetch: defaultPrefetch()},
	}
	for _, o := range argument.Options("concatMap", opts) {
		o.applyConcatMap(&p.concatMapConfig)
	}
	return p
}

type concatMapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[R]
	concatMapConfig
}

func (p *concatMapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar("concatMap", ctx, p.src, p.fn, s, upstream.Continuing(ctx)) {
		return
	}
	p.src.Subscribe(ctx, newConcatMap(ctx, s, p.fn, p.concatMapConfig))
}

func newConcatMap[T, R any](
	ctx context.Context, s reactor.Subscriber[R], fn func(T) reactor.Publisher[R], c concatMapConfig,
) *concatMapSubscriber[T, R] {
	sub := &concatMapSubscriber[T, R]{
		ctx: ctx, fn: fn, concatMapConfig: c,
		discard: reactor.DiscardHookFor[T](ctx), cont: upstream.Continuing(ctx),
		queue: queue.NewSPSC[T](max(c.prefetch, 1)),
	}
	if c.prefetch == 0 {
		if c.errors == errorsAtBoundary {
			sub.errors = errorsAtOnce
		}
	} else {
		sub.refill = demand.NewRefill(c.prefetch)
	}
	down := protocol.Strict(ctx, s)
	sub.out.Down, sub.PushDown = down, protocol.Push(down)
	sub.inner.main = sub
	return sub
}

// concatMapSubscriber receives the signals of the source. The drain loop takes the
// elements out of the queue and subscribes to their publishers, whose elements go
// straight down.
type concatMapSubscriber[T, R any] struct {
	protocol.Inner
	protocol.LoopSender[R] // of publishers with one element that is known at once; PushDown serves all
	concatMapConfig
	ctx     context.Context
	fn      func(T) reactor.Publisher[R]
	discard func(any)              // nil if nobody wants what is discarded
	cont    *upstream.Continuation // nil: failures end the stream
	up      reactor.Subscription   // set by OnSubscribe
	inner   concatMapInner[T, R]   // the subscriber of all inner publishers; its arbiter has the demand
	out     protocol.Half          // elements of the inner publishers, terminal signals from all sides

	queue    queue.SPSC[T] // offered to by the signals of upstream, polled by the owner of drain
	failures failure.List
	asked    atomic.Bool // prefetch 0: upstream was asked for the first element
	late     lateError   // prefetch 0, errors at once
	done     atomic.Bool // no further elements will come
	active   atomic.Bool // an inner publisher is at work; set by the owner of drain, reset by that publisher's signals
	stop     atomic.Bool // nothing is to be delivered any more: cancelled, failed, or ended
	leaving  earlyCancel // set by Cancel
	drain    protocol.Drain
	caller   caller // of functions whose publishers are not subscribed to
	alone    bool   // the source is in nextAlone; touched by its signals, read by the owner of the drain

	// Touched by the owner of drain only, refill also by a signal of the source that is alone.
	refill demand.Refill
	owed   bool // prefetch 0: the next element is to be asked for when no publisher is active
}

func (s *concatMapSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if s.prefetch > 0 {
		defer up.Request(s.prefetch) // also if downstream ends the goroutine
	}
	s.out.Down.OnSubscribe(s)
}

func (s *concatMapSubscriber[T, R]) OnNext(v T) {
	if s.prefetch == 0 {
		s.late.arrived()
	}
	switch {
	case s.stop.Load():
		s.leaving.refuse(s.up, s.discard, v)
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
	case s.prefetch > 0 && s.drain.TryEnter():
		s.enter(v)
	case s.queue.Offer(v):
		s.drain.Run(s)
	default:
		s.overflow(v)
	}
}

// overflow fails the stream because the source has sent more than it was asked for.
func (s *concatMapSubscriber[T, R]) overflow(v T) {
	defer pending.Discard(s.discard, v) // also if what follows ends the goroutine
	failure.InTurn(s.up.Cancel, func() {
		s.OnError(reactor.OperatorError(s.ctx, reactor.Failure("concatMap", reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", max(s.prefetch, 1)), v))
	})
}

// OnError takes the failure of the source.
func (s *concatMapSubscriber[T, R]) OnError(err error) {
	switch {
	case s.done.Load() || s.stop.Load():
		reactor.DropError(s.ctx, err)
	case s.errors != errorsAtOnce:
		defer s.OnComplete() // also if the hook ends the goroutine
		s.keep(err)
	case s.late.postpone(err):
		s.drain.Run(s)
	default:
		s.fail(err)
	}
}

func (s *concatMapSubscriber[T, R]) OnComplete() {
	s.done.Store(true)
	s.drain.Run(s)
}

// keep holds an error back.
func (s *concatMapSubscriber[T, R]) keep(err error) {
	if s.prefetch == 0 && s.failures.Any() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
	}
}

// fail ends the stream because of an error of the source.
func (s *concatMapSubscriber[T, R]) fail(err error) {
	// done stays as it is: the inner publisher takes it for a promise that nobody else
	// sends a terminal signal.
	s.stop.Store(true)
	defer s.drain.Run(s) // also if what follows ends the goroutine
	defer func() {
		if !s.out.End(err) {
			reactor.DropError(s.ctx, err)
		}
	}()
	s.cancelInner()
}

// Request adds to the demand, which goes to the current inner publisher.
func (s *concatMapSubscriber[T, R]) Request(n int64) {
	s.inner.arbiter.Request(n)
	if s.prefetch == 0 && !s.asked.Load() && !s.asked.Swap(true) {
		s.up.Request(1)
	}
}

// Cancel stops the source and the current inner publisher, and discards the elements
// that wait.
func (s *concatMapSubscriber[T, R]) Cancel() {
	if s.stop.Swap(true) {
		return
	}
	s.leaving.Store(true)
	// Deferred: a function that hears of a cancellation may end the goroutine.
	defer s.drain.Run(s)
	defer s.leaving.leave(s.up)
	s.cancelInner()
}

// DrainPass implements protocol.Drainer.
func (s *concatMapSubscriber[T, R]) DrainPass() {
	for s.advance() {
	}
}

// advance goes on to the next element if no publisher is at work; it reports whether to look again.
func (s *concatMapSubscriber[T, R]) advance() bool {
	if s.stop.Load() {
		s.release()
		return false
	}
	active := s.active.Load()
	chaos.Yield()
	if err := s.late.due(active); err != nil {
		s.fail(err)
		return true
	}
	if active {
		return false
	}
	done := s.done.Load()
	chaos.Yield()
	if s.rests(done) {
		return false
	}
	if done && s.errors == errorsAtBoundary && s.failures.Any() {
		s.finish()
		return false
	}
	if s.owed {
		s.owed = false
		if !done {
			s.up.Request(1)
		}
	}
	v, ok := s.queue.Poll()
	if !ok {
		if done {
			s.finish()
		}
		return false
	}
	s.next(v, done)
	return true
}

// next goes on to v, an element of the source. If that is done, nothing more is asked of it.
func (s *concatMapSubscriber[T, R]) next(v T, done bool) {
	p, ok := s.apply(v)
	if s.prefetch == 0 {
		s.owed = true
	} else if n := s.refill.Consumed(1); n > 0 && !done && !s.stop.Load() {
		s.askBeside(n, v)
	}
	if !ok || s.stop.Load() {
		s.late.taken()
		if ok {
			pending.Discard(s.discard, v)
		}
		return
	}
	s.take(p, v)
}

// take goes on to p, the publisher for v.
func (s *concatMapSubscriber[T, R]) take(p reactor.Publisher[R], v T) {
	if r, ok := constant(p); ok {
		s.emit(r)
	} else if f, ok := p.(funcPublisher[R]); !ok || !s.callFunc(f) {
		if rest := s.shortcut(p, v); rest != nil {
			s.active.Store(true)
			s.late.taken()
			rest.Subscribe(s.ctx, &s.inner)
			return
		}
	}
	s.late.taken()
}

// shortcut does without a subscription to p, the publisher for v, if it can. It returns what has to be subscribed to, or nil if there is
// nothing.
func (s *concatMapSubscriber[T, R]) shortcut(p reactor.Publisher[R], v T) reactor.Publisher[R] {
	if c, ok := p.(callablePublisher[R, callable[R]]); ok { // known without a look at tables
		s.call(c, v)
		return nil
	}
	way := direct.WayOf(p)
	if way == 0 {
		return p
	}
	if c, ok := direct.AsCallable[R](p); ok {
		s.call(c, v)
		return nil
	}
	return s.compute(p, way)
}

// apply calls the function. If it fails, the result is false, and everything was done about it.
func (s *concatMapSubscriber[T, R]) apply(v T) (p reactor.Publisher[R], ok bool) {
	defer func() {
		if !ok {
			s.fnFailed(v, failure.Recovered(recover()))
		}
	}()
	p = s.fn(v)
	if _, known := p.(*justPublisher[R]); !known {
		p = protocol.Trust("concatMap", p)
	}
	return p, true
}

// finish ends the stream: everything was delivered, or an error was held back long enough.
func (s *concatMapSubscriber[T, R]) finish() {
	s.stop.Store(true)
	err := s.failures.Terminate()
	defer func() { // also if a hook ends the goroutine
		if !s.out.End(err) && err != nil {
			reactor.DropError(s.ctx, err)
		}
	}()
	s.release()
}

// release discards what waits; an error that waited is reported as dropped.
func (s *concatMapSubscriber[T, R]) release() {
	if err := s.late.take(); err != nil {
		reactor.DropError(s.ctx, err)
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		pending.Discard(s.discard, v)
	}
}

// Downstream implements protocol.Fallible: only an element that emit sends can fail a pass, and the
// subscriber of inner publishers gets the error, as if an inner publisher had sent it. A Goexit in
// Subscribe was delivered already, as the failure of the publisher concerned.
func (s *concatMapSubscriber[T, R]) Downstream() (context.Context, protocol.Signals, bool) {
	return s.ctx, &s.inner, !s.InFlight.Full()
}

// Fell implements protocol.Fallible.
func (s *concatMapSubscriber[T, R]) Fell(err error) error {
	if s.InFlight.Full() {
		s.inner.call.Begin()
	}
	return err
}
