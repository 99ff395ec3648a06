package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// FilterWhenOption changes how [FilterWhen] asks for elements.
type FilterWhenOption interface{ applyFilterWhen(*filterWhenConfig) }

type filterWhenConfig struct{ prefetch int64 }

func (o PrefetchOption) applyFilterWhen(c *filterWhenConfig) {
	c.prefetch = protocol.Prefetch("filterWhen", int(o))
}

// FilterWhen emits the elements for which the publisher that test returns emits
// true first, and discards the others: those for which it emits false first,
// ends empty, or fails.
//
//	src:  1 --- 2 ------- 3 |
//	      FilterWhen(v => isAllowed(v))
//	out:  ----- 1 ------------- 3 |
//
// One test runs at a time, in the order of src; it is cancelled after its first
// element. Elements are requested ahead, 256 at a time unless [Prefetch] says
// otherwise. A failing test or src fails the stream once everything before it
// was decided. A panic of test counts as a failing test.
func FilterWhen[T any](src reactor.Publisher[T], test func(T) reactor.Publisher[bool], opts ...FilterWhenOption) reactor.Publisher[T] {
	protocol.NotNil("filterWhen", "test", test)
	c := filterWhenConfig{prefetch: 256}
	for _, o := range opts {
		o.applyFilterWhen(&c)
	}
	return &filterWhenPublisher[T]{src: protocol.Trust("filterWhen", src), test: test, prefetch: c.prefetch}
}

// FilterWhenMono is [FilterWhen] for a src of at most one element: it asks for
// that one when downstream does.
func FilterWhenMono[T any](src reactor.Publisher[T], test func(T) reactor.Publisher[bool]) reactor.Publisher[T] {
	protocol.NotNil("filterWhen", "test", test)
	return &filterWhenPublisher[T]{src: protocol.Trust("filterWhen", src), test: test, prefetch: 1, mono: true}
}

type filterWhenPublisher[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	test     func(T) reactor.Publisher[bool]
	prefetch int64
	mono     bool
}

func (p *filterWhenPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &filterWhenSubscriber[T]{
		p: p, ctx: ctx, down: protocol.Strict(ctx, s), discard: reactor.DiscardHookFor[T](ctx),
		refill: protocol.NewRefill(p.prefetch),
	}
	if p.prefetch == reactor.Unbounded {
		sub.queue = queue.NewLinked[T](256)
	} else {
		sub.queue = queue.NewRing[T](int(p.prefetch))
	}
	p.src.Subscribe(ctx, sub)
}

type filterWhenSubscriber[T any] struct {
	protocol.Inner
	p         *filterWhenPublisher[T]
	ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription
	discard   func(any)
	queue     queue.Queue[T] // filled by src, emptied by the drain owner
	failures  protocol.Failures
	requested atomic.Int64
	drain     protocol.Drain
	done      atomic.Bool // src has ended
	cancelled atomic.Bool
	current   atomic.Pointer[filterWhenTest[T]] // the test that runs
	verdict   atomic.Int32                      // of the current test, once it has ended

	// Drain owner only.
	hand   protocol.Hand[T] // the element that is being tested, or on its way down
	call   protocol.Calling // the user's function runs
	over   bool             // a terminal signal was sent
	refill protocol.Refill
}

const (
	verdictNone = iota
	verdictKeep
	verdictReject
)

func (s *filterWhenSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	if !s.p.mono {
		up.Request(s.p.prefetch)
	}
}

func (s *filterWhenSubscriber[T]) OnNext(v T) {
	if !s.queue.Offer(v) {
		// More than was asked for.
		s.up.Cancel()
		s.failures.Add(reactor.Failure("filterWhen", reactor.ErrOverflow, "more than the %d requested elements came", s.p.prefetch))
		s.done.Store(true)
		reactor.Discard(s.ctx, v)
	}
	s.drain.Run(s)
}

func (s *filterWhenSubscriber[T]) OnError(err error) {
	if s.done.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.OnComplete()
}

func (s *filterWhenSubscriber[T]) OnComplete() {
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *filterWhenSubscriber[T]) Request(n int64) {
	protocol.AddDemand(&s.requested, n)
	if s.p.mono {
		s.up.Request(n)
	}
	s.drain.Run(s)
}

func (s *filterWhenSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	// Deferred: a function that hears of a cancellation may end the goroutine.
	defer s.drain.Run(s)
	defer func() {
		if t := s.current.Load(); t != nil {
			t.link.Cancel()
		}
	}()
	s.up.Cancel()
}

