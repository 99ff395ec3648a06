package netreactor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

// TestCloseAfterThePeer: whether the peer has closed its side right before makes no difference: a connection whose messages all have an answer has
// nothing left to do, though its handler had no time to say so.
func TestCloseAfterThePeer(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		s := schedulers.NewSingle("answers")
		defer s.Dispose()
		completed := make(chan struct{}, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return flux.From[[]byte](c.Inbound()).DoOnComplete(func() { completed <- struct{}{} }).PublishOn(s)
		})
		p := connect(t, server)
		p.send("x")
		p.receive()
		until(t, "answered", func() bool { return server.Stats().FramesOut == 1 })
		busy := make(chan struct{})
		_, err := s.Schedule(func(context.Context) { <-busy })
		require.NoError(t, err)
		require.NoError(t, p.CloseWrite())
		take(t, completed)
		report, err := endings["close"](server)
		require.NoError(t, err)
		assert.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
		close(busy)
	})
}
