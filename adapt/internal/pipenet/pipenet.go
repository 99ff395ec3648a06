// Package pipenet connects HTTP clients and servers in tests by pipes, without a network and
// without buffers: what a side has written the other one has read. It is for bubbles of
// testing/synctest, where its waiting costs nothing.
package pipenet

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// HangUp is how long net/http reads on, at most, after a body was closed before its end, in the
// hope of using the connection again. Where the transport waits for the body or the end of the
// context when a request is cancelled, the end of the context comes first, and the server learns
// of it at once. Where it has not got round to that wait, either may win: a test that wants the
// first one waits until all goroutines of its bubble do. One that cancels a Read that is under way
// must: reading on would wait for the lock of that Read, which to a bubble is no wait, so that its
// time stands still.
const HangUp = 50 * time.Millisecond

// Server is a server, and the way to it.
type Server struct {
	Client   *http.Client
	ToClient atomic.Int64 // bytes that the server has written
	ToServer atomic.Int64 // bytes that the client has written
	Conns    atomic.Int64 // connections that are open

	mu    sync.Mutex
	conns []net.Conn // of the client, all that were made
}

// Serve starts a server that the end of the test closes. URLs are http://test/….
func Serve(t testing.TB, handler http.Handler) *Server { return serve(t, handler, nil) }

// Serve2 is Serve with HTTP/2.
func Serve2(t testing.TB, handler http.Handler) *Server {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return serve(t, handler, protocols)
}

func serve(t testing.TB, handler http.Handler, protocols *http.Protocols) *Server {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &Server{}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0), Protocols: protocols}
	go server.Serve(l) //nolint:errcheck // it ends with the test
	transport := &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		there, here := net.Pipe()
		select {
		case l.conns <- &counted{Conn: there, written: &s.ToClient}:
		case <-l.closed:
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		s.Conns.Add(1)
		s.mu.Lock()
		defer s.mu.Unlock()
		c := &counted{Conn: here, written: &s.ToServer, closed: func() { s.Conns.Add(-1) }}
		s.conns = append(s.conns, c)
		return c, nil
	}}
	s.Client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		time.Sleep(time.Second) // a server lingers after some requests
	})
	return s
}

// Cut closes all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.Close()
	}
	s.conns = nil
}

type counted struct {
	net.Conn
	written *atomic.Int64
	once    sync.Once
	closed  func()
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	c.once.Do(func() {
		if c.closed != nil {
			c.closed()
		}
	})
	return c.Conn.Close()
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "test", Net: "pipe"} }
