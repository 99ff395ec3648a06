package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/goid"
)

// TestWhoHasLeftIsNotWithin a server any more: another goroutine may have its number.
func TestWhoHasLeftIsNotWithin(t *testing.T) {
	g := &goroutines{}
	assert.False(t, g.has(goid.Current()))
	leave := g.join()
	assert.True(t, g.has(goid.Current()))
	leave()
	assert.False(t, g.has(goid.Current()))
}
