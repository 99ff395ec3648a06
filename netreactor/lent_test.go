package netreactor

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lending returns a connection of the Net engine that writes to here, within a full pass.
func lending(t *testing.T, here net.Conn) (*connection, *netTransport) {
	c := bookkept(t, engineFor(t))
	tr := &netTransport{c: c, conn: here}
	c.tr = tr
	c.state.Store(owned | token())
	return c, tr
}

// TestWhatIsLent to who writes it is left alone meanwhile: what comes is written behind it.
func TestWhatIsLent(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	c, _ := lending(t, here)
	c.out.add(append(takeBuffer(1), "lent "...))
	c.flush()
	require.True(t, c.out.blocked)
	assert.Equal(t, 1, c.out.lent)
	_, ok := c.out.open(1)
	assert.False(t, ok)
	c.out.add(append(takeBuffer(1), "more"...))
	assert.Len(t, c.out.list, 2)
	c.state.Store(0)
	got := make([]byte, 9)
	_, err := io.ReadFull(there, got)
	require.NoError(t, err)
	assert.Equal(t, "lent more", string(got))
	c.eng.live.Wait()
	assert.Nil(t, c.out.chunks)
	assert.False(t, c.out.blocked)
}

// TestWhoWritesIsHurried, and waited for: it may have written all.
func TestWhoWritesIsHurried(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	there, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer there.Close()
	here, err := listener.Accept()
	require.NoError(t, err)
	defer here.Close()
	c, tr := lending(t, here)
	assert.False(t, tr.hurry())
	c.out.add(append(takeBuffer(1), "lent"...))
	c.flush()
	assert.True(t, tr.hurry())
	c.eng.live.Wait()
	blocked, err := tr.resume(&c.out)
	assert.False(t, blocked && err == nil)
	assert.False(t, tr.hurry())
	c.out.drop()
}

// TestWhoIsBusyIsNotResumed: a connection has one goroutine at most.
func TestWhoIsBusyIsNotResumed(t *testing.T) {
	c, tr := lending(t, nil)
	c.closed = true
	assert.False(t, tr.unpark())
}
