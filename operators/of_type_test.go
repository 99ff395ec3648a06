package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestOfType(t *testing.T) {
	s := between(operators.OfType[int, any])
	s.down.Request(1)
	s.up.OnNext("x")
	s.up.OnNext(nil)
	s.up.OnNext(1)
	s.up.OnComplete()
	assert.Equal(t, []any{1}, s.out)
	assert.Equal(t, []any{"x", nil}, s.discarded)
	assert.EqualValues(t, 3, s.requested, "one more for each that is left out")
	assert.True(t, s.completed)
}
