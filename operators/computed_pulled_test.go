package operators

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// watchCounter counts how often it is watched.
type watchCounter struct {
	context.Context
	watches atomic.Int32
}

// Value hides what would let a watch pass by.
func (c *watchCounter) Value(any) any { return nil }

func (c *watchCounter) AfterFunc(fn func()) (stop func() bool) {
	c.watches.Add(1)
	return context.AfterFunc(c.Context, fn)
}

// What is asked for where it is computed notices the end of the context before the next element, without a watch as long as there
// are few. With many there is one watch, and it is over when all is.
func TestComputedManyUnderAContextThatEnds(t *testing.T) {
	numbers := make([]int, 100)
	for i := range numbers {
		numbers[i] = i
	}
	for name, many := range map[string]reactor.Publisher[int]{"range": Range(0, 100), "slice": FromSlice(numbers)} {
		for _, at := range []int{0, 1, 31, 32, 33, 99} {
			parent, cancel := context.WithCancel(t.Context())
			ctx := &watchCounter{Context: parent}
			var seen []int
			ended := make(chan struct{})
			context.AfterFunc(parent, func() { close(ended) })
			_, err := Block(ctx, CollectSlice(Filter(DoOnNext(many, func(v int) {
				if seen = append(seen, v); v == at {
					cancel()
					<-ended
				}
			}), func(v int) bool { return v > 50 })))
			assert.ErrorIs(t, err, context.Canceled, "%s %d", name, at)
			if at < lookedAt {
				assert.Len(t, seen, at+1, "%s %d", name, at)
				assert.Zero(t, ctx.watches.Load(), "%s %d", name, at)
			} else {
				assert.Equal(t, int32(1), ctx.watches.Load(), "%s %d", name, at)
			}
		}
	}
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx := &watchCounter{Context: parent}
	for want, n := range map[int]int{9: 10, 31: 32, 99: 100} {
		v, err := Block(ctx, Last(Range(0, n)))
		assert.NoError(t, err)
		assert.Equal(t, want, v)
	}
	assert.Equal(t, int32(1), ctx.watches.Load(), "of the longest one")
}

// lookedAt is that of package protocol.
const lookedAt = 32

// What was collected, and what a slice has left, is discarded when the context ends.
func TestComputedManyDiscardedAtTheEndOfTheContext(t *testing.T) {
	for at := range 40 {
		ctx, cancel := context.WithCancelCause(t.Context())
		items := make([]*owned, 40)
		for i := range items {
			items[i] = &owned{}
		}
		seen := 0
		_, err := Block(ctx, CollectSlice(Map(FromSlice(items), func(v *owned) *owned {
			if seen == at {
				cancel(errBoom)
			}
			seen++
			return v
		})))
		assert.Same(t, errBoom, err)
		for i, v := range items {
			assert.Equal(t, 1, v.discarded, "%d at %d", i, at)
		}
	}
}

// A function that fails, or ends its goroutine, is told as in a subscription.
func TestComputedManyWhoseFunctionFails(t *testing.T) {
	broken := func(fn func()) reactor.Publisher[int] {
		return Last(Map(Range(0, 3), func(v int) int {
			if v == 1 {
				fn()
			}
			return v
		}))
	}
	_, err := Block(t.Context(), broken(func() { panic(errBoom) }))
	assert.EqualError(t, err, "reactor: map: panic: boom")
	v, err := Block(t.Context(), OnErrorReturn(broken(func() { panic(errBoom) }), 7))
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	var ends []error
	racetest.Aside(func() {
		SubscribeFunc(t.Context(), broken(runtime.Goexit), nil, OnError(func(err error) { ends = append(ends, err) }))
	})
	if assert.Len(t, ends, 1) {
		assert.EqualError(t, ends[0], "reactor: map: "+reactor.ErrGoexit.Error())
	}
}

func TestIsPulled(t *testing.T) {
	for name, c := range map[string]struct {
		src  reactor.Publisher[int]
		want bool
	}{
		"range": {Range(0, 2), true}, "map": {Map(Range(0, 2), twice), true}, "just": {Just(1), false}, "hidden": {Hide(Range(0, 2)), false},
		"doOnCancel": {DoOnCancel(Range(0, 2), func() {}), false}, "sequence": {FromSeq(func(func(int) bool) {}), false},
	} {
		assert.Equal(t, c.want, isPulled(c.src), name)
		assert.Equal(t, c.want, isComputable(Next(c.src)), name)
	}
	assert.True(t, isComputable(Last(Just(1))))
}
