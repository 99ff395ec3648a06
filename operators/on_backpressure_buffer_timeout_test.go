package operators_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestOnBackpressureBufferTimeout(t *testing.T) {
	clock := reactortest.UseVirtualTime(t)
	var gone []int
	s := between(func(src ints) ints {
		return operators.OnBackpressureBufferTimeout(src, 5*time.Millisecond, 2, func(v int) { gone = append(gone, v) })
	})
	s.up.OnNext(1)
	clock.AdvanceBy(3 * time.Millisecond)
	s.up.OnNext(2)
	clock.AdvanceBy(2 * time.Millisecond)
	assert.Equal(t, []int{1}, gone, "its time is over")
	s.up.OnNext(3)
	s.up.OnNext(4)
	assert.Equal(t, []int{1, 2}, gone, "there is room for two")
	s.down.Request(2)
	assert.Equal(t, []any{3, 4}, s.out)
	s.up.OnComplete()
	assert.True(t, s.completed)
}
