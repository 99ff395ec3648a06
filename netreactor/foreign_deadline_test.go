package netreactor_test

import (
	"context"
	"io"
	"net"
	"os"
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

// hastyConn is a connection whose first Read returns bytes and, as an io.Reader may, an error with them.
type hastyConn struct {
	net.Conn
	err    error
	read   bool
	closed chan struct{}
}

func (c *hastyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.read {
		c.read = true
		return n, c.err
	}
	return n, err
}

func (c *hastyConn) Close() error {
	close(c.closed)
	return c.Conn.Close()
}

// TestBytesThatComeWithAnError count, also if that is the one of an interruption. What has failed is closed, too.
func TestBytesThatComeWithAnError(t *testing.T) {
	for name, err := range map[string]error{"an interruption": os.ErrDeadlineExceeded, "a failure": io.ErrClosedPipe} {
		t.Run(name, func(t *testing.T) {
			l := new(failingListener)
			server := listenTo(t, l, echoBytes)
			near, far := net.Pipe()
			defer far.Close()
			far.SetDeadline(time.Now().Add(patience))
			conn := &hastyConn{Conn: near, err: err, closed: make(chan struct{})}
			l.conns <- conn
			_, err := far.Write(framed("x"))
			require.NoError(t, err)
			got := make([]byte, 5)
			_, err = io.ReadFull(far, got)
			require.NoError(t, err)
			require.Equal(t, framed("x"), got)
			far.Close()
			take(t, conn.closed)
			stops(t, server)
		})
	}
}
