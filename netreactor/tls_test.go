package netreactor_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// handTLS is a server with TLS whose peers are the other ends of pipes: what is written there is read, or waits.
func handTLS(t *testing.T, handler func(*bytesConn) flux.Flux[[]byte], opts ...netreactor.BindOption) (server *netreactor.Server, client *tls.Config, dial func() net.Conn) {
	t.Helper()
	cert, pool := certificate(t)
	listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	all := []netreactor.BindOption{quiet, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}, SessionTicketsDisabled: true})}
	server, err := netreactor.BindListener(t.Context(), listener, frames, handler, append(all, opts...)...)
	require.NoError(t, err)
	return server, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}, func() net.Conn {
		here, there := net.Pipe()
		t.Cleanup(func() {
			here.Close()
			server.Close()
		})
		listener.conns <- there
		return here
	}
}

// soon calls f, which must not take long.
func soon[T any](t *testing.T, f func() T) T {
	t.Helper()
	done := make(chan T, 1)
	go func() { done <- f() }()
	return take(t, done)
}

// TestReadingThatWaitsForWriting: TLS tells the peer what is wrong with what it has sent, behind what is being written. Who
// reads waits for that as long as the peer takes nothing, and the connection ends all the same.
func TestReadingThatWaitsForWriting(t *testing.T) {
	const d = 60 * time.Millisecond
	for name, c := range map[string]struct {
		opt  netreactor.BindOption
		end  func(*netreactor.Server, *bytesConn)
		want netreactor.Reason
	}{
		"Abort":        {netreactor.WriteTimeout(0), func(_ *netreactor.Server, c *bytesConn) { c.Abort() }, netreactor.ReasonClosed},
		"WriteTimeout": {netreactor.WriteTimeout(d), func(*netreactor.Server, *bytesConn) {}, netreactor.ReasonWriteTimeout},
		"IdleTimeout":  {netreactor.IdleTimeout(d), func(*netreactor.Server, *bytesConn) {}, netreactor.ReasonIdleTimeout},
		"Close":        {netreactor.WriteTimeout(0), func(s *netreactor.Server, _ *bytesConn) { s.Close() }, 0},
		"Shutdown": {netreactor.WriteTimeout(0), func(s *netreactor.Server, _ *bytesConn) {
			ctx, cancel := context.WithTimeout(context.Background(), d)
			defer cancel()
			s.Shutdown(ctx)
		}, 0},
	} {
		// over reports whether it was over before it had begun, on a machine that stood still.
		over := func(t *testing.T) bool {
			conns := make(chan *bytesConn, 1)
			server, config, dial := handTLS(t, func(c *bytesConn) flux.Flux[[]byte] {
				c.Inbound().SubscribeFunc(c.Context(), func([]byte) {}, flux.OnError(func(error) {}))
				conns <- c
				return flux.Range(0, 1<<30).Map(func(int) []byte { return make([]byte, 1000) })
			}, netreactor.FirstFrameTimeout(0), c.opt)
			begun := time.Now()
			conn := dial()
			err := tls.Client(conn, config).Handshake()
			if err == nil {
				_, err = io.ReadFull(conn, make([]byte, 1)) // there is a record, the rest of which is not taken
			}
			if err == nil {
				_, err = conn.Write(append([]byte{23, 3, 3, 0, 32}, make([]byte, 32)...)) // something that looks like a record
			}
			if err != nil && c.want.Timeout() && time.Since(begun) >= d {
				return true
			}
			require.NoError(t, err)
			bytes := take(t, conns)
			soon(t, func() any { c.end(server, bytes); return nil })
			take(t, bytes.Context().Done())
			if c.want != 0 {
				assert.Equal(t, c.want, reasonOf(bytes))
			}
			return false
		}
		t.Run(name, func(t *testing.T) {
			until(t, "it begins in time", func() bool { return !over(t) })
		})
	}
}

// deaf hears nothing.
type deaf struct {
	net.Conn
	closed chan struct{}
}

