package netreactor_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// countingConn is a connection of others that says something else than how many bytes it has read, or written.
type countingConn struct {
	net.Conn
	read  func(n int) int
	write func(n int) (written, said int)
}

func (c *countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.read != nil && n > 0 {
		n = c.read(n)
	}
	return n, err
}

func (c *countingConn) Write(b []byte) (int, error) {
	if c.write == nil {
		return c.Conn.Write(b)
	}
	n, said := c.write(len(b))
	if n, err := c.Conn.Write(b[:n]); err != nil {
		return n, err
	}
	return said, nil
}

// handCounting serves one such connection, whose peer is returned.
func handCounting(t *testing.T, c *countingConn, handler func(*bytesConn) reactor.Publisher[[]byte]) (peer net.Conn, served *bytesConn) {
	t.Helper()
	listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	conns := make(chan *bytesConn, 1)
	server, err := netreactor.BindListener(t.Context(), listener, frames, func(c *bytesConn) reactor.Publisher[[]byte] {
		conns <- c
		return handler(c)
	}, quiet)
	require.NoError(t, err)
	here, there := net.Pipe()
	t.Cleanup(func() {
		here.Close()
		server.Close()
	})
	c.Conn = there
	listener.conns <- c
	return here, take(t, conns)
}

// TestConnectionsThatMiscountReading: a connection that says it has read more than there was room for, or less than nothing, has failed to
// read, as one that panics has. The program goes on.
func TestConnectionsThatMiscountReading(t *testing.T) {
	for name, n := range map[string]int{"more": 1 << 30, "less than nothing": -1} {
		t.Run(name, func(t *testing.T) {
			peer, served := handCounting(t, &countingConn{read: func(int) int { return n }}, echoBytes)
			_, err := peer.Write(framed("a"))
			require.NoError(t, err)
			take(t, served.Context().Done())
			assert.Equal(t, netreactor.ReasonReadFailed, reasonOf(served))
			assert.ErrorContains(t, context.Cause(served.Context()), "countingConn has read")
		})
	}
}

// TestConnectionsThatMiscountWriting: what comes behind bytes that were not written would be taken for those, and what is not counted
// would wait for ever.
func TestConnectionsThatMiscountWriting(t *testing.T) {
	for name, c := range map[string]struct {
		write func(n int) (int, int)
		want  string
	}{
		"half of it":        {func(n int) (int, int) { return n / 2, n / 2 }, io.ErrShortWrite.Error()},
		"more":              {func(n int) (int, int) { return n, n + 1 }, "countingConn has written"},
		"less than nothing": {func(n int) (int, int) { return n, -1 }, "countingConn has written"},
	} {
		t.Run(name, func(t *testing.T) {
			peer, served := handCounting(t, &countingConn{write: c.write}, func(c *bytesConn) reactor.Publisher[[]byte] {
				return flux.Just([]byte(strings.Repeat("a", 100))).ConcatWith(flux.Never[[]byte]())
			})
			go io.Copy(io.Discard, peer)
			take(t, served.Context().Done())
			assert.Equal(t, netreactor.ReasonWriteFailed, reasonOf(served))
			assert.ErrorContains(t, context.Cause(served.Context()), c.want)
		})
	}
}
