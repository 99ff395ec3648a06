package schedulers

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// What the loop writes with every task is not on a cache line that a submitter
// writes or reads with every task.
func TestLayout(t *testing.T) {
	const line = 64
	var w worker
	if unsafe.Sizeof(w.slot) != 8 {
		t.Skip("laid out for 64 bits")
	}
	assert.Less(t, unsafe.Offsetof(w.timed)/line, unsafe.Offsetof(w.root)/line)
	assert.Less(t, (unsafe.Offsetof(w.root)+unsafe.Sizeof(w.root)-1)/line, unsafe.Offsetof(w.started)/line)
	assert.Equal(t, unsafe.Offsetof(w.started)/line, unsafe.Offsetof(w.disposed)/line)
	assert.Zero(t, unsafe.Sizeof(w)%line, "the allocator puts it on a line's edge")

	var s slot
	assert.Less(t, unsafe.Offsetof(s.noSeries)/line, unsafe.Offsetof(s.mu)/line)
	assert.Less(t, unsafe.Offsetof(s.holders)/line, unsafe.Offsetof(s.chunk)/line)
	assert.Zero(t, unsafe.Offsetof(timedHandle{}.node), "as timers.Node wants it")
}
