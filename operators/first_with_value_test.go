package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestFirstWithValue(t *testing.T) {
	run(FirstWithValue(Error[int](errBoom), Empty[int](), FromSlice([]int{1, 2}))).assertCompleted(t, 1, 2)
	run(FirstWithValue(failing(1), Just(2))).assertFailed(t, errBoom, 1)
	run(FirstWithValue(Just(3))).assertCompleted(t, 3)
	run(FirstWithValue[int]()).assertCompleted(t)
	p := run(FirstWithValue(Error[int](errBoom), Empty[int]()))
	p.assertFailed(t, reactor.ErrNoElements)
	assert.ErrorIs(t, p.failure(), errBoom)
}