func (d deaf) Read([]byte) (int, error) {
	<-d.closed
	return 0, io.EOF
}

// TestAHandshakeThatWrites for ever is ended as one that waits.
func TestAHandshakeThatWrites(t *testing.T) {
	for name, c := range map[string]struct {
		opt  netreactor.BindOption
		end  func(*netreactor.Server)
		want netreactor.Reason
	}{
		"Close":             {netreactor.WriteTimeout(0), func(s *netreactor.Server) { s.Close() }, netreactor.ReasonShutdown},
		"Shutdown":          {netreactor.WriteTimeout(0), func(s *netreactor.Server) { s.Shutdown(context.Background()) }, netreactor.ReasonShutdown},
		"IdleTimeout":       {netreactor.IdleTimeout(60 * time.Millisecond), func(*netreactor.Server) {}, netreactor.ReasonIdleTimeout},
		"FirstFrameTimeout": {netreactor.FirstFrameTimeout(60 * time.Millisecond), func(*netreactor.Server) {}, netreactor.ReasonHandshakeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			server, config, dial := handTLS(t, func(c *bytesConn) flux.Flux[[]byte] { return c.Inbound() }, netreactor.FirstFrameTimeout(0), c.opt)
			closed := make(chan struct{})
			defer close(closed)
			asked := make(chan struct{}, 1)
			conn := dial()
			go func() {
				tls.Client(deaf{telling{conn, asked}, closed}, config).Handshake()
			}()
			take(t, asked)
			soon(t, func() any { c.end(server); return nil })
			until(t, "it has ended", func() bool { return server.Stats().Closed[c.want] == 1 })
			assert.Equal(t, map[netreactor.Reason]uint64{c.want: 1}, server.Stats().Closed)
		})
	}
}

// telling tells when something was written, and read at the other end.
type telling struct {
	net.Conn
	written chan struct{}
}

func (c telling) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	select {
	case c.written <- struct{}{}:
	default:
	}
	return n, err
}

// TestEndsWithinAHandshake: functions of the config end a server as handlers do.
func TestEndsWithinAHandshake(t *testing.T) {
	for name, end := range map[string]func(*netreactor.Server) error{
		"Close": (*netreactor.Server).Close,
		"Shutdown": func(s *netreactor.Server) error {
			_, err := s.Shutdown(context.Background())
			assert.ErrorIs(t, err, reactor.ErrIllegalState)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			servers := make(chan *netreactor.Server, 1)
			returned := make(chan error, 1)
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet,
				netreactor.WithTLS(&tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
					returned <- end(<-servers)
					return nil, errors.New("no certificate any more")
				}}))
			require.NoError(t, err)
			servers <- server
			require.Error(t, tls.Client(connect(t, server), &tls.Config{InsecureSkipVerify: true}).Handshake())
			assert.NoError(t, take(t, returned))
			take(t, server.Stopped())
		})
	}
}

// TestServersWithTLSNeedACertificate: without one no handshake could succeed, and peers would hear of it instead of who made the
// mistake. A function that finds one later is as good.
func TestServersWithTLSNeedACertificate(t *testing.T) {
	cert, pool := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = netreactor.BindListener(t.Context(), listener, frames, echoBytes, quiet, netreactor.WithTLS(&tls.Config{}))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	require.NoError(t, listener.Close(), "it was left as it is")
	full := &tls.Config{Certificates: []tls.Certificate{cert}}
	for name, config := range map[string]*tls.Config{
		"Certificates":       full,
		"GetCertificate":     {GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &cert, nil }},
		"GetConfigForClient": {GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return full, nil }},
	} {
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.WithTLS(config))
		require.NoError(t, err, name)
		c, err := netreactor.Dial(t.Context(), server.Addr().String(), frames, netreactor.WithTLS(&tls.Config{RootCAs: pool}))
		require.NoError(t, err, name)
		c.Close()
		<-c.Context().Done()
		server.Close()
	}
}
