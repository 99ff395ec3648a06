package execstream

import (
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a write to a pipe fails with whose reader has closed it has other numbers on Windows, which package syscall does not take
// for those of Unix.
func TestPipesThatTheirReaderHasClosed(t *testing.T) {
	write := func(err error) error { return &fs.PathError{Op: "write", Path: "|1", Err: err} }
	for _, system := range []string{"linux", "windows"} {
		assert.True(t, closedThere(system, write(os.ErrClosed)), system)
		assert.True(t, closedThere(system, write(syscall.EPIPE)), system)
		assert.False(t, closedThere(system, write(syscall.ENOSPC)), system)
		assert.Equal(t, system == "windows", closedThere(system, write(syscall.Errno(109))), "%s: ERROR_BROKEN_PIPE", system)
		assert.Equal(t, system == "windows", closedThere(system, write(syscall.Errno(232))), "%s: ERROR_NO_DATA", system)
	}
}
