//go:build linux && (amd64 || arm64)

package netreactor

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAPeerFromPortZero: Linux accepts a connection whose peer, which has a TCP of its own, comes from port 0. What was reserved for its
// address is released for that address, and it is no unix socket.
func TestAPeerFromPortZero(t *testing.T) {
	for _, addr := range []string{"192.0.2.1:0", "[2001:db8::1]:0", "192.0.2.1:7"} {
		at := netip.MustParseAddrPort(addr)
		accepted, socket := &epollAccepted{remote: at}, &epollTransport{remote: newPeerAddr(at)}
		var l limits
		l.init(&settings{Config: Config{MaxPerClient: 1}})
		assert.True(t, l.reserve(accepted.client()))
		l.release(socket.client())
		assert.True(t, l.reserve(accepted.client()), "the place of %s is free again", addr)
		assert.Equal(t, addr, socket.remoteAddr().String())
	}
	local := &epollTransport{remote: newPeerAddr(netip.AddrPort{})}
	assert.Equal(t, "unix", local.remoteAddr().Network())
	assert.False(t, local.client().IsValid())
}
