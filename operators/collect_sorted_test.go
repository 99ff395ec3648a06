package operators_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestCollectSorted(t *testing.T) {
	got, err := operators.Block(t.Context(), operators.CollectSorted(operators.JustAll(3, 1, 2), cmp.Compare[int]))
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3}, got)
}
