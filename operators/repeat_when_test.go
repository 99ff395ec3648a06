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
	run(RepeatWhen(FromSlice([]int{1, 2}), policy)).assertFailed(t, errOther, 1, 2, 1, 2, 1, 2)
	assert.Equal(t, []int64{2, 2, 2}, counts)
	run(RepeatWhen(Just(1), RepeatFrom[int](func(reactor.Publisher[int64]) reactor.Publisher[int] { return Range(0, 2) }))).assertCompleted(t, 1, 1, 1)
	run(RepeatWhen(failing(1), policy)).assertFailed(t, errBoom, 1)
}
