package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// FilterWhenOption changes how [FilterWhen] asks for elements.
type FilterWhenOption interface{ applyFilterWhen(*filterWhenConfig) }

type filterWhenConfig struct{ prefetch int64 }

func (o PrefetchOption) applyFilterWhen(c *filterWhenConfig) {
	c.prefetch = positiveSize("filterWhen", "prefetch", int(o))
}

// FilterWhen emits an element if the first element of the publisher that test returns for it is
// true. An element whose test emits false first, ends empty or fails is discarded, and the tests go
// on.
//
//	src:  1 --- 2 ------- 3 |
//	      FilterWhen(v => isAllowed(v))
//	out:  ----- 1 ------------- 3 |
//
// One test runs at a time, in the order of src; each test is cancelled after its first element.
// Elements of src are requested ahead, 256 at a time unless [Prefetch] says otherwise. The error of
// a test, like an error of src, ends the stream only when all elements of src have been tested;
// several errors are joined. A panic of test counts as a test that fails.
func FilterWhen[T any](src reactor.Publisher[T], test func(T) reactor.Publisher[bool], opts ...FilterWhenOption) reactor.Publisher[T] {
	argument.Given("filterWhen", "test", test != nil)
	c := filterWhenConfig{prefetch: int64(defaultHopPrefetch())}
	for _, o := range argument.Options("filterWhen", opts) {
		o.applyFilterWhen(&c)
	}
	return &filterWhenPublisher[T]{src: protocol.Trust("filterWhen", src), test: test, prefetch: c.prefetch}
}

// FilterWhenMono is [FilterWhen] for a src of at most one element: it requests that
// element when downstream requests.
func FilterWhenMono[T any](src reactor.Publisher[T], test func(T) reactor.Publisher[bool]) reactor.Publisher[T] {
	argument.Given("filterWhen", "test", test != nil)
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
	sub := &filterWhenSubscriber[T]{p: p, refill: demand.NewRefill(p.prefetch)}
	sub.Attach(&sub.out, ctx, s, sub)
	sub.out.DelayErrors = true
	sub.queue = queue.NewSPSC[T](p.prefetch)
	p.src.Subscribe(ctx, sub)
}

// Computable reports whether its source is: see [direct.Is].
func (p *filterWhenPublisher[T]) Computable() direct.Way { return whole(p.mono && isComputable(p.src)) }

// Direct implements direct.Source.
func (p *filterWhenPublisher[T]) Direct(ctx context.Context) (none T, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return none, false, passed[T, T](err, p)
	}
	kept := false
	defer func() {
		if !kept {
			abandon(ctx, v)
		}
	}()
	test := p.test(v)
	if test == nil {
		panic("the test returned a nil publisher")
	}
	keep, ok, err := second(ctx, protocol.Trust("filterWhen", test))
	if of, is := err.(*instead[bool]); is {
		kept = true
		return none, false, &instead[T]{&heldPublisher[T, bool]{value: v, src: of.src, keep: func(keep bool) bool { return keep }}}
	}
	if kept = ok && keep && err == nil; !kept {
		return none, false, err
	}
	return v, true, nil
}

func (p *filterWhenPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &filterWhenPublisher[T]{src: src, test: p.test, prefetch: p.prefetch, mono: p.mono}
}

type filterWhenSubscriber[T any] struct {
	protocol.Inner
	protocol.Sender[T] // InFlight is the element that is being tested, or on its way down
	out                protocol.Outlet
	p                  *filterWhenPublisher[T]
	up                 reactor.Subscription
	queue              queue.Queue[T]                    // filled by src, emptied by the owner of the outlet
	current            atomic.Pointer[filterWhenTest[T]] // the test that runs
	answer             atomic.Int32                      // result of the current test, once it has ended
	refill             demand.Refill                     // owner of the outlet
	untested           bool                              // the element in flight has just come; owner of the outlet
}

const (
	answerNone = iota
	answerKeep
	answerReject
)

func (s *filterWhenSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if !s.p.mono {
		defer up.Request(s.p.prefetch) // also if downstream ends the goroutine
	}
	s.out.BeginWith(s)
}

