package operators_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/operators"
)

func TestFilterWhen(t *testing.T) {
	use := func(s strs) strs {
		return operators.FilterWhen(s, func(v string) reactor.Publisher[bool] {
			return operators.Map(operators.Delay(2*time.Millisecond), func(int64) bool { return v != "b" })
		})
	}
	play(t,
		diagram{"what is not refused", "a---b---c|", "--a-------(c|)", use},
		diagram{"one after the other", "abc-----|", "--a---c-|", use},
		diagram{"an error waits for the tests before it", "a#", "--(a#)", use},
	)
}

func TestFilterWhenTests(t *testing.T) {
	for name, c := range map[string]struct {
		test           reactor.Publisher[bool]
		out, discarded []any
	}{
		"the first answer counts": {operators.JustAll(true, false), []any{1}, nil},
		"false":                   {operators.JustAll(false, true), nil, []any{1}},
		"no answer":               {operators.Empty[bool](), nil, []any{1}},
	} {
		s := between(func(src ints) ints {
			return operators.FilterWhen(src, func(int) reactor.Publisher[bool] { return c.test })
		})
		s.down.Request(1)
		s.up.OnNext(1)
		assert.Equal(t, c.out, s.out, name)
		assert.Equal(t, c.discarded, s.discarded, name)
	}
	s := between(func(src ints) ints {
		return operators.FilterWhen(src, func(int) reactor.Publisher[bool] { return operators.Error[bool](errFailed) })
	})
	s.down.Request(1)
	s.up.OnNext(1)
	assert.NoError(t, s.err, "an error of a test waits for the end")
	assert.Equal(t, []any{1}, s.discarded)
	s.up.OnComplete()
	assert.Equal(t, errFailed, s.err)
}

func TestFilterWhenMono(t *testing.T) {
	for _, keep := range []bool{true, false} {
		src := operators.FilterWhenMono(operators.Just(7), func(v int) reactor.Publisher[bool] { return operators.Just(keep && v == 7) })
		v, ok, err := operators.BlockOptional(t.Context(), src)
		assert.NoError(t, err)
		assert.Equal(t, keep, ok)
		assert.Equal(t, keep, v == 7)
	}
}

func TestFilterWhenLargePrefetch(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 2, queue.MaxRing + 1} {
		got, err := operators.Collect(t.Context(), operators.FilterWhen(operators.Hide(operators.FromSlice([]int{1, 2, 3})),
			func(int) reactor.Publisher[bool] { return operators.Hide(operators.Just(true)) }, operators.Prefetch(n)))
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, got, n)
	}
}

// An element that finds nobody at work goes past the queue. What happens within its test is the same as behind the queue, through
// which an element goes that has come before it was asked for.
func TestFilterWhenPastTheQueue(t *testing.T) {
	type outcome struct {
		out, discarded, dropped []any
		err                     error
		completed, cancelled    bool
	}
	for name, odd := range map[string]func(s *stepwise[int]){
		"nothing":                func(*stepwise[int]) {},
		"the next element":       func(s *stepwise[int]) { s.up.OnNext(2) },
		"the end":                func(s *stepwise[int]) { s.up.OnComplete() },
		"an error":               func(s *stepwise[int]) { s.up.OnError(errFailed) },
		"a request":              func(s *stepwise[int]) { s.down.Request(1) },
		"a cancellation":         func(s *stepwise[int]) { s.down.Cancel() },
		"a panic":                func(*stepwise[int]) { panic(errFailed) },
		"an element and a panic": func(s *stepwise[int]) { s.up.OnNext(2); panic(errFailed) },
	} {
		for test, answer := range map[string]reactor.Publisher[bool]{
			"constant": operators.Just(true), "callable": operators.FromCallable(func() (bool, error) { return true, nil }),
			"subscribed": operators.Hide(operators.Just(true)), "false": operators.Just(false), "pending": operators.Never[bool](),
		} {
			play := func(first func(s *stepwise[int])) outcome {
				var s *stepwise[int]
				s = between(func(src ints) ints {
					return operators.FilterWhen(src, func(v int) reactor.Publisher[bool] {
						if v == 1 {
							odd(s)
						}
						return answer
					}, operators.Prefetch(2))
				})
				first(s)
				s.down.Request(1)
				s.up.OnComplete()
				return outcome{s.out, s.discarded, s.dropped, s.err, s.completed, s.cancelled > 0}
			}
			past := play(func(s *stepwise[int]) { s.down.Request(1); s.up.OnNext(1) })
			through := play(func(s *stepwise[int]) { s.up.OnNext(1); s.down.Request(1) })
			if through.err != nil && past.err != nil { // their stacks differ
				assert.Equal(t, through.err.Error(), past.err.Error(), "%s, %s", name, test)
				past.err, through.err = nil, nil
			}
			assert.Equal(t, through, past, "%s, %s", name, test)
		}
	}
	s := between(func(src ints) ints {
		return operators.FilterWhen(src, func(int) reactor.Publisher[bool] { return operators.Never[bool]() }, operators.Prefetch(2))
	})
	s.down.Request(1)
	for v := 1; v <= 4; v++ { // one is past the queue, two in it
		s.up.OnNext(v)
	}
	assert.Equal(t, []any{4}, s.discarded)
	assert.Equal(t, 1, s.cancelled)
	s.down.Cancel()
	assert.Equal(t, []any{4, 1, 2, 3}, s.discarded)
}
