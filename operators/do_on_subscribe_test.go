package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestDoOnSubscribeHandsOutAUsableSubscription(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	p.Allow(2)
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Request(0) }).Subscribe(ctx, p)
	if assert.Len(t, hooks.Errs, 1) {
		assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrIllegalRequest)
	}
	p = probeOf[int](1)
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Cancel() }).Subscribe(ctx, p)
	p.Open(t)
}

// What the function requests comes when downstream has its subscription.
func TestDoOnSubscribeRequests(t *testing.T) {
	early := func() stream { return DoOnSubscribe(Range(1, 4), func(s reactor.Subscription) { s.Request(2) }) }
	for name, src := range map[string]stream{
		"alone":             early(),
		"publishOn":         PublishOn(early(), schedulers.Immediate()),
		"flatMap":           FlatMap(Hide(Just(0)), func(int) stream { return early() }),
		"flatMapSequential": FlatMapSequential(Hide(Just(0)), func(int) stream { return early() }),
		"zip":               Zip([]stream{early(), Hide(Range(0, 4))}, func(v []int) int { return v[0] }),
	} {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](2)
			p.Allow(2)
			src.Subscribe(t.Context(), p)
			p.Faultless(t)
			assert.Subset(t, p.Got(), []int{1, 2})
			p.Request(2)
			p.Done(t, 1, 2, 3, 4)
		})
	}
	t.Run("all", func(t *testing.T) {
		var got []int
		for v, err := range All(t.Context(), early()) {
			assert.NoError(t, err)
			got = append(got, v)
		}
		assert.Equal(t, []int{1, 2, 3, 4}, got)
	})
	t.Run("cancelled", func(t *testing.T) {
		p := probeOf[int](1)
		DoOnSubscribe(Range(1, 4), func(s reactor.Subscription) {
			s.Request(2)
			s.Cancel()
		}).Subscribe(t.Context(), p)
		p.Open(t)
	})
}

// The function ends the goroutine of a source that is about to fail: its error is reported.
func TestDoOnSubscribeGoexitBeforeAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	racetest.Aside(func() {
		DoOnSubscribe(Error[int](errBoom), func(reactor.Subscription) { runtime.Goexit() }).Subscribe(ctx, p)
	})
	p.Failed(t, reactor.ErrGoexit)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
