package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestSubscribeWith(t *testing.T) {
	s := reactortest.NewTestSubscriber[int](t)
	assert.Same(t, s, operators.SubscribeWith(t.Context(), operators.Range(1, 2), s))
	s.ExpectNext(1, 2)
	s.ExpectComplete()
}
