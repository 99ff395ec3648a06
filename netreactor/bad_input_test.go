package netreactor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// TestSlowSenders: peers that send a message byte by byte are closed when ReadTimeout has passed,
// and hold up nobody meanwhile.
func TestSlowSenders(t *testing.T) {
	const slow = 20
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes, netreactor.ReadTimeout(150*time.Millisecond))
		message := framed(strings.Repeat("s", 1<<16)) // which would take minutes
		peers := make([]*peer, slow)
		sent := make(chan bool, slow)
		for i := range peers {
			peers[i] = connect(t, server)
			go func() {
				for n := range message {
					time.Sleep(5 * time.Millisecond)
					if _, err := peers[i].Write(message[n : n+1]); err != nil {
						break
					}
				}
				sent <- true
			}()
		}
		quick := connect(t, server)
		for range 200 {
			quick.send("quick")
			require.Equal(t, "quick", quick.receive())
		}
		for _, p := range peers {
			p.ended()
			<-sent
		}
		until(t, "all of them are closed", func() bool { return server.Stats().Connections == 1 })
		assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonReadTimeout: slow}, server.Stats().Closed)
		quick.send("still")
		assert.Equal(t, "still", quick.receive())
	})
}

// TestAResetInAMessage: the reason is the reset, not that the message was cut.
func TestAResetInAMessage(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		got := make(chan error, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnError(func(err error) { got <- err })
		})
		p := connect(t, server)
		p.send("whole")
		p.receive()
		_, err := p.Write(framed("cut off")[:6])
		require.NoError(t, err)
		p.SetLinger(0)
		p.Close()
		var closed *netreactor.CloseError
		require.ErrorAs(t, take(t, got), &closed)
		assert.Equal(t, netreactor.ReasonPeerReset, closed.Reason)
	})
}

// TestSettingsThatCantBeUsed: each is named with its value, and leaves the default.
func TestSettingsThatCantBeUsed(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	_, err := netreactor.LoadConfig(nil)
	require.EqualError(t, err, "netreactor: LoadConfig: lookup is nil: illegal argument")
	defaults, err := netreactor.LoadConfig(none)
	require.NoError(t, err)
	for _, c := range []struct{ name, value, want string }{
		{"REACTOR_NET_SELECTORS", "0", "REACTOR_NET_SELECTORS=0 must be at least 1, using "},
		{"REACTOR_NET_SELECTORS", "-1", "REACTOR_NET_SELECTORS=-1 must be at least 1"},
		{"REACTOR_NET_WORKERS", "-1", "REACTOR_NET_WORKERS=-1 must be at least 0, using "},
		{"REACTOR_NET_WORKERS", "1e3", `REACTOR_NET_WORKERS="1e3" is not a decimal number`},
		{"REACTOR_NET_WORKERS", "", `REACTOR_NET_WORKERS="" is not a decimal number`},
		{"REACTOR_NET_BUSINESS", "99999999999999999999", `REACTOR_NET_BUSINESS=99999999999999999999 must be at most 65536, using`},
		{"REACTOR_NET_MAX_CONNS", "-1", "REACTOR_NET_MAX_CONNS=-1 must be at least 0, using 0"},
		{"REACTOR_NET_MAX_PER_CLIENT", "many", `REACTOR_NET_MAX_PER_CLIENT="many" is not a decimal number, using 60`},
		{"REACTOR_NET_READ_CHUNK", "511", "REACTOR_NET_READ_CHUNK=511 must be at least 512, using 65536"},
		{"REACTOR_NET_READ_CHUNK", "99999999999", "REACTOR_NET_READ_CHUNK=99999999999 must be at most 67108864, using 65536"},
		{"REACTOR_NET_MAX_FRAME", "0", "REACTOR_NET_MAX_FRAME=0 must be at least 1, using 1048575"},
		{"REACTOR_NET_IDLE_TIMEOUT", "5", `REACTOR_NET_IDLE_TIMEOUT="5" is not a duration such as 5s, using 0s`},
		{"REACTOR_NET_IDLE_TIMEOUT", "9999999h", "REACTOR_NET_IDLE_TIMEOUT=9999999h must be at most 2562047h47m16.854775807s, using 0s"},
		{"REACTOR_NET_IDLE_TIMEOUT", "-5s", "REACTOR_NET_IDLE_TIMEOUT=-5s must not be negative, using 0s"},
		{"REACTOR_NET_SHUTDOWN_TIMEOUT", "soon", `REACTOR_NET_SHUTDOWN_TIMEOUT="soon" is not a duration such as 5s, using 5s`},
	} {
		got, err := netreactor.LoadConfig(func(name string) (string, bool) { return c.value, name == c.name })
		assert.ErrorContains(t, err, "netreactor: "+c.want)
		assert.Equal(t, defaults, got, c.name)
	}
}

// TestDialOfWhatIsNotThere: the error says which address, and which option.
func TestDialOfWhatIsNotThere(t *testing.T) {
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet)
	require.NoError(t, err)
	gone := server.Addr().String()
	server.Close()
	_, err = netreactor.Dial(t.Context(), gone, frames)
	assert.ErrorContains(t, err, gone)
	assert.ErrorContains(t, err, "netreactor: ")
	_, err = netreactor.Dial(t.Context(), gone, frames, netreactor.Network("udp"))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, err, `unknown network "udp"`)
	_, err = netreactor.Bind(t.Context(), "127.0.0.1:99999", frames, echoBytes, quiet)
	assert.ErrorContains(t, err, "invalid port")
}

// insatiable is a codec that finds no message, whatever comes, and does not say how long one may be.
type insatiable struct{}

func (insatiable) Decode(*netreactor.Input) ([]byte, bool, error) { return nil, false, nil }
func (insatiable) Encode(dst, msg []byte) ([]byte, error)         { return append(dst, msg...), nil }

// TestACodecThatFindsNothing gets so much, and no more: what a peer sends fills no memory.
func TestACodecThatFindsNothing(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			conns := make(chan *bytesConn, 1)
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", insatiable{}, func(c *bytesConn) flux.Flux[[]byte] {
				conns <- c
				return c.Inbound()
			}, append(v.opts, quiet, netreactor.MaxFrame(1000))...)
			require.NoError(t, err)
			defer server.Close()
			p := connect(t, server)
			_, err = p.Write(make([]byte, 2000))
			require.NoError(t, err)
			c := take(t, conns)
			take(t, c.Context().Done())
			assert.Equal(t, netreactor.ReasonTooLarge, reasonOf(c))
		})
	}
}
