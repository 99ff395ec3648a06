package keylock

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// There is a hold for each key that is held and for each call that waits, and an entry
// for each key that is remembered. The allocator has no sizes between 64, 80 and 96
// bytes, and none between 112, 128 and 144.
func TestSizes(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(hold{}), uintptr(128))
	assert.LessOrEqual(t, unsafe.Sizeof(entry{}), uintptr(64))
}
