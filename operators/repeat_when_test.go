package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestRepeatFrom(t *testing.T) {
	var counts []int64
	policy := RepeatFrom[int64](func(completions reactor.Publisher[int64]) reactor.Publisher[int64] {
		return TryMap(completions, func(n int64) (int64, error) {
			if counts = append(counts, n); len(counts) == 3 {
				return 0, errOther
			}
			return n, nil
		})
	})
	run(RepeatWhen(FromSlice([]int{1, 2}), policy)).Failed(t, errOther, 1, 2, 1, 2, 1, 2)
	assert.Equal(t, []int64{2, 2, 2}, counts)
	run(RepeatWhen(Just(1), RepeatFrom[int](func(reactor.Publisher[int64]) reactor.Publisher[int] { return Range(0, 2) }))).Done(t, 1, 1, 1)
	run(RepeatWhen(failing(1), policy)).Failed(t, errBoom, 1)
}

func TestRepeatWhen(t *testing.T) {
	src, again := &puppet[int]{}, &puppet[string]{}
	var counts []int64
	p := probeOf[int](3)
	RepeatWhen(src, RepeatFrom(func(ends reactor.Publisher[int64]) reactor.Publisher[string] {
		return Merge(IgnoreElements(Map(ends, func(n int64) string { counts = append(counts, n); return "" })), reactor.Publisher[string](again))
	})).Subscribe(t.Context(), p)
	src.last().OnNext(1)
	src.last().OnComplete()
	assert.Equal(t, []int64{1}, counts, "how many elements there were")
	assert.Equal(t, 1, src.count(), "the companion says when")
	again.last().OnNext("now")
	assert.Equal(t, 2, src.count())
	assert.EqualValues(t, 2, src.last().requested.Load(), "what is left of the demand")
	src.last().OnNext(2)
	again.last().OnError(errBoom)
	p.Failed(t, errBoom, 1, 2)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// A delay that a float64 rounds up, with a jitter of all of it: 146 years, and no panic.
func TestRepeatDelayThatIsRoundedUp(t *testing.T) {
	h := &handScheduler{}
	for range 100 {
		p := run(RepeatWhen(Just(1), RepeatTimes(1).FixedDelay(1<<62+513).Jitter(1).On(h)))
		assert.Equal(t, 1, h.pending())
		p.Open(t, 1)
		p.Cancel()
	}
}

// TestRepeatWhenPolicies that are one by way of a RepeatSpec.
func TestRepeatWhenPolicies(t *testing.T) {
	spec := RepeatTimes(1)
	run(RepeatWhen(Just(1), &spec)).Done(t, 1, 1)
	run(MonoRepeatWhenEmpty(Empty[int](), &spec, MaxRepeats(0))).Failed(t, reactor.ErrIllegalState)
	for name, repeated := range map[string]func(RepeatPolicy) stream{
		"repeatWhen":      func(p RepeatPolicy) stream { return RepeatWhen(Just(1), p) },
		"repeatWhenEmpty": func(p RepeatPolicy) stream { return MonoRepeatWhenEmpty(Just(1), p) },
	} {
		assert.PanicsWithValue(t, "reactor: "+name+": the policy is nil", func() { repeated((*RepeatSpec)(nil)) })
		assert.PanicsWithValue(t, "reactor: "+name+": the policy is a struct { operators.RepeatSpec }, and neither a RepeatSpec nor the result of RepeatFrom", func() {
			repeated(struct{ RepeatSpec }{spec})
		})
	}
}
