package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestNever(t *testing.T) {
	s := between(func(ints) ints { return operators.Never[int]() })
	s.down.Request(1)
	assert.Empty(t, s.out)
	assert.False(t, s.completed)
	s.down.Cancel()

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errFailed)
	_, err := operators.Block(ctx, operators.Never[int]())
	assert.ErrorIs(t, err, errFailed)
}