func (s *filterWhenSubscriber[T]) OnNext(v T) {
	switch entered := s.out.TryEnter(); {
	case entered && s.out.Ready() && s.Dry(): // past the queue
		s.InFlight.Hold(v)
		s.untested = true
		s.out.Pass()
	case !s.queue.Offer(v):
		if entered {
			s.out.Leave()
		}
		defer s.Discard(v) // also if what follows ends the goroutine
		s.up.Cancel()
		s.out.End(reactor.Failure("filterWhen", reactor.ErrOverflow, "more than the %d requested elements came", s.p.prefetch))
	case entered:
		s.out.Pass()
	default:
		s.out.Run()
	}
}

func (s *filterWhenSubscriber[T]) OnError(err error) { s.out.End(err) }
func (s *filterWhenSubscriber[T]) OnComplete()       { s.out.End(nil) }

func (s *filterWhenSubscriber[T]) Request(n int64) {
	s.out.AddDemand(n)
	if s.p.mono {
		s.up.Request(n)
	}
	s.out.Run()
}

func (s *filterWhenSubscriber[T]) Cancel() { s.out.Cancel() }

// Stop implements protocol.Flow.
func (s *filterWhenSubscriber[T]) Stop() {
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		if t := s.current.Load(); t != nil {
			t.link.Cancel()
		}
	})
}

// Flow tests one element after the other as long as there is demand.
func (s *filterWhenSubscriber[T]) Flow() {
	for s.out.Open() {
		if !s.InFlight.Full() {
			if s.out.Demand() == 0 {
				return
			}
			v, ok := s.queue.Poll()
			if !ok {
				return
			}
			s.InFlight.Hold(v)
			s.untested = true
		}
		if s.untested {
			s.untested = false
			s.begin()
		}
		switch s.answer.Swap(answerNone) {
		case answerNone:
			return // the test will tell
		case answerKeep:
			s.out.Produced(1)
			s.InFlight.SendHeld(s.PushDown)
		case answerReject:
			s.discardInFlight()
		}
		if n := s.refill.Consumed(1); n > 0 && !s.p.mono {
			s.up.Request(n)
		}
	}
}

// begin starts the test of the element in flight.
func (s *filterWhenSubscriber[T]) begin() {
	s.out.Call.Begin()
	p := s.p.test(s.InFlight.Element())
	if keep, ok := constant(p); ok {
		s.out.Call.End()
		s.decide(keep, nil)
		return
	}
	if c, ok := direct.AsCallable[bool](p); ok {
		keep, any, err := c.Call(s.out.Context())
		s.out.Call.End()
		if err != nil {
			err = reactor.OperatorError(s.out.Context(), err, s.InFlight.Element())
		}
		s.decide(keep && any, err)
		return
	}
	if p == nil {
		panic("the test returned a nil publisher")
	}
	p = protocol.Trust("filterWhen", p)
	s.out.Call.End()
	t := &filterWhenTest[T]{parent: s}
	s.current.Store(t)
	if s.out.Cancelled() {
		t.link.Cancel()
	}
	failure.Beside(s.out.Context(), s.InFlight.Element(), func() { p.Subscribe(s.out.Context(), t) })
}

// CallFailed is called by the outlet.
func (s *filterWhenSubscriber[T]) CallFailed(err error) {
	s.decide(false, reactor.OperatorError(s.out.Context(), err, s.InFlight.Element()))
}

// decide records the outcome of a test.
func (s *filterWhenSubscriber[T]) decide(keep bool, err error) {
	if err != nil {
		s.out.Refuse(err) // until the others are decided
	}
	if keep {
		s.answer.Store(answerKeep)
	} else {
		s.answer.Store(answerReject)
	}
}

// Dry implements protocol.Flow.
func (s *filterWhenSubscriber[T]) Dry() bool { return !s.InFlight.Full() && s.queue.IsEmpty() }

// discardInFlight discards the element that is being tested.
func (s *filterWhenSubscriber[T]) discardInFlight() {
	v := s.InFlight.Element()
	s.InFlight.Clear()
	s.Discard(v)
}

// Drop implements protocol.Flow.
func (s *filterWhenSubscriber[T]) Drop() {
	defer s.out.DropFailures()
	if s.InFlight.Full() {
		s.discardInFlight()
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
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
		reactor.DropError(t.parent.out.Context(), err)
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
	t.link.Close() // what has ended is not to be cancelled any more
	t.parent.decide(keep, err)
	t.parent.out.Run()
}
