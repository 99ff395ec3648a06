package reactortest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
)

// TestPublisher is a publisher that a test controls: the test decides when it sends what.
//
//	src := reactortest.NewTestPublisher[int](t)
//	reactortest.NewStepVerifier(t, flux.From(src).Map(double)).
//		Then(func() { src.Next(1, 2) }).
//		ExpectNext(2, 4).
//		Then(src.Complete).
//		VerifyComplete()
//
// By default it keeps the rules of the protocol: a subscriber that has not requested an element
// when it comes fails with reactor.ErrOverflow. Each [Violation] makes it break one of the
// rules. All methods may be called from any goroutine; if the order matters, call Next, Error
// and Complete from one goroutine at a time.
type TestPublisher[T any] struct {
	t      testing.TB
	cold   bool
	breaks [violations]bool

	mu         sync.Mutex
	outlets    []*outlet[T]        // those that get what is sent, and some that have left; guarded by mu
	left       int                 // of outlets; guarded by mu
	past       []reactor.Signal[T] // of a cold publisher, and the end of a hot one; guarded by mu
	subscribed int                 // guarded by mu
	cancelled  int                 // guarded by mu
	overflows  int                 // guarded by mu
	requested  int64               // by all, saturating; guarded by mu
}

// NewTestPublisher returns a hot publisher: it sends to its current subscribers. A late
// subscriber gets what is sent from then on, or the end if the publisher has ended.
func NewTestPublisher[T any](t testing.TB, violations ...Violation) *TestPublisher[T] {
	return newTestPublisher[T](t, "NewTestPublisher", violations)
}

func newTestPublisher[T any](t testing.TB, op string, breaks []Violation) *TestPublisher[T] {
	p := &TestPublisher[T]{t: t}
	for _, v := range breaks {
		if !v.isKnown() {
			panic(fmt.Sprintf("reactortest: %s: there is no %v", op, v))
		}
		p.breaks[v] = true
	}
	return p
}

// NewColdTestPublisher returns a publisher that keeps what it has sent, and sends all
// of it to each subscriber, on demand.
func NewColdTestPublisher[T any](t testing.TB, violations ...Violation) *TestPublisher[T] {
	p := newTestPublisher[T](t, "NewColdTestPublisher", violations)
	p.cold = true
	return p
}

// Subscribe implements reactor.Publisher.
func (p *TestPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := s
	if !p.lawless() {
		down = protocol.Strict(ctx, s)
	}
	o := &outlet[T]{p: p, down: down}
	if p.lawless() && !p.breaks[IgnoresContext] && !p.breaks[ForgetsOnSubscribe] && !p.breaks[SubscribesNil] {
		o.unwatch = live.AfterContext(ctx, live.Func(func() { o.contextEnded(context.Cause(ctx)) }))
	}
	p.mu.Lock()
	p.subscribed++
	p.outlets = append(p.outlets, o)
	o.queue = slices.Clone(p.past)
	p.mu.Unlock()
	switch {
	case p.breaks[ForgetsOnSubscribe]:
	case p.breaks[SubscribesNil]:
		down.OnSubscribe(nil)
	default:
		down.OnSubscribe(o)
	}
	if p.breaks[SubscribesTwice] {
		down.OnSubscribe(&outlet[T]{p: p, down: down, gone: true})
	}
	if p.breaks[PanicsInSubscribe] {
		panic("reactortest: TestPublisher panics in Subscribe, as it was told")
	}
	o.subscribed()
}

// lawless reports whether it breaks rules that the strict edge would mend.
func (p *TestPublisher[T]) lawless() bool { return p.breaks != [violations]bool{} }

// Next sends these elements.
func (p *TestPublisher[T]) Next(items ...T) {
	if p.breaks[OverlapsSignals] {
		var all sync.WaitGroup
		for _, item := range items {
			for _, o := range p.current() {
				all.Go(func() { o.down.OnNext(item) })
			}
		}
		all.Wait()
		return
	}
	for _, item := range items {
		p.send(reactor.NextSignal(item))
	}
}

