package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestForEach(t *testing.T) {
	var got []int
	see := func(v int) { got = append(got, v) }
	assert.NoError(t, operators.ForEach(t.Context(), operators.Range(1, 3), see))
	assert.Equal(t, []int{1, 2, 3}, got)
	assert.Equal(t, errFailed, operators.ForEach(t.Context(), operators.Error[int](errFailed), see))
	var p *reactor.PanicError
	assert.ErrorAs(t, operators.ForEach(t.Context(), operators.Range(13, 3), panicAt13), &p)

	ctx, cancel := context.WithCancelCause(t.Context())
	err := operators.ForEach(ctx, operators.Concat(operators.Just(1), operators.Never[int]()), func(int) { cancel(errFailed) })
	assert.ErrorIs(t, err, errFailed, "the cause of the end of the context")
}
