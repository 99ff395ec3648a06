package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestOnBackpressureLatest(t *testing.T) {
	s := between(func(src ints) ints { return operators.OnBackpressureLatest(src) })
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Equal(t, []any{1}, s.discarded)
	s.down.Request(1)
	assert.Equal(t, []any{2}, s.out)
	s.up.OnNext(3)
	s.up.OnComplete()
	assert.False(t, s.completed, "an element waits")
	s.down.Request(1)
	assert.Equal(t, []any{2, 3}, s.out)
	assert.True(t, s.completed)
}
