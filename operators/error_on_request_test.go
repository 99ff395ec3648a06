package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestErrorOnRequest(t *testing.T) {
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(0))
	operators.ErrorOnRequest[int](errFailed).Subscribe(t.Context(), s)
	s.ExpectNothing()
	s.Request(1)
	s.ExpectErrorIs(errFailed)
}

func TestErrorOnRequestCancelled(t *testing.T) {
	s := between(func(ints) ints { return operators.ErrorOnRequest[int](errFailed) })
	s.down.Cancel()
	s.down.Request(1)
	assert.NoError(t, s.err)
}
