package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestEmpty(t *testing.T) {
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(0))
	operators.Empty[int]().Subscribe(t.Context(), s)
	s.ExpectComplete()
}
