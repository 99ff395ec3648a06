package netreactor_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/netreactor"
)

// TestAddresses are there after the end as before, and those of unix sockets too.
func TestAddresses(t *testing.T) {
	noting := func(conns chan *bytesConn) func(*bytesConn) reactor.Publisher[[]byte] {
		return func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound()
		}
	}
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(noting(conns))
		p := connect(t, server)
		c := take(t, conns)
		before, peer := c.LocalAddr(), c.RemoteAddr()
		assert.Equal(t, p.RemoteAddr(), before)
		assert.Equal(t, "connection of "+p.LocalAddr().String(), fmt.Sprint(c))
		assert.Equal(t, "server at "+p.RemoteAddr().String(), fmt.Sprint(server))
		c.Abort()
		<-c.Context().Done()
		assert.Equal(t, before, c.LocalAddr())
		assert.Equal(t, peer, c.RemoteAddr())
		assert.Equal(t, "connection of "+p.LocalAddr().String(), fmt.Sprint(c.Context()))
	})
	for _, v := range variants() {
		t.Run("unix, "+v.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			conns := make(chan *bytesConn, 1)
			server, err := netreactor.Bind(t.Context(), path, frames, noting(conns), append(v.opts, quiet, netreactor.Network("unix"))...)
			require.NoError(t, err)
			defer server.Close()
			conn, err := net.Dial("unix", path)
			require.NoError(t, err)
			defer conn.Close()
			assert.Equal(t, path, take(t, conns).LocalAddr().String())
		})
	}
}

// keepsAlive reports what was set last on the connections of a listener.
type keepsAlive struct {
	net.Listener
	accepted chan *net.TCPConn
}

func (l *keepsAlive) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.accepted <- c.(*net.TCPConn)
	}
	return c, err
}

// TestListenerOfOthers: options hold for what a listener accepts that sets some itself.
func TestListenerOfOthers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // its connections are probed
	require.NoError(t, err)
	l := &keepsAlive{listener, make(chan *net.TCPConn, 1)}
	server, err := netreactor.BindListener(t.Context(), l, frames, echoBytes, quiet, netreactor.KeepAlive(0))
	require.NoError(t, err)
	defer server.Close()
	p := connect(t, server)
	p.send("x")
	p.receive()
	assert.False(t, isKeptAlive(t, <-l.accepted))
}

// TestListenerThatIsClosed by somebody else: the log says so, and the connections go on.
func TestListenerThatIsClosed(t *testing.T) {
	var log syncBuffer
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := netreactor.BindListener(t.Context(), listener, frames, echoBytes, netreactor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	p := connect(t, server)
	listener.Close()
	until(t, "it is said", func() bool { return log.contains("somebody has closed the listener") })
	p.send("still")
	assert.Equal(t, "still", p.receive())
	server.Close()

	var other syncBuffer
	server, err = netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, netreactor.WithLogger(slog.New(slog.NewTextHandler(&other, nil))))
	require.NoError(t, err)
	server.Close()
	assert.False(t, other.contains("somebody"))
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer // mu
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) contains(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.b.Bytes(), []byte(text))
}

// TestErrorsOfBind say once whose they are, and leave the listener alone.
func TestErrorsOfBind(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = netreactor.BindListener(t.Context(), listener, frames, echoBytes, quiet, netreactor.UseEngine(netreactor.Epoll))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.Regexp(t, "^netreactor: UseEngine: ", err.Error())
	assert.NoError(t, listener.Close())
}

// TestRefusedByAListenerOfTLS: one too many is reset there, too.
func TestRefusedByAListenerOfTLS(t *testing.T) {
	cert, _ := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := netreactor.BindListener(t.Context(), tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{cert}}),
		frames, echoBytes, quiet, netreactor.MaxConns(1))
	require.NoError(t, err)
	defer server.Close()
	connect(t, server)
	until(t, "accepted", func() bool { return server.Stats().Connections == 1 })
	conn, err := net.Dial("tcp", server.Addr().String())
	if err == nil { // the reset comes later
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(patience))
		_, err = conn.Read(make([]byte, 1))
	}
	assert.ErrorIs(t, err, syscall.ECONNRESET)
}

