package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestFirstWithValue(t *testing.T) {
	run(FirstWithValue(Error[int](errBoom), Empty[int](), FromSlice([]int{1, 2}))).Done(t, 1, 2)
	run(FirstWithValue(failing(1), Just(2))).Failed(t, errBoom, 1)
	run(FirstWithValue(Just(3))).Done(t, 3)
	run(FirstWithValue[int]()).Done(t)
	p := run(FirstWithValue(Error[int](errBoom), Empty[int]()))
	p.Failed(t, reactor.ErrNoElements)
	assert.ErrorIs(t, p.Failure(), errBoom)
}
