package executors

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// A million delayed tasks are a million handles: one cache line each.
func TestSizeOfAHandle(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Handle{}), uintptr(64))
	assert.Zero(t, unsafe.Offsetof(Handle{}.node), "as timers.Node wants it")
}

// What workers read with every task is on no cache line that a submission writes.
func TestLayout(t *testing.T) {
	var p ThreadPool
	read, written := unsafe.Offsetof(p.bare)+1, unsafe.Offsetof(p.mu)
	assert.GreaterOrEqual(t, written-read, uintptr(64))
	assert.Less(t, unsafe.Offsetof(p.line), read)
	assert.GreaterOrEqual(t, unsafe.Offsetof(p.looking)-unsafe.Offsetof(p.stopReaper), uintptr(64))
}
