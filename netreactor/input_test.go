package netreactor

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestMovesOfLongMessages: a message that is longer than the largest pooled buffer is copied a few times while it comes, however long
// it is, also if nobody knows that yet. With a fixed step more at each move it would be copied as often as there are steps.
func TestMovesOfLongMessages(t *testing.T) {
	const size = 16 << 20
	for name, need := range map[string]int{"known": size, "unknown": 0} {
		t.Run(name, func(t *testing.T) {
			c := &connection{eng: engineFor(t)}
			c.in.data = make([]byte, 1<<10)
			copied := 0
			for len(c.in.data) < size {
				c.in.need = need
				before := c.stash
				space := c.space()
				if c.stash != before {
					copied += len(c.in.data)
				}
				require.NotEmpty(t, space)
				require.LessOrEqual(t, cap(c.in.data), max(mostPooled, 2*len(c.in.data)+minRead), "room for what has not come")
				require.LessOrEqual(t, len(space), max(c.eng.set.ReadChunk, mostPooled), "one read")
				if need > 0 {
					require.LessOrEqual(t, cap(c.in.data), max(mostPooled, need), "room for more than the message")
				}
				c.in.data = c.in.data[:len(c.in.data)+min(len(space), 16<<10)] // as much as has come
			}
			assert.LessOrEqual(t, copied, 3*size)
		})
	}
}

// TestAReadBringsNoMoreThanAChunk beyond the message that it is for, however large the buffer is that the rest of this is read to.
func TestAReadBringsNoMoreThanAChunk(t *testing.T) {
	c := &connection{eng: engineFor(t)}
	chunk := c.eng.set.ReadChunk
	for _, need := range []int{0, chunk + 1, 2 * chunk, 5 * chunk, 3 * mostPooled} {
		c.in.need = need
		c.in.data, c.in.kept = make([]byte, chunk), false
		assert.LessOrEqual(t, len(c.in.data)+len(c.space()), max(need, len(c.in.data))+chunk, "%d", need)
	}
}