// Complete ends the stream.
func (p *TestPublisher[T]) Complete() { p.send(reactor.CompleteSignal[T]()) }

// Error ends the stream with err.
func (p *TestPublisher[T]) Error(err error) {
	if err == nil && p.breaks[SendsNilErrors] {
		for _, o := range p.current() {
			o.leave()
			o.down.OnError(nil)
		}
		return
	}
	p.send(reactor.ErrorSignal[T](err))
}

// Emit sends these elements and completes.
func (p *TestPublisher[T]) Emit(items ...T) {
	p.Next(items...)
	p.Complete()
}

func (p *TestPublisher[T]) send(s reactor.Signal[T]) {
	p.mu.Lock()
	ended := len(p.past) > 0 && p.past[len(p.past)-1].IsTerminal()
	if ended && !p.breaks[GoesOnAfterTheEnd] {
		p.mu.Unlock()
		return
	}
	if p.cold || s.IsTerminal() {
		p.past = append(p.past, s)
	}
	to := p.present()
	p.mu.Unlock()
	for _, o := range to {
		o.offer(s)
	}
}

// Subscribers returns how many are subscribed now.
func (p *TestPublisher[T]) Subscribers() (n int) {
	for _, o := range p.current() {
		if !o.isGone() {
			n++
		}
	}
	return n
}

// Subscriptions returns how many have subscribed so far.
func (p *TestPublisher[T]) Subscriptions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.subscribed
}

// Cancellations returns how many subscribers have cancelled.
func (p *TestPublisher[T]) Cancellations() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancelled
}

// Requested returns the sum of the requests of all subscribers, which may be reactor.Unbounded.
func (p *TestPublisher[T]) Requested() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requested
}

// AssertSubscribers ends the test unless n are subscribed now.
func (p *TestPublisher[T]) AssertSubscribers(n int) {
	p.t.Helper()
	p.assert(p.Subscribers() == n, fmt.Sprintf("%d subscribers", n))
}

// AssertCancelled ends the test unless n subscribers have cancelled.
func (p *TestPublisher[T]) AssertCancelled(n int) {
	p.t.Helper()
	p.assert(p.Cancellations() == n, fmt.Sprintf("%d cancellations", n))
}

// AssertRequested ends the test unless n elements were requested in all.
func (p *TestPublisher[T]) AssertRequested(n int64) {
	p.t.Helper()
	p.assert(p.Requested() == n, "a demand of "+demandString(n))
}

// AssertNoOverflow ends the test if a subscriber had to fail because it had not requested an
// element that was sent.
func (p *TestPublisher[T]) AssertNoOverflow() {
	p.t.Helper()
	p.mu.Lock()
	n := p.overflows
	p.mu.Unlock()
	p.assert(n == 0, "no overflow")
}

func (p *TestPublisher[T]) assert(ok bool, want string) {
	p.t.Helper()
	if ok {
		return
	}
	subscribers := p.Subscribers()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Fatalf("reactortest: TestPublisher: expected %s; there are %d subscribers of %d so far, %d have cancelled, %s was requested in all, %d overflowed",
		want, subscribers, p.subscribed, p.cancelled, demandString(p.requested), p.overflows)
}

// outlet is one subscription. Signals wait in it until its subscriber is ready for them and has
// asked for them.
type outlet[T any] struct {
	p       *TestPublisher[T]
	down    reactor.Subscriber[T]
	unwatch func() bool // of a lawless publisher, ends the watch over the context; set before anybody else has the outlet
	left    bool        // guarded by p.mu

	mu     sync.Mutex
	queue  []reactor.Signal[T] // guarded by mu
	demand int64               // guarded by mu
	owed   int64               // elements in the queue of a hot publisher, which have their demand; guarded by mu
	ready  bool                // OnSubscribe has returned; guarded by mu
	busy   bool                // somebody delivers; guarded by mu
	gone   bool                // ended or cancelled; guarded by mu
	ended  bool                // guarded by mu
}

