//go:build linux && (amd64 || arm64)

package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSlots: each socket has one of its own, and a slot that is used again has another generation.
func TestSlots(t *testing.T) {
	s := &selector{}
	all := make([]*epollTransport, 3*len(slots{})+1)
	seen := map[[2]int32]bool{}
	for range 2 {
		for i := range all {
			all[i] = &epollTransport{}
			s.register(all[i])
			assert.False(t, seen[[2]int32{all[i].slot, all[i].generation}])
			seen[[2]int32{all[i].slot, all[i].generation}] = true
		}
		for _, tr := range all {
			assert.Same(t, tr, s.slot(tr.slot).t)
		}
		for _, tr := range all {
			s.vacate(tr)
		}
	}
	assert.Len(t, s.slots, 4, "they are used again")
}
