package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoOnCancel(t *testing.T) {
	calls := 0
	var s *stepwise[int]
	s = between(func(src ints) ints {
		return operators.DoOnCancel(src, func() { calls++; assert.Zero(t, s.cancelled, "called before it goes up") })
	})
	s.down.Request(1)
	s.up.OnNext(1)
	assert.Zero(t, calls)
	s.down.Cancel()
	assert.Equal(t, 1, calls)
	assert.Equal(t, 1, s.cancelled)

	s = between(func(src ints) ints { return operators.DoOnCancel(src, func() { t.Error("not cancelled") }) })
	s.up.OnComplete()
	assert.True(t, s.completed)
}

// The source is cancelled all the same, and nobody is left to get the panic.
func TestDoOnCancelFunctionPanics(t *testing.T) {
	s := between(func(src ints) ints { return operators.DoOnCancel(src, func() { panic("no") }) })
	s.down.Cancel()
	assert.Equal(t, 1, s.cancelled)
	assert.Len(t, s.droppedErrs, 1)
}
