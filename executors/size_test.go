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
