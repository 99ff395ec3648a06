package netreactor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// TestWhoSubscribesAsTheConnectionEnds: who subscribes to the inbound when the end of the connection cancels the outbound hears of
// the end as well.
func TestWhoSubscribesAsTheConnectionEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		s, conns := newProbe(), make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return flux.Never[[]byte]().DoOnCancel(func() { c.Inbound().Subscribe(context.Background(), s) })
		})
		connect(t, server)
		c := take(t, conns)
		c.Abort()
		take(t, s.up)
		assert.Equal(t, context.Cause(c.Context()), take(t, s.end))
	})
}
