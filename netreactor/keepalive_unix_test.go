//go:build unix

package netreactor_test

import (
	"crypto/tls"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/netreactor"
)

// isKeptAlive reports whether a silent peer is probed.
func isKeptAlive(t *testing.T, conn *net.TCPConn) bool {
	return optionOf(t, conn, syscall.SO_KEEPALIVE) != 0
}

// optionOf asks for an option of a socket.
func optionOf(t *testing.T, conn *net.TCPConn, option int) (value int) {
	raw, err := conn.SyscallConn()
	require.NoError(t, err)
	assert.NoError(t, raw.Control(func(fd uintptr) {
		value, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, option)
		assert.NoError(t, err)
	}))
	return value
}

// TestBuffersBelowTLS: they are set where a listener from elsewhere secures the connections, too.
func TestBuffersBelowTLS(t *testing.T) {
	cert, _ := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &keepsAlive{listener, make(chan *net.TCPConn, 1)}
	server, err := netreactor.BindListener(t.Context(), tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}}),
		frames, echoBytes, quiet, netreactor.SocketBuffers(10<<10, 20<<10))
	require.NoError(t, err)
	defer server.Close()
	like := connect(t, server)
	until(t, "accepted", func() bool { return server.Stats().Connections == 1 })
	require.NoError(t, like.SetReadBuffer(10<<10))
	require.NoError(t, like.SetWriteBuffer(20<<10))
	got := take(t, l.accepted)
	assert.Equal(t, optionOf(t, like.TCPConn, syscall.SO_RCVBUF), optionOf(t, got, syscall.SO_RCVBUF))
	assert.Equal(t, optionOf(t, like.TCPConn, syscall.SO_SNDBUF), optionOf(t, got, syscall.SO_SNDBUF))
}
