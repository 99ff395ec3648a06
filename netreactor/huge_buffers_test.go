//go:build unix

package netreactor_test

import (
	"math"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/netreactor"
)

// TestBuffersLargerThanANumberOfTheKernel: a size that the kernel's number can't hold is as much as possible, not next to nothing.
func TestBuffersLargerThanANumberOfTheKernel(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &keepsAlive{listener, make(chan *net.TCPConn, 1)}
	size := int(min(uint64(1)<<32+1, math.MaxInt)) // 1 for the kernel, where an int has 64 bits
	server, err := netreactor.BindListener(t.Context(), l, frames, echoBytes, quiet, netreactor.SocketBuffers(size, size))
	require.NoError(t, err)
	defer server.Close()
	connect(t, server)
	got := take(t, l.accepted)
	until(t, "accepted", func() bool { return server.Stats().Connections == 1 })
	assert.Greater(t, optionOf(t, got, syscall.SO_RCVBUF), 64<<10)
	assert.Greater(t, optionOf(t, got, syscall.SO_SNDBUF), 64<<10)
}
