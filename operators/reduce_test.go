package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	. "github.com/goreactor/reactor/operators"
)

// What the function is given is the function's, also when a cancellation comes while
// it runs: only its result is left to be discarded.
func TestReduceCancelledInItsFunction(t *testing.T) {
	var discarded []int
	ctx := reactor.AddDiscard(context.Background(), func(v any) { discarded = append(discarded, v.(int)) })
	var up reactor.Subscription
	src := Reduce(FromSlice([]int{1, 2, 4}), func(acc, v int) int {
		up.Cancel()
		return acc + v
	})
	SubscribeFunc(ctx, src, func(int) { t.Error("a result after the cancellation") },
		OnSubscribe(func(s reactor.Subscription) { up = s; s.Request(reactor.Unbounded) }))
	assert.Equal(t, []int{3, 4}, discarded, "the result, and what the source did not send any more")
}

// A function that panics has not made anything of what it was given.
func TestReducePanicDiscardsTheAccumulator(t *testing.T) {
	var discarded []int
	ctx := reactor.AddDiscard(context.Background(), func(v any) { discarded = append(discarded, v.(int)) })
	var failure error
	SubscribeFunc(ctx, Reduce(FromSlice([]int{1, 2}), func(int, int) int { panic("no") }), nil,
		OnError(func(err error) { failure = err }))
	assert.ErrorContains(t, failure, "no")
	assert.Contains(t, discarded, 1)
}
