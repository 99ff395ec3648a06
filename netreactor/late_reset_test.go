package netreactor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/netreactor"
)

// TestAResetBehindTheLastMessage: a reset that came while a message was left is seen when that is delivered, without another request.
func TestAResetBehindTheLastMessage(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.FirstFrameTimeout(0))
		if server.Engine() == netreactor.Net {
			t.Skip("nobody looks")
		}
		p := connect(t, server)
		c := take(t, conns)
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		up.Request(1)
		p.send("a", "b")
		assert.Equal(t, "a", take(t, s.items))
		p.SetLinger(0)
		p.Close()
		pause()
		up.Request(1)
		assert.Equal(t, "b", take(t, s.items))
		assert.Error(t, take(t, s.end))
		take(t, c.Context().Done())
		assert.Equal(t, netreactor.ReasonPeerReset, reasonOf(c))
	})
}
