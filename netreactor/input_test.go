package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMemoryForWhatHasCome: a peer that says that much is to come has not sent it.
func TestMemoryForWhatHasCome(t *testing.T) {
	c := &connection{eng: engineFor(t)}
	c.in.need = 1 << 20
	for n := range 3 {
		c.in.data, c.in.kept = make([]byte, 100<<n), false
		space := c.space()
		assert.GreaterOrEqual(t, len(space), minRead)
		assert.LessOrEqual(t, cap(c.in.data), 1<<10)
	}
}
