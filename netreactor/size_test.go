package netreactor

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestTheSizeOfAConnection: up to 512 bytes the allocator has a class for it and needs no header.
func TestTheSizeOfAConnection(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Conn[[]byte, []byte]{}), uintptr(512))
	assert.Zero(t, unsafe.Offsetof(connection{}.expiry), "as timers.Node wants it")
}