// DrainPass tests one element after the other as long as there is demand.
func (s *filterWhenSubscriber[T]) DrainPass() {
	for {
		if s.cancelled.Load() || s.over {
			s.clear()
			return
		}
		if !s.hand.Full() {
			done := s.done.Load() // before looking into the queue
			if s.queue.IsEmpty() {
				if done {
					s.end()
				}
				return
			}
			if s.requested.Load() == 0 {
				return
			}
			s.hand.Hold(s.poll())
			s.begin()
		}
		switch s.verdict.Swap(verdictNone) {
		case verdictNone:
			return // the test will tell
		case verdictKeep:
			protocol.Produced(&s.requested, 1)
			s.down.OnNext(s.hand.Item())
			s.letGo(false)
		case verdictReject:
			s.letGo(true)
		}
	}
}

func (s *filterWhenSubscriber[T]) poll() T {
	v, _ := s.queue.Poll()
	return v
}

// begin starts the test of the element in hand.
func (s *filterWhenSubscriber[T]) begin() {
	s.call.Begin()
	p := s.p.test(s.hand.Item())
	if c, ok := p.(protocol.Callable[bool]); ok {
		keep, any, err := c.Call(s.ctx)
		s.call.End()
		s.decide(keep && any, err)
		return
	}
	if p == nil {
		panic("the test returned a nil publisher")
	}
	p = protocol.Trust("filterWhen", p)
	s.call.End()
	t := &filterWhenTest[T]{parent: s}
	s.current.Store(t)
	if s.cancelled.Load() {
		t.link.Cancel()
	}
	protocol.Beside(s.ctx, s.hand.Item(), func() { p.Subscribe(s.ctx, t) })
}

// decide records the outcome of a test.
func (s *filterWhenSubscriber[T]) decide(keep bool, err error) {
	if err != nil {
		s.failures.Add(err)
	}
	if keep {
		s.verdict.Store(verdictKeep)
	} else {
		s.verdict.Store(verdictReject)
	}
}

// letGo is done with the element in hand.
func (s *filterWhenSubscriber[T]) letGo(discard bool) {
	if discard && s.discard != nil {
		s.discard(s.hand.Item())
	}
	s.hand.LetGo()
	if n := s.refill.Consumed(1); n > 0 && !s.p.mono {
		s.up.Request(n)
	}
}

func (s *filterWhenSubscriber[T]) end() {
	s.over = true
	protocol.Finish(s.down, s.failures.Terminate())
}

// clear discards what will not be delivered.
func (s *filterWhenSubscriber[T]) clear() {
	if s.hand.Full() {
		if s.discard != nil {
			s.discard(s.hand.Item())
		}
		s.hand.LetGo()
	}
	for {
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		if s.discard != nil {
			s.discard(v)
		}
	}
}

// DrainCrashed tells a failing test from a failure downstream.
func (s *filterWhenSubscriber[T]) DrainCrashed(err error) {
	if s.call.Failed() {
		s.decide(false, reactor.OperatorError(s.ctx, err, s.hand.Item()))
		return
	}
	defer s.hand.Crash(s.ctx, s.down, s.over, err) // also if a function that hears of what follows ends the goroutine
	s.cancelled.Store(true)
	s.over = true
	s.up.Cancel()
}

// filterWhenTest receives the outcome of one test.
type filterWhenTest[T any] struct {
	protocol.Inner
	parent *filterWhenSubscriber[T]
	link   protocol.Deferred
	done   bool // signals of the test's publisher
}

func (t *filterWhenTest[T]) OnSubscribe(up reactor.Subscription) {
	if t.link.Set(up) {
		t.link.Request(reactor.Unbounded)
	}
}

func (t *filterWhenTest[T]) OnNext(keep bool) {
	if t.done {
		return
	}
	defer t.end(keep, nil) // also if a function that hears of what follows ends the goroutine
	t.link.Cancel()
}

func (t *filterWhenTest[T]) OnError(err error) {
	if t.done {
		reactor.DropError(t.parent.ctx, err)
		return
	}
	t.end(false, err)
}

func (t *filterWhenTest[T]) OnComplete() {
	if !t.done {
		t.end(false, nil)
	}
}

func (t *filterWhenTest[T]) end(keep bool, err error) {
	t.done = true
	t.parent.decide(keep, err)
	t.parent.drain.Run(t.parent)
}
