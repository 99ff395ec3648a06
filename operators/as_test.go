package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// slice is satisfied by []T alone, as in flux.
type slice[T any] interface{ []T }

func sliceOf[S slice[T], T any](src reactor.Publisher[[]T]) reactor.Publisher[S] {
	return operators.As[S](src)
}

func TestAs(t *testing.T) {
	src := operators.CollectSlice(operators.Range(1, 2))
	assert.Equal(t, any(src), any(sliceOf[[]int](src)), "nothing is wrapped")
	assert.Panics(t, func() { operators.As[string](src) }, "another type")
}