func (o *outlet[T]) isGone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.gone
}

func (o *outlet[T]) subscribed() {
	o.mu.Lock()
	o.ready = true
	o.mu.Unlock()
	o.deliver()
}

func (o *outlet[T]) offer(s reactor.Signal[T]) {
	o.mu.Lock()
	b := &o.p.breaks
	switch {
	case o.ended && !b[GoesOnAfterTheEnd], o.gone && !o.ended && !b[GoesOnAfterCancel]:
		o.mu.Unlock()
		return
	case s.Kind() == reactor.KindNext && !o.p.cold && !b[SendsWithoutDemand] && o.demand != reactor.Unbounded:
		if o.owed == o.demand {
			s = reactor.ErrorSignal[T](reactor.Failure("testPublisher", reactor.ErrOverflow, "onNext(%v) without demand", show(valueOf(s))))
			o.ended = true
			o.p.mu.Lock()
			o.p.overflows++
			o.p.mu.Unlock()
			break
		}
		o.owed++
	case s.IsTerminal():
		o.ended = true
	}
	o.queue = append(o.queue, s)
	o.mu.Unlock()
	o.deliver()
}

func valueOf[T any](s reactor.Signal[T]) T {
	v, _ := s.Value()
	return v
}

// deliver sends what is due, unless somebody does so already.
func (o *outlet[T]) deliver() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy || !o.ready {
		return
	}
	o.busy = true
	defer func() { o.busy = false }()
	b := &o.p.breaks
	for len(o.queue) > 0 {
		s := o.queue[0]
		if o.gone && !(o.ended && b[GoesOnAfterTheEnd]) && !b[GoesOnAfterCancel] {
			o.queue = nil
			return
		}
		if s.Kind() == reactor.KindNext && o.demand != reactor.Unbounded && !b[SendsWithoutDemand] {
			if o.demand == 0 {
				return
			}
			o.demand--
			o.owed = max(o.owed-1, 0)
		}
		o.queue = o.queue[1:]
		if s.IsTerminal() {
			o.gone, o.ended = true, true
		}
		o.outside(func() {
			if s.IsTerminal() {
				o.leave()
			}
			s.Accept(o.down)
		})
	}
}

// outside calls fn without the lock.
func (o *outlet[T]) outside(fn func()) {
	o.mu.Unlock()
	defer o.mu.Lock()
	fn()
}

func (o *outlet[T]) contextEnded(cause error) {
	o.mu.Lock()
	if o.gone {
		o.mu.Unlock()
		return
	}
	o.queue, o.owed = nil, 0
	o.mu.Unlock()
	o.offer(reactor.ErrorSignal[T](cause))
}

// Request implements reactor.Subscription.
func (o *outlet[T]) Request(n int64) {
	o.p.mu.Lock()
	if n > 0 {
		o.p.requested = sum(o.p.requested, n)
	}
	o.p.mu.Unlock()
	if o.p.breaks[PanicsInRequest] {
		panic("reactortest: TestPublisher panics in Request, as it was told")
	}
	o.mu.Lock()
	switch {
	case o.gone:
		o.mu.Unlock()
		return
	case n > 0:
		o.demand = sum(o.demand, n)
		o.mu.Unlock()
		o.deliver()
	case o.p.breaks[AcceptsIllegalRequests]:
		o.mu.Unlock()
	default:
		o.queue, o.owed = nil, 0
		o.mu.Unlock()
		o.offer(reactor.ErrorSignal[T](reactor.IllegalRequest(n)))
	}
}

// Cancel implements reactor.Subscription.
func (o *outlet[T]) Cancel() {
	o.mu.Lock()
	first := !o.gone
	o.gone = true
	o.mu.Unlock()
	if first {
		o.p.mu.Lock()
		o.p.cancelled++
		o.p.mu.Unlock()
		o.leave()
	}
	if o.p.breaks[PanicsInCancel] {
		panic("reactortest: TestPublisher panics in Cancel, as it was told")
	}
}
