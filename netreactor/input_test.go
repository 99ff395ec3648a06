package netreactor

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMemoryForWhatHasCome: a peer that says that much is to come has not sent it.
func TestMemoryForWhatHasCome(t *testing.T) {
	c := &connection{eng: engineFor(t)}
	c.in.need = 1 << 20
	for n := range 3 {
		c.in.data, c.in.kept = make([]byte, 100<<n), false
		space := c.space()
		assert.GreaterOrEqual(t, len(space), minRead)
		assert.LessOrEqual(t, cap(c.in.data), 1<<10)
	}
}

// TestResets: Windows has errors of its own for a peer that resets the connection, and package syscall has others by the names of those
// of Unix.
func TestResets(t *testing.T) {
	for _, number := range []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, 10053, 10054} { // WSAECONNABORTED, WSAECONNRESET
		err := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("wsarecv", number)}
		assert.Equal(t, ReasonPeerReset, classify(err, ReasonReadFailed), "%d", number)
	}
	assert.Equal(t, ReasonReadFailed, classify(syscall.ETIMEDOUT, ReasonReadFailed))
	assert.Equal(t, ReasonWriteFailed, classify(os.ErrClosed, ReasonWriteFailed))
}
