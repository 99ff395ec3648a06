package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestCollect(t *testing.T) {
	got, err := operators.Collect(t.Context(), operators.Range(1, 3))
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3}, got)

	got, err = operators.Collect(t.Context(), operators.Concat(operators.Range(1, 2), operators.Error[int](errFailed)))
	assert.Equal(t, errFailed, err)
	assert.Empty(t, got)

	ended, end := context.WithCancelCause(t.Context())
	end(errFailed)
	_, err = operators.Collect(ended, operators.Never[int]())
	assert.ErrorIs(t, err, errFailed, "the cause of the end of the context")
}
