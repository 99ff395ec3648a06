//go:build unix

package netreactor_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// isKeptAlive reports whether a silent peer is probed.
func isKeptAlive(t *testing.T, conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	require.NoError(t, err)
	var on int
	assert.NoError(t, raw.Control(func(fd uintptr) {
		on, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)
		assert.NoError(t, err)
	}))
	return on != 0
}
