package netreactor

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// TestCloseAndSend: a message that Send accepts while Close looks whether something is left is written, or the connection is cut.
func TestCloseAndSend(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	set.handler = handlerOf[[]byte, []byte](func(c *Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
		c.Inbound().Subscribe(context.Background(), &book{})
		return operators.Never[[]byte]()
	})
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng := newEngine(context.Background(), set)
		conn := newConn(Bytes(LengthPrefixed()))
		eng.loops[0].prepare(&conn.core)
		p := &script{c: &conn.core, submitted: make(chan struct{}, 100)}
		conn.core.tr = p
		eng.limits.reserve(netip.Addr{})
		require.True(t, eng.loops[0].add(&conn.core))
		conn.core.look()
		p.runSubmitted()
		eng.cutting.Store(&CloseError{Reason: ReasonCut})
		eng.draining.Store(true)
		conn.core.look()
		accepted := false
		race(
			func() { accepted = conn.Send([]byte("a")) == nil },
			func() {
				<-p.submitted
				if work, ok := conn.core.own(0); ok {
					conn.core.run(&runner{}, work)
				}
			},
		)
		p.runSubmitted()
		var why *CloseError
		if assert.ErrorAs(t, conn.Context().Err(), &why) && accepted && why.Reason == ReasonShutdown {
			assert.Equal(t, uint64(5), conn.core.bytesOut.Load(), "it was written")
		}
		eng.live.Wait()
	})
}
