package netreactor_test

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// failingListener hands out what is sent to it, but for a first call that fails.
type failingListener struct {
	net.Listener
	conns chan net.Conn
	gone  chan struct{}
	fail  func()
}

func (l *failingListener) Accept() (net.Conn, error) {
	if fail := l.fail; fail != nil {
		l.fail = nil
		fail()
	}
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.gone:
		return nil, net.ErrClosed
	}
}

func (l *failingListener) Close() error   { close(l.gone); return nil }
func (l *failingListener) Addr() net.Addr { return &net.TCPAddr{} }

// failingConn is a connection of others of which one call fails.
type failingConn struct {
	net.Conn
	at    string
	fail  func()
	calls atomic.Int32 // of that
}

func (c *failingConn) call(name string) {
	if c.at == name {
		c.calls.Add(1)
		c.fail()
	}
}

func (c *failingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.call("read")
	}
	return n, err
}

func (c *failingConn) Write(b []byte) (int, error) { c.call("write"); return c.Conn.Write(b) }
func (c *failingConn) CloseWrite() error           { c.call("close write"); return nil }
func (c *failingConn) RemoteAddr() net.Addr        { c.call("remote address"); return c.Conn.RemoteAddr() }

func (c *failingConn) Close() error {
	err := c.Conn.Close()
	c.call("close")
	return err
}

func listenTo(t *testing.T, l *failingListener, handler func(*bytesConn) reactor.Publisher[[]byte]) *netreactor.Server {
	l.conns, l.gone = make(chan net.Conn), make(chan struct{})
	server, err := netreactor.BindListener(context.Background(), l, frames, handler, quiet, netreactor.MaxConns(1))
	require.NoError(t, err)
	return server
}

// stops shuts the server down, which must not wait for ever.
func stops(t *testing.T, server *netreactor.Server) {
	t.Helper()
	require.NoError(t, soon(t, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := server.Shutdown(ctx)
		return err
	}))
}

// TestAConnectionOfOthersThatFails: the connection ends, once, for that reason, and its place is free again.
func TestAConnectionOfOthersThatFails(t *testing.T) {
	for how, fail := range map[string]func(){"panic": func() { panic("not today") }, "Goexit": runtime.Goexit} {
		for at, reason := range map[string]netreactor.Reason{
			"read": netreactor.ReasonReadFailed, "write": netreactor.ReasonWriteFailed,
			"close": netreactor.ReasonClosed, "close write": netreactor.ReasonClosed,
		} {
			t.Run(at+"/"+how, func(t *testing.T) {
				conns := make(chan *bytesConn, 1)
				l := new(failingListener)
				server := listenTo(t, l, func(c *bytesConn) reactor.Publisher[[]byte] {
					conns <- c
					return flux.Merge(c.Inbound(), flux.Never[[]byte]())
				})
				near, far := net.Pipe()
				defer far.Close()
				failing := &failingConn{Conn: near, at: at, fail: fail}
				l.conns <- failing
				c := take(t, conns)
				far.SetDeadline(time.Now().Add(patience))
				if reason == netreactor.ReasonClosed {
					c.Close()
				} else {
					_, err := far.Write(framed("x"))
					require.NoError(t, err)
				}
				take(t, c.Context().Done())
				assert.Equal(t, reason, reasonOf(c))
				if how == "Goexit" && reason != netreactor.ReasonClosed {
					require.ErrorIs(t, context.Cause(c.Context()), reactor.ErrGoexit)
				}
				until(t, "the place is free", func() bool {
					near, far := net.Pipe()
					l.conns <- near
					far.SetDeadline(time.Now().Add(patience))
					defer far.Close()
					_, err := far.Write(framed("y"))
					return err == nil
				})
				assert.EqualValues(t, 1, failing.calls.Load())
				stops(t, server)
			})
		}
	}
}

// TestAListenerThatEndsTheGoroutine: more connections are accepted all the same.
func TestAListenerThatEndsTheGoroutine(t *testing.T) { acceptsBehind(t, runtime.Goexit) }

// TestAListenerThatPanics: that is a failure to accept as well, and not the end of the program.
func TestAListenerThatPanics(t *testing.T) { acceptsBehind(t, func() { panic("not today") }) }

// acceptsBehind has a listener of others fail, or a connection that is asked who its peer is, and looks at what becomes of the next connection.
func acceptsBehind(t *testing.T, fail func()) {
	for _, at := range []string{"accept", "remote address"} {
		t.Run(at, func(t *testing.T) {
			l := new(failingListener)
			if at == "accept" {
				l.fail = fail
			}
			server := listenTo(t, l, echoBytes)
			if at == "remote address" {
				near, far := net.Pipe()
				l.conns <- &failingConn{Conn: near, at: at, fail: fail}
				far.SetDeadline(time.Now().Add(patience))
				_, err := far.Read(make([]byte, 1))
				require.ErrorContains(t, err, "EOF", "it is closed")
			}
			near, far := net.Pipe()
			select {
			case l.conns <- near:
			case <-time.After(patience):
				require.FailNow(t, "nobody accepts")
			}
			p := &pipePeer{t, far}
			p.say("x")
			far.Close()
			assert.EqualValues(t, 1, server.Stats().Acceptor.Errors)
			stops(t, server)
		})
	}
}

type pipePeer struct {
	t    *testing.T
	conn net.Conn
}

// say sends a message and waits for its echo.
func (p *pipePeer) say(message string) {
	p.conn.SetDeadline(time.Now().Add(patience))
	_, err := p.conn.Write(framed(message))
	require.NoError(p.t, err)
	_, err = p.conn.Read(make([]byte, 100))
	require.NoError(p.t, err)
}
