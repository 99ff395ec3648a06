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
	const header = 8 // the allocator's, of what has pointers and more than 512 bytes
	for _, at := range []uintptr{unsafe.Offsetof(s.mu), unsafe.Offsetof(s.place), unsafe.Offsetof(s.loopID)} {
		assert.Zero(t, (at+header)%line, "begins a line")
	}
	assert.Less(t, (unsafe.Offsetof(s.noSeries)+header)/line, (unsafe.Offsetof(s.mu)+header)/line)
	assert.Equal(t, (unsafe.Offsetof(s.mu)+header)/line, (unsafe.Offsetof(s.timers)+header)/line)
	assert.Less(t, (unsafe.Offsetof(s.armed)+header)/line, (unsafe.Offsetof(s.place)+header)/line)
	assert.Equal(t, (unsafe.Offsetof(s.place)+header)/line, (unsafe.Offsetof(s.nextFewer)+header)/line)
	assert.Zero(t, unsafe.Offsetof(timedHandle{}.node), "as timers.Node wants it")

	var e elastic
	assert.Zero(t, unsafe.Offsetof(e.mu)%line, "begins a line")
	assert.LessOrEqual(t, unsafe.Sizeof(e), uintptr(512), "has no header")
}
