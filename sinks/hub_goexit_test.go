package sinks

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// One who hears of the failure ends the goroutine: it has heard of it once, the element is let go
// of once, and the others get it.
func TestSubscriberWhoEndsTheGoroutineWhenItFails(t *testing.T) {
	for name, newSink := range map[string]func() *ManySink[int]{
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"best effort":      func() *ManySink[int] { return Many().Multicast().DirectBestEffort[int]() },
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int]() },
		"replay":           func() *ManySink[int] { return Many().Replay().All[int]() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			s := newSink()
			heard := 0
			operators.SubscribeFunc(ctx, operators.Map(s, func(int) int { panic(errBoom) }), nil,
				operators.OnError(func(error) { heard++; runtime.Goexit() }))
			last := probe.Listen[int](s, all)
			var wg sync.WaitGroup
			wg.Go(func() { s.TryEmitNext(1) })
			wg.Wait()
			last.Open(t, 1)
			assert.Equal(t, 1, heard)
			assert.Equal(t, []any{1}, hooks.Discarded)
			for _, err := range hooks.Errs {
				assert.ErrorIs(t, err.(error), reactor.ErrGoexit, "the failure was told")
			}
			assert.Equal(t, OK, s.TryEmitNext(2))
			last.Open(t, 1, 2)
		})
	}
}

// The function of OnEnd ends the goroutine of an element that fails: nothing more goes there.
func TestOnEndThatEndsTheGoroutineOfAFailure(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Unicast().OnBackpressureBuffer[int](OnEnd(runtime.Goexit))
	p := probe.ListenIn(ctx, operators.Map(s, func(v int) int {
		if v == 1 {
			panic(errBoom)
		}
		return v
	}), all)
	racetest.Aside(func() { s.TryEmitNext(1) })
	p.Failed(t, errBoom)
	assert.Equal(t, FailCancelled, s.TryEmitNext(2))
	p.Faultless(t)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

// exitingSubscriber is one from outside that ends the goroutine when it gets its subscription.
type exitingSubscriber struct{ leaver }

func (s *exitingSubscriber) OnSubscribe(reactor.Subscription) { runtime.Goexit() }

// Who has ended the goroutine with its subscription has been the only subscriber.
func TestSubscriberWhoEndsTheGoroutineWithItsSubscription(t *testing.T) {
	for name, s := range map[string]*ManySink[int]{
		"buffer": Many().Unicast().OnBackpressureBuffer[int](),
		"error":  Many().Unicast().OnBackpressureError[int](),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, _ := probe.Recorded()
			racetest.Aside(func() { s.Subscribe(ctx, &exitingSubscriber{}) })
			assert.Equal(t, FailCancelled, s.TryEmitNext(1))
			assert.Equal(t, FailCancelled, s.TryEmitComplete())
			assert.Zero(t, s.CurrentSubscriberCount())
			probe.Listen(s.Source(), 1).Failed(t, reactor.ErrIllegalState)
		})
	}
}
