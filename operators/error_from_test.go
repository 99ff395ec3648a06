package operators_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestErrorFrom(t *testing.T) {
	n := 0
	src := operators.ErrorFrom[int](func() error { n++; return fmt.Errorf("no %d", n) })
	assert.Zero(t, n, "nobody has subscribed")
	for i := range 2 {
		_, err := operators.Collect(t.Context(), src)
		assert.EqualError(t, err, fmt.Sprint("no ", i+1))
	}
	_, err := operators.Collect(t.Context(), operators.ErrorFrom[int](func() error { return nil }))
	assert.ErrorIs(t, err, reactor.ErrNilError)
}
