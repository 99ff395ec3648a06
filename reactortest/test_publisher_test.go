package reactortest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func TestTestPublisher(t *testing.T) {
	src := NewTestPublisher[int](t)
	NewStepVerifier(t, flux.From(src).Map(func(v int) int { return 2 * v })).
		Then(func() { src.Next(1, 2) }).
		ExpectNext(2, 4).
		Then(src.Complete).
		VerifyComplete()
	late := Subscribe(t, src)
	late.ExpectComplete()
	src.AssertSubscribers(0)
	assert.Equal(t, 2, src.Subscriptions())
	src.Next(3)
	src.Error(errBoom)
	late.ExpectNothing()
}

func TestTestPublisherCountsDemand(t *testing.T) {
	src := NewTestPublisher[int](t)
	a, b := Subscribe(t, src, InitialRequest(2)), Subscribe(t, src, InitialRequest(1))
	src.AssertSubscribers(2)
	src.AssertRequested(3)
	src.AssertNoOverflow()
	src.Next(1, 2)
	a.ExpectNext(1, 2)
	b.ExpectNext(1)
	b.ExpectErrorIs(reactor.ErrOverflow)
	src.AssertSubscribers(1)
	a.Cancel()
	src.AssertCancelled(1)
	src.Next(3)
	a.ExpectNothing()
	for want, fn := range map[string]func(p *TestPublisher[int]){
		"expected 1 subscribers; there are 0 subscribers of 0": func(p *TestPublisher[int]) { p.AssertSubscribers(1) },
		"expected 2 cancellations":                             func(p *TestPublisher[int]) { p.AssertCancelled(2) },
		"expected a demand of unbounded":                       func(p *TestPublisher[int]) { p.AssertRequested(reactor.Unbounded) },
		"expected no overflow; there are 0 subscribers of 1": func(p *TestPublisher[int]) {
			Subscribe(t, p, InitialRequest(0))
			p.Next(1)
			p.AssertNoOverflow()
		},
	} {
		assert.Contains(t, report(func(t testing.TB) { fn(NewTestPublisher[int](t)) }), want)
	}
}

func TestTestPublisherCold(t *testing.T) {
	src := NewColdTestPublisher[int](t)
	src.Next(1, 2)
	a := Subscribe(t, src, InitialRequest(1))
	a.ExpectNext(1)
	src.Emit(3)
	a.ExpectNothing()
	a.Request(2)
	a.ExpectNext(2, 3)
	a.ExpectComplete()
	NewStepVerifier(t, src).ExpectNext(1, 2, 3).VerifyComplete()
}

func TestTestPublisherKeepsTheRules(t *testing.T) {
	src := NewTestPublisher[int](t)
	Subscribe(t, src).Request(0)
	Subscribe(t, src, InitialRequest(0)).Request(-1)
	ctx, cancel := context.WithCancelCause(t.Context())
	sub := Subscribe(t, src, InContext(ctx))
	src.Next(1)
	cancel(errBoom)
	sub.AwaitEnd()
	sub.ExpectNext(1)
	sub.ExpectErrorIs(errBoom)
	assert.Panics(t, func() { src.Subscribe(t.Context(), nil) })
}

