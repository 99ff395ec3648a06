package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestCast(t *testing.T) {
	s := between(operators.Cast[int, any])
	s.down.Request(3)
	s.up.OnNext(1)
	s.up.OnNext("x")
	assert.Equal(t, []any{1}, s.out)
	assert.ErrorIs(t, s.err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, s.err, "cast: ")
	assert.ErrorContains(t, s.err, "string, not int")
	assert.Equal(t, []any{"x"}, s.discarded)
	assert.Equal(t, 1, s.cancelled)
	assert.EqualValues(t, 3, s.requested)
}
