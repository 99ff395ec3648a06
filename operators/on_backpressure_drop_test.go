package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestOnBackpressureDrop(t *testing.T) {
	s := between(func(src ints) ints { return operators.OnBackpressureDrop(src) })
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.up.OnNext(1)
	s.down.Request(1)
	s.up.OnNext(2)
	s.up.OnNext(3)
	s.up.OnComplete()
	assert.Equal(t, []any{2}, s.out)
	assert.Equal(t, []any{1, 3}, s.discarded)
	assert.True(t, s.completed)
}

func TestOnBackpressureDropFunc(t *testing.T) {
	var gone []int
	s := between(func(src ints) ints {
		return operators.OnBackpressureDropFunc(src, func(v int) { gone = append(gone, v) })
	})
	s.up.OnNext(1)
	s.down.Request(1)
	s.up.OnNext(2)
	assert.Equal(t, []int{1}, gone)
	assert.Equal(t, []any{2}, s.out)
}

func TestOnBackpressureError(t *testing.T) {
	s := between(func(src ints) ints { return operators.OnBackpressureError(src) })
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Equal(t, []any{1}, s.out)
	assert.ErrorIs(t, s.err, reactor.ErrOverflow)
	assert.Equal(t, 1, s.cancelled)
	assert.Equal(t, []any{2}, s.discarded)
}
