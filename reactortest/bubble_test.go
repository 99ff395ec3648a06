package reactortest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

func TestBubbleHasItsOwnSchedulers(t *testing.T) {
	outside := schedulers.Parallel()
	for range 2 {
		Bubble(t, func(t *testing.T) {
			assert.NotSame(t, outside, schedulers.Parallel())
			began := time.Now()
			NewStepVerifier(t, flux.Interval(time.Hour)).
				ExpectNoEvent(time.Hour).
				ExpectNext(0).
				ThenAwait(2*time.Hour).
				ExpectNext(1, 2).
				ThenCancel().
				Verify()
			assert.Equal(t, 3*time.Hour, time.Since(began))
			NewStepVerifier(t, flux.Range(1, 3).PublishOn(schedulers.BoundedElastic()).SubscribeOn(schedulers.Single())).
				ExpectNext(1, 2, 3).VerifyComplete()
		})
	}
	assert.Same(t, outside, schedulers.Parallel())
	assert.Panics(t, func() { Bubble(t, nil) })
}

// The inner one would wait for the turn of the outer one, and no time limit of a bubble ends that.
func TestBubbleInABubblePanics(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		assert.PanicsWithValue(t, "reactortest: Bubble: it is called within a bubble", func() {
			Bubble(t, func(*testing.T) { assert.Fail(t, "it runs") })
		})
	})
}

func TestBubblesTakeTurns(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Bubble(t, func(t *testing.T) {
				Subscribe(t, flux.Interval(time.Minute)).ExpectNextCount(0)
				NewStepVerifier(t, flux.Interval(time.Second)).ExpectNextCount(3).ThenCancel().Verify()
			})
		})
	}
}
