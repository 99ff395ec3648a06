package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestOnBackpressureBuffer(t *testing.T) {
	s := between(func(src ints) ints { return operators.OnBackpressureBuffer(src) })
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Empty(t, s.out)
	s.down.Request(1)
	assert.Equal(t, []any{1}, s.out)
	s.up.OnComplete()
	assert.False(t, s.completed, "an element waits")
	s.down.Request(1)
	assert.Equal(t, []any{1, 2}, s.out)
	assert.True(t, s.completed)
}

func TestOnBackpressureBufferCancelled(t *testing.T) {
	s := between(func(src ints) ints { return operators.OnBackpressureBuffer(src) })
	s.up.OnNext(1)
	s.down.Cancel()
	assert.Equal(t, []any{1}, s.discarded)
	assert.Equal(t, 1, s.cancelled)
}

func TestOnBackpressureBufferFunc(t *testing.T) {
	for name, c := range map[string]struct {
		strategy operators.BufferOverflowStrategy
		gone     []int
		out      []any
		err      error
	}{
		"the oldest": {operators.BufferDropOldest, []int{1}, []any{2, 3}, nil},
		"the latest": {operators.BufferDropLatest, []int{3}, []any{1, 2}, nil},
		"an error":   {operators.BufferError, []int{3}, []any{1, 2}, reactor.ErrOverflow},
	} {
		t.Run(name, func(t *testing.T) {
			var gone []int
			s := between(func(src ints) ints {
				return operators.OnBackpressureBufferFunc(src, func(v int) { gone = append(gone, v) }, operators.Capacity(2), c.strategy)
			})
			for i := range 3 {
				s.up.OnNext(i + 1)
			}
			s.down.Request(9)
			assert.Equal(t, c.gone, gone)
			assert.Equal(t, c.out, s.out)
			assert.ErrorIs(t, s.err, c.err)
		})
	}
}
