package netreactor_test

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// endingListener is a listener whose Close fails, once it has closed.
type endingListener struct {
	failingListener
	end func()
}

func (l *endingListener) Close() error {
	l.failingListener.Close()
	l.end()
	return nil
}

// endlessConn is a connection whose deadlines fail, once they are set.
type endlessConn struct {
	net.Conn
	end   func()
	calls atomic.Int32
}

func (c *endlessConn) SetReadDeadline(at time.Time) error {
	c.calls.Add(1)
	c.Conn.SetReadDeadline(at)
	c.end()
	return nil
}

// TestWhoEndsAServerOfOthers: a listener that ends who closes it, as one of a test that has failed does, or a connection that ends who
// interrupts it, keeps no shutdown waiting.
func TestWhoEndsAServerOfOthers(t *testing.T) {
	quietly := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
	for how, fail := range map[string]func(){"panic": func() { panic("not today") }, "Goexit": runtime.Goexit} {
		t.Run("listener/"+how, func(t *testing.T) {
			l := &endingListener{end: fail}
			l.conns, l.gone = make(chan net.Conn), make(chan struct{})
			server, err := netreactor.BindListener(quietly, l, frames, echoBytes, quiet)
			require.NoError(t, err)
			stops(t, server)
		})
		t.Run("connection/"+how, func(t *testing.T) {
			l := new(failingListener)
			l.conns, l.gone = make(chan net.Conn), make(chan struct{})
			conns := make(chan *bytesConn, 1)
			server, err := netreactor.BindListener(quietly, l, frames, func(c *bytesConn) reactor.Publisher[[]byte] {
				conns <- c
				return flux.Merge(c.Inbound())
			}, quiet)
			require.NoError(t, err)
			near, far := net.Pipe()
			defer far.Close()
			conn := &endlessConn{Conn: near, end: fail}
			l.conns <- conn
			take(t, conns)
			pause() // it reads
			stops(t, server)
			require.Positive(t, conn.calls.Load())
		})
	}
}
