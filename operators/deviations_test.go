package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// What docs/decisions/0010 says of this library, where no other test does.
func TestDeviations(t *testing.T) {
	t.Run("an error of the other publisher of takeUntilOther cancels the source", func(t *testing.T) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := run(TakeUntilOther(src, other))
		other.last().OnError(errBoom)
		p.assertFailed(t, errBoom)
		assert.EqualValues(t, 1, src.last().cancels.Load())
	})
	t.Run("combineLatest goes on with a prefetch of 1", func(t *testing.T) {
		src := func() reactor.Publisher[int] { return Hide(Range(1, 50)) }
		got, err := BlockLast(context.Background(), CombineLatest2(src(), src(), sumOf, Prefetch(1)))
		assert.NoError(t, err)
		assert.Equal(t, 100, got)
	})
	t.Run("concatMap goes on with a prefetch of 1", func(t *testing.T) {
		got, err := BlockLast(context.Background(), Count(ConcatMap(Hide(Range(1, 50)), func(v int) reactor.Publisher[int] { return Hide(Range(v, 2)) }, Prefetch(1))))
		assert.NoError(t, err)
		assert.Equal(t, 100, got)
	})
	t.Run("bufferUntilChanged asks for what it needs", func(t *testing.T) {
		p := probeOf[[]int](1)
		BufferUntilChanged(Hide(FromSlice([]int{1, 1, 2, 2, 2, 3})), func(v int) int { return v }).Subscribe(context.Background(), p)
		p.request(1)
		p.request(1)
		p.assertCompleted(t, []int{1, 1}, []int{2, 2, 2}, []int{3})
	})
}
