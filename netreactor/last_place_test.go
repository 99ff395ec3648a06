package netreactor_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// meeting is frames whose decoder waits until as many others are at it, or they do not come.
type meeting struct {
	netreactor.Codec[[]byte, []byte]
	on      atomic.Bool
	waiting atomic.Int32
	all     int32
}

func (m *meeting) Decode(in *netreactor.Input) ([]byte, bool, error) {
	if m.on.Load() {
		m.waiting.Add(1)
		for end := time.Now().Add(100 * time.Millisecond); m.waiting.Load() < m.all && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	return m.Codec.Decode(in)
}

// TestTheLastPlace is taken by one connection of those that look for it at the same time.
func TestTheLastPlace(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			codec := &meeting{Codec: frames, all: 3}
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *bytesConn) reactor.Publisher[[]byte] {
				sub := newProbe()
				c.Inbound().Subscribe(c.Context(), sub)
				(<-sub.up).Request(10)
				return flux.Never[[]byte]()
			}, append(v.opts, quiet, netreactor.OutstandingLimit(4))...)
			require.NoError(t, err)
			defer server.Close()
			var peers []*peer
			for range 3 {
				p := connect(t, server)
				p.send("x")
				peers = append(peers, p)
			}
			until(t, "each has one", func() bool { return netreactor.Places(server) == 3 })
			codec.on.Store(true)
			for _, p := range peers {
				p.send("y")
			}
			until(t, "there is no place", func() bool { return netreactor.Places(server) >= 4 })
			time.Sleep(200 * time.Millisecond)
			assert.EqualValues(t, 4, netreactor.Places(server))
			assert.EqualValues(t, 4, server.Stats().Outstanding)
		})
	}
}
