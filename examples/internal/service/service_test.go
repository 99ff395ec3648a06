package service_test

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/examples/internal/service"
	"github.com/goreactor/reactor/netreactor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What is asked for by a flag counts, then what the environment says, then what suits an example.
func TestSettings(t *testing.T) {
	const workers, all, each = "REACTOR_NET_WORKERS", "REACTOR_NET_MAX_CONNS", "REACTOR_NET_MAX_PER_CLIENT"
	for _, c := range []struct {
		name    string
		env     map[string]string
		args    []string
		workers int
		clients int // of three that come from one address
	}{
		{name: "neither", clients: 3},
		{name: "environment", env: map[string]string{workers: "3", all: "2"}, workers: 3, clients: 2},
		{name: "from each address", env: map[string]string{each: "1"}, clients: 1},
		{name: "flags", env: map[string]string{workers: "3", all: "1"}, args: []string{"-workers", "2", "-clients", "2"}, workers: 2, clients: 2},
		{name: "flags that say none", env: map[string]string{workers: "3", all: "1"}, args: []string{"-workers", "0", "-clients", "0"}, clients: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			s := service.New("test", "127.0.0.1:0", "127.0.0.1:0")
			ok, err := s.Parse(c.args)
			require.True(t, ok, err)
			server, err := netreactor.Bind(t.Context(), s.Addr(), netreactor.Strings(netreactor.Lines()),
				func(c *netreactor.Conn[string, string]) reactor.Publisher[string] { return c.Inbound() }, s.Options()...)
			require.NoError(t, err)
			defer server.Close()
			if server.Engine() == netreactor.Epoll { // the other one has a goroutine for each connection
				assert.Equal(t, c.workers, server.Stats().Workers.Workers)
			}
			clients := 0
			for range 3 {
				conn, err := net.Dial("tcp", server.Addr().String())
				if err != nil {
					continue // who is one too many is reset, maybe before Dial returns
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, "x\n")
				if n, _ := conn.Read(make([]byte, 1)); n == 1 {
					clients++
				}
			}
			assert.Equal(t, c.clients, clients)
		})
	}
}
