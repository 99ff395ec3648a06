package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFromSupplier(t *testing.T) {
	n := 0
	src := FromSupplier(func() int { n++; return n })
	assert.Zero(t, n)
	run(src).Done(t, 1)
	run(src).Done(t, 2)
	p := probeOf[int](0)
	src.Subscribe(t.Context(), p)
	assert.Equal(t, 2, n, "called on request")
	p.Cancel()
}