func TestTestPublisherViolations(t *testing.T) {
	seen := func(src *TestPublisher[int], demand int64, fn func(s *TestSubscriber[int])) []string {
		s := NewTestSubscriber[int](t, InitialRequest(demand))
		defer func() { _ = recover() }()
		src.Subscribe(context.WithoutCancel(t.Context()), s) // the end of the test is none of its business
		fn(s)
		return s.Violations()
	}
	src := NewTestPublisher[int](t, SendsWithoutDemand)
	assert.Equal(t, []string{"onNext(1) came without demand (§1.1): 0 requested, this is element 1"},
		seen(src, 0, func(*TestSubscriber[int]) { src.Next(1) }))
	src = NewTestPublisher[int](t, GoesOnAfterTheEnd)
	assert.Equal(t, []string{"onNext(1) came after the end of the stream (§1.7)"},
		seen(src, 5, func(*TestSubscriber[int]) { src.Complete(); src.Next(1) }))
	src = NewTestPublisher[int](t, GoesOnAfterCancel)
	assert.Empty(t, seen(src, 5, func(s *TestSubscriber[int]) {
		s.Cancel()
		src.Next(1)
		s.ExpectNext(1)
	}))
	src.AssertCancelled(1)
	src = NewTestPublisher[int](t, ForgetsOnSubscribe)
	assert.Len(t, seen(src, 5, func(*TestSubscriber[int]) { src.Complete() }), 1)
	src = NewTestPublisher[int](t, SubscribesNil)
	assert.Len(t, seen(src, 5, func(*TestSubscriber[int]) {}), 1)
	src = NewTestPublisher[int](t, SubscribesTwice)
	assert.Len(t, seen(src, 5, func(*TestSubscriber[int]) {}), 1)
	src = NewTestPublisher[int](t, SendsNilErrors)
	assert.Equal(t, []string{"onError(nil) came (§2.13)"}, seen(src, 5, func(*TestSubscriber[int]) { src.Error(nil) }))
	src = NewTestPublisher[int](t, AcceptsIllegalRequests)
	assert.Empty(t, seen(src, 0, func(s *TestSubscriber[int]) {
		s.Request(-1)
		s.ExpectNothing()
	}))
	for _, v := range []Violation{PanicsInSubscribe, PanicsInRequest, PanicsInCancel} {
		s := NewTestSubscriber[int](t)
		assert.Panics(t, func() {
			NewTestPublisher[int](t, v).Subscribe(t.Context(), s)
			s.Cancel()
		}, v.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	src = NewTestPublisher[int](t, IgnoresContext)
	deaf := Subscribe(t, src, InContext(ctx))
	cancel()
	src.Next(1)
	deaf.ExpectNext(1)
	// The other ones watch it.
	ctx, cancel = context.WithCancel(t.Context())
	watching := Subscribe(t, NewTestPublisher[int](t, SendsWithoutDemand), InContext(ctx))
	cancel()
	watching.AwaitEnd()

	src = NewTestPublisher[int](t, OverlapsSignals)
	overlapping := func() bool {
		s := &slow{TestSubscriber: NewTestSubscriber[int](t)}
		src.Subscribe(t.Context(), s)
		src.Next(1, 2)
		s.Cancel()
		return len(s.Violations()) > 0
	}
	for range 100 {
		if overlapping() {
			return
		}
	}
	t.Error("signals did not overlap")
}

// slow makes room for others while it is busy.
type slow struct{ *TestSubscriber[int] }

func (s *slow) OnNext(v int) {
	s.inside.Add(1)
	defer s.inside.Add(-1)
	time.Sleep(time.Millisecond)
	s.inside.Add(-1)
	s.TestSubscriber.OnNext(v)
	s.inside.Add(1)
}

// The library's edges make up for a publisher that breaks the rules.
func TestViolationsBehindAnOperator(t *testing.T) {
	for v := range Violation(violations) {
		if v == OverlapsSignals { // nobody can make up for it
			continue
		}
		src := NewTestPublisher[int](t, v)
		s := NewTestSubscriber[int](t)
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
		flux.From(src).Map(func(v int) int { return v }).Subscribe(ctx, s)
		src.Next(1)
		src.Error(nil)
		src.Next(2)
		s.Cancel()
		if v == SubscribesNil || v == ForgetsOnSubscribe || v == PanicsInSubscribe {
			assert.Error(t, s.Err(), v.String())
		}
		assert.Empty(t, s.Violations(), v.String())
	}
}

func TestProbe(t *testing.T) {
	fallback := NewEmptyProbe[int](t)
	NewStepVerifier(t, flux.Range(1, 2).SwitchIfEmpty(fallback)).ExpectNext(1, 2).VerifyComplete()
	fallback.AssertNotSubscribed()
	fallback.AssertNotRequested()
	fallback.AssertNotCancelled()
	NewStepVerifier(t, flux.Empty[int]().SwitchIfEmpty(fallback)).VerifyComplete()
	fallback.AssertSubscribed()
	assert.EqualValues(t, 1, fallback.Completions())

	probe := NewProbe(t, flux.Range(1, 5))
	NewStepVerifier(t, probe, InitialRequest(2)).ExpectNext(1, 2).ThenRequest(1).ExpectNext(3).ThenCancel().Verify()
	probe.AssertRequested()
	probe.AssertCancelled()
	assert.EqualValues(t, 3, probe.Requested())
	assert.EqualValues(t, 1, probe.Subscriptions())
	failing := NewProbe(t, flux.Error[int](errBoom))
	NewStepVerifier(t, failing).VerifyError()
	assert.EqualValues(t, 1, failing.Failures())
	assert.Contains(t, report(func(t testing.TB) { NewEmptyProbe[int](t).AssertSubscribed() }),
		"reactortest: the publisher behind the probe was not subscribed; subscribed 0 times, 0 requested, cancelled 0 times, completed 0, failed 0")
}

func TestRaces(t *testing.T) {
	var a, b int
	Race(func() { a++ }, func() { b++ })
	RepeatRace(100, func(race func(...func())) {
		sub := Subscribe(t, flux.Range(1, 3), InitialRequest(0))
		race(sub.Cancel, func() { sub.Request(1) })
		a++
	})
	assert.Positive(t, a)
	assert.Equal(t, 1, b)
}

func TestPublisherKnowsItsViolations(t *testing.T) {
	assert.PanicsWithValue(t, "reactortest: NewTestPublisher: there is no Violation(-1)", func() { NewTestPublisher[int](t, Violation(-1)) })
	assert.PanicsWithValue(t, "reactortest: NewColdTestPublisher: there is no Violation(13)", func() { NewColdTestPublisher[int](t, IgnoresContext, IgnoresContext+1) })
}