// plain is a connection of others, with what the test makes of it.
type plain struct {
	net.Conn
	remote func() net.Addr
}

func (p plain) RemoteAddr() net.Addr { return p.remote() }

// TestAPeerWithoutAnAddress is as good as any other.
func TestAPeerWithoutAnAddress(t *testing.T) {
	log := &textLog{}
	listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	server, err := netreactor.BindListener(t.Context(), listener, frames, echoBytes,
		netreactor.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	require.NoError(t, err)
	here, there := net.Pipe()
	defer here.Close()
	listener.conns <- plain{there, func() net.Addr { return nil }}
	_, err = here.Write(framed("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(here, make([]byte, 5))
	require.NoError(t, err)
	require.NoError(t, soon(t, server.Close))
	assert.Contains(t, log.String(), "connection closed")
}

// behindProxy is a listener whose connections come from 192.0.2.1 until they were accepted, and from 192.0.2.2
// afterwards, as where a first line says who the peer is.
type behindProxy struct{ net.Listener }

type proxied struct {
	net.Conn
	asked atomic.Bool
}

func (l behindProxy) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &proxied{Conn: c}, err
}

func (c *proxied) RemoteAddr() net.Addr {
	if c.asked.Swap(true) {
		return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2)}
	}
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}
}

// TestAddressThatChanges: a place is given back to the client that it was taken for.
func TestAddressThatChanges(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := netreactor.BindListener(t.Context(), behindProxy{listener}, frames, echoBytes, quiet, netreactor.MaxPerClient(1))
	require.NoError(t, err)
	defer server.Close()
	for range 3 {
		until(t, "there is a place", func() bool {
			p := connect(t, server)
			defer p.Close()
			_, err := p.Write(framed("x"))
			if err == nil {
				_, err = p.next()
			}
			return err == nil
		})
	}
}

// aged is a connection whose deadlines have an error of their own, as in packages that are older than the one of package os.
type aged struct {
	net.Conn
	reads chan<- struct{}
}

type agedTimeout struct{}

func (agedTimeout) Error() string   { return "too late" }
func (agedTimeout) Timeout() bool   { return true }
func (agedTimeout) Temporary() bool { return true }

func (c aged) Read(b []byte) (int, error) {
	select {
	case c.reads <- struct{}{}:
	default:
	}
	n, err := c.Conn.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = agedTimeout{}
	}
	return n, err
}

// TestAnotherErrorOfADeadline: an interruption is none of the reasons for which a connection ends.
func TestAnotherErrorOfADeadline(t *testing.T) {
	listener, conns := handOut(t)
	here, there := net.Pipe()
	defer here.Close()
	reads := make(chan struct{}, 1)
	listener.conns <- aged{there, reads}
	c := take(t, conns)
	take(t, reads)
	c.Close()
	take(t, c.Context().Done())
	assert.Equal(t, netreactor.ReasonClosed, reasonOf(c))

	// One that is about the peer ends it.
	here, there = net.Pipe()
	defer here.Close()
	listener.conns <- silentPeer{there}
	c = take(t, conns)
	take(t, c.Context().Done())
	assert.Equal(t, netreactor.ReasonReadFailed, reasonOf(c))
}

// silentPeer is a connection whose peer has not answered the probes of the kernel.
type silentPeer struct{ net.Conn }

func (silentPeer) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
}

// TestAPeerThatDoesNotSayWhoItIs, for which its connection waits, keeps nobody from stopping the server.
func TestAPeerThatDoesNotSayWhoItIs(t *testing.T) {
	listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	server, err := netreactor.BindListener(t.Context(), listener, frames, echoBytes, quiet)
	require.NoError(t, err)
	here, there := net.Pipe()
	defer here.Close()
	asked := make(chan struct{})
	listener.conns <- plain{there, func() net.Addr {
		close(asked)
		there.Read(make([]byte, 1)) // a first line says who it is
		return nil
	}}
	take(t, asked)
	require.NoError(t, soon(t, server.Close))
	assert.Zero(t, server.Stats().Acceptor.Accepted)
	_, err = here.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
}
