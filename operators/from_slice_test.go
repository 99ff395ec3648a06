package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestFromSlice(t *testing.T) {
	s := reactortest.NewTestSubscriber[string](t, reactortest.InitialRequest(1))
	operators.FromSlice([]string{"a", "b", "c"}).Subscribe(t.Context(), s)
	s.ExpectNext("a")
	s.Request(1)
	s.ExpectNext("b")
	s.Request(9)
	s.ExpectNext("c")
	s.ExpectComplete()

	got, err := operators.Collect(t.Context(), operators.FromSlice[int](nil))
	assert.NoError(t, err)
	assert.Empty(t, got)
}
