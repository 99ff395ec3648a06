package operators_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestRange(t *testing.T) {
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(2))
	operators.Range(5, 3).Subscribe(t.Context(), s)
	s.ExpectNext(5, 6)
	s.Request(1)
	s.ExpectNext(7)
	s.ExpectComplete()

	for _, c := range []struct{ start, count int }{{1, 0}, {math.MaxInt, 1}, {math.MinInt, 1}} {
		got, err := operators.Collect(t.Context(), operators.Range(c.start, c.count))
		assert.NoError(t, err)
		assert.Len(t, got, c.count)
	}
	assert.Panics(t, func() { operators.Range(1, -1) })
	assert.Panics(t, func() { operators.Range(math.MaxInt, 2) }, "the last one is no int")
}
