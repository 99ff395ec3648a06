package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoOnRequest(t *testing.T) {
	var asked []int64
	var s *stepwise[int]
	s = between(func(src ints) ints {
		return operators.DoOnRequest(src, func(n int64) { asked = append(asked, n, s.requested) })
	})
	s.down.Request(2)
	s.down.Request(3)
	assert.Equal(t, []int64{2, 0, 3, 2}, asked, "called before the demand goes up")
	assert.EqualValues(t, 5, s.requested)
	s.down.Cancel()
	assert.Len(t, asked, 4)
}

// A request must reach the source, whatever looks on.
func TestDoOnRequestFunctionPanics(t *testing.T) {
	s := between(func(src ints) ints { return operators.DoOnRequest(src, func(int64) { panic("no") }) })
	s.down.Request(2)
	assert.EqualValues(t, 2, s.requested)
	assert.Len(t, s.droppedErrs, 1)
}
