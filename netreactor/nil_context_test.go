package netreactor_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/netreactor"
)

// TestWithoutAContext: nothing is opened and nothing is shut down, and the error says what is missing.
func TestWithoutAContext(t *testing.T) {
	var unset context.Context
	refused := func(op string, err error) {
		t.Helper()
		require.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.EqualError(t, err, "netreactor: "+op+": the context is nil: illegal argument")
	}
	_, err := netreactor.Bind(unset, "127.0.0.1:0", frames, echoBytes, quiet)
	refused("Bind", err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = netreactor.BindListener(unset, listener, frames, echoBytes, quiet)
	refused("BindListener", err)
	assert.NoError(t, listener.Close(), "it was left as it is")

	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		_, err := netreactor.Dial(unset, server.Addr().String(), frames)
		refused("Dial", err)
		_, err = server.Shutdown(unset)
		refused("Shutdown", err)
		p := connect(t, server)
		p.send("still")
		assert.Equal(t, "still", p.receive())
	})
}
