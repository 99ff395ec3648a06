package executors

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// A million delayed tasks are a million handles: two cache lines each.
func TestSizeOfAHandle(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Handle{}), uintptr(128))
}
