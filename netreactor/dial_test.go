package netreactor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/sinks"
)

func TestDial(t *testing.T) {
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet)
	require.NoError(t, err)
	defer server.Close()
	c, err := netreactor.Dial(t.Context(), server.Addr().String(), lines)
	require.NoError(t, err)
	require.NoError(t, c.SendAll(flux.FromSlice([]string{"a", "b"})))
	assert.ErrorIs(t, c.SendAll(flux.Empty[string]()), reactor.ErrIllegalState)
	got, err := c.Inbound().Buffer(2).Next().Block(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, got)
	assert.Equal(t, server.Addr().String(), c.RemoteAddr().String())
	c.Close()
	c.Close()
	<-c.Context().Done()
	assert.ErrorIs(t, context.Cause(c.Context()), netreactor.ErrClosed)

	c, err = netreactor.Dial(t.Context(), server.Addr().String(), lines)
	require.NoError(t, err)
	c.Inbound().SubscribeFunc(t.Context(), func(string) {})
	server.Close() // the peer closes
	<-c.Context().Done()
	_, err = netreactor.Dial(t.Context(), server.Addr().String(), lines)
	assert.ErrorContains(t, err, "netreactor:")

	c2, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet)
	require.NoError(t, err)
	defer c2.Close()
	c, err = netreactor.Dial(t.Context(), c2.Addr().String(), lines, quiet)
	require.NoError(t, err)
	boom := errors.New("boom")
	require.NoError(t, c.SendAll(flux.Error[string](boom)))
	<-c.Context().Done()
	assert.ErrorIs(t, context.Cause(c.Context()), boom)
}

// TestDialSaysWhyItsContextHasEnded: also during the handshake.
func TestDialSaysWhyItsContextHasEnded(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	_, err = netreactor.Dial(ctx, silent.Addr().String(), lines)
	assert.ErrorIs(t, err, late)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "operation was canceled: too late")
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, err = netreactor.Dial(ended, silent.Addr().String(), lines)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotContains(t, err.Error(), "context canceled", "there is no more to say")

	ctx, cancel = context.WithCancelCause(t.Context())
	go func() {
		if c, err := silent.Accept(); err == nil {
			defer c.Close()
			_, _ = c.Read(make([]byte, 1)) // its hello
			cancel(late)
			_, _ = io.Copy(io.Discard, c)
		}
	}()
	_, err = netreactor.Dial(ctx, silent.Addr().String(), lines, netreactor.WithTLS(&tls.Config{InsecureSkipVerify: true}))
	assert.ErrorIs(t, err, late)
	assert.ErrorIs(t, err, netreactor.ErrClosed)
}

func TestUnixSockets(t *testing.T) {
	for _, v := range variants() {
		path := filepath.Join(t.TempDir(), v.name)
		server, err := netreactor.Bind(t.Context(), path, lines, echo, append(v.opts, netreactor.Network("unix"), quiet)...)
		require.NoError(t, err)
		c, err := netreactor.Dial(t.Context(), path, lines, netreactor.Network("unix"))
		require.NoError(t, err)
		require.NoError(t, c.Send("x"))
		got, err := c.Inbound().Next().Block(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, "x", got)
		c.Close()
		server.Close()
		assert.NoFileExists(t, path)
	}
}

// certificate makes an authority, and a certificate of it for 127.0.0.1 and clients.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestTLS(t *testing.T) {
	cert, pool := certificate(t)
	names := make(chan string, 10)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames,
		func(c *bytesConn) flux.Flux[[]byte] {
			state, ok := c.TLS()
			assert.True(t, ok)
			names <- state.NegotiatedProtocol + " " + state.PeerCertificates[0].Subject.CommonName
			return c.Inbound()
		}, quiet, netreactor.FirstFrameTimeout(0), netreactor.WithTLS(&tls.Config{
			Certificates: []tls.Certificate{cert}, NextProtos: []string{"frames"},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		}))
	require.NoError(t, err)
	defer server.Close()
	assert.Equal(t, netreactor.Net, server.Engine())
	client := netreactor.WithTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}, NextProtos: []string{"frames"}})
	c, err := netreactor.Dial(t.Context(), server.Addr().String(), frames, client)
	require.NoError(t, err)
	large := make([]byte, 300_000)
	require.NoError(t, c.SendAll(flux.FromSlice([][]byte{[]byte("small"), large})))
	got, err := c.Inbound().Buffer(2).Next().Block(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte("small"), large}, got)
	assert.Equal(t, "frames test", <-names)
	c.Close()
	<-c.Context().Done()

	_, err = netreactor.Dial(t.Context(), server.Addr().String(), frames, netreactor.WithTLS(&tls.Config{}))
	assert.ErrorAs(t, err, new(*netreactor.CloseError), "an unknown authority")
	assert.Regexp(t, "^netreactor: connection closed: handshake failed: tls: ", err.Error())
	assert.NotErrorIs(t, err, context.Canceled, "nobody has given up")
	plain := connect(t, server)
	plain.Write([]byte(strings.Repeat("not TLS ", 10)))
	io.Copy(io.Discard, plain)
	until(t, "handshakes have failed", func() bool { return server.Stats().Closed[netreactor.ReasonHandshakeFailed] == 2 })

	impatient, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.FirstFrameTimeout(100*time.Millisecond),
		netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	defer impatient.Close()
	connect(t, impatient).ended() // says nothing
	until(t, "it is over", func() bool {
		closed := impatient.Stats().Closed
		return closed[netreactor.ReasonHandshakeFailed]+closed[netreactor.ReasonFirstFrameTimeout] == 1
	})
}

// TestTLSOfSourcesThatEndAtOnce: what ends a wait, here a source that completes within SendAll, does not take the first pass of a
// connection that was dialled for a handshake: that is over.
func TestTLSOfSourcesThatEndAtOnce(t *testing.T) {
	cert, pool := certificate(t)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet,
		netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	defer server.Close()
	for range 100 {
		c, err := netreactor.Dial(t.Context(), server.Addr().String(), frames, netreactor.WithTLS(&tls.Config{RootCAs: pool}))
		require.NoError(t, err)
		require.NoError(t, c.SendAll(flux.Just([]byte("x"))))
		got, err := c.Inbound().Next().Block(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []byte("x"), got)
		c.Close()
		<-c.Context().Done()
	}
}

// TestSendAllAndTheEndOfThePeer: a connection whose source has completed ends when the peer closes, and one whose
// peer has closed when its source completes.
func TestSendAllAndTheEndOfThePeer(t *testing.T) {
	for _, first := range []string{"the source", "the peer"} {
		t.Run(first, func(t *testing.T) {
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
				return c.Inbound().Take(1)
			}, quiet)
			require.NoError(t, err)
			defer server.Close()
			c, err := netreactor.Dial(t.Context(), server.Addr().String(), lines)
			require.NoError(t, err)
			defer c.Close()
			source := sinks.One[string]()
			if first == "the source" {
				require.NoError(t, c.SendAll(flux.Just("x")))
			} else {
				require.NoError(t, c.Send("x"))
				require.NoError(t, c.SendAll(source))
			}
			all, err := c.Inbound().Collect(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"x"}, all)
			if first == "the peer" {
				assert.NoError(t, c.Context().Err(), "the source may go on")
				require.True(t, source.TryEmitEmpty().IsSuccess())
			}
			take(t, c.Context().Done())
			var closed *netreactor.CloseError
			require.ErrorAs(t, context.Cause(c.Context()), &closed)
			assert.Equal(t, netreactor.ReasonPeerClosed, closed.Reason)
		})
	}
}

// TestAHandshakeThatPanics: functions of the config are code of the user's, which fail their connection only.
func TestAHandshakeThatPanics(t *testing.T) {
	cert, pool := certificate(t)
	for name, fail := range map[string]func(){"panic": func() { panic("no certificate today") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			log := &textLog{}
			var first atomic.Bool
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes,
				netreactor.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
				netreactor.WithTLS(&tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
					if !first.Swap(true) {
						fail()
					}
					return &cert, nil
				}}))
			require.NoError(t, err)
			defer server.Close()
			client := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
			require.Error(t, tls.Client(connect(t, server), client).Handshake())
			until(t, "failed", func() bool { return server.Stats().Closed[netreactor.ReasonHandshakeFailed] == 1 })
			if name == "panic" {
				assert.Contains(t, log.String(), "no certificate today")
			}
			conn := tls.Client(connect(t, server), client)
			_, err = conn.Write(framed("x"))
			require.NoError(t, err)
			_, err = io.ReadFull(conn, make([]byte, 5))
			require.NoError(t, err)
		})
	}
}

// textLog is a log that may be looked at.
type textLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *textLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *textLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestAnEmptyRead of a connection that somebody else has made is no end.
func TestAnEmptyRead(t *testing.T) {
	listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	server, err := netreactor.BindListener(t.Context(), listener, frames, echoBytes, quiet)
	require.NoError(t, err)
	defer server.Close()
	here, there := net.Pipe()
	defer here.Close()
	here.SetDeadline(time.Now().Add(patience))
	listener.conns <- there
	for range 3 {
		_, err := here.Write(framed("x"))
		require.NoError(t, err)
		_, err = io.ReadFull(here, make([]byte, 5))
		require.NoError(t, err)
		_, err = here.Write(nil) // who reads gets nothing, and no error
		require.NoError(t, err)
	}
}

// TestAResetThatWhoWritesHasHeard is none of the ends that a peer makes, which would complete the inbound: the system tells it once.
func TestAResetThatWhoWritesHasHeard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody can be asked")
	}
	cert, pool := certificate(t)
	for name, secure := range map[string]func(t *testing.T, conn, peer net.Conn) net.Conn{
		"plain": func(_ *testing.T, conn, _ net.Conn) net.Conn { return conn },
		"TLS, within a record": func(t *testing.T, conn, peer net.Conn) net.Conn {
			done := make(chan error, 1)
			go func() { done <- tls.Client(peer, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}).Handshake() }()
			server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}})
			require.NoError(t, server.Handshake())
			require.NoError(t, <-done)
			_, err := peer.Write([]byte{23, 3, 3})
			require.NoError(t, err)
			return server
		},
	} {
		t.Run(name, func(t *testing.T) {
			listener, conns := handOut(t)
			local, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer local.Close()
			conn, err := net.Dial("tcp", local.Addr().String())
			require.NoError(t, err)
			peer, err := local.Accept()
			require.NoError(t, err)
			secured := secure(t, conn, peer)
			peer.(*net.TCPConn).SetLinger(0)
			peer.Close()
			until(t, "the writer hears of it", func() bool {
				_, err = conn.Write([]byte("x"))
				return err != nil
			})
			listener.conns <- secured
			c := take(t, conns)
			<-c.Context().Done()
			assert.Equal(t, netreactor.ReasonPeerReset, reasonOf(c))
		})
	}
}

// handing is a listener that hands out connections.
type handing struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (h *handing) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *handing) Close() error   { h.once.Do(func() { close(h.closed) }); return nil }
func (h *handing) Addr() net.Addr { return &net.UnixAddr{Name: "handing", Net: "unix"} }

// handOut binds a server that echoes to a new listener, and returns that and the connections that the handler gets.
func handOut(t *testing.T) (listener *handing, conns chan *bytesConn) {
	listener = &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
	conns = make(chan *bytesConn, 1)
	server, err := netreactor.BindListener(t.Context(), listener, frames, func(c *bytesConn) reactor.Publisher[[]byte] {
		conns <- c
		return c.Inbound()
	}, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	return listener, conns
}

// TestADialThatPanics leaves no connection behind.
func TestADialThatPanics(t *testing.T) {
	cert, pool := certificate(t)
	for name, fail := range map[string]func(){"panic": func() { panic("not today") }, "Goexit": runtime.Goexit} {
		for what, dial := range map[string]func(addr string){
			"the codec": func(addr string) {
				netreactor.Dial[[]byte, []byte](context.Background(), addr, faulty{frames, fail})
			},
			"the handshake": func(addr string) {
				netreactor.Dial(context.Background(), addr, frames, netreactor.WithTLS(&tls.Config{
					RootCAs: pool, VerifyConnection: func(tls.ConnectionState) error { fail(); return nil },
				}))
			},
		} {
			t.Run(what+", "+name, func(t *testing.T) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				defer listener.Close()
				done := make(chan any)
				go func() {
					defer close(done)
					defer func() { recover() }()
					dial(listener.Addr().String())
				}()
				conn, err := listener.Accept()
				require.NoError(t, err)
				defer conn.Close()
				if what == "the handshake" {
					require.Error(t, tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}}).Handshake())
				}
				take(t, done)
				conn.SetReadDeadline(time.Now().Add(patience / 10))
				_, err = conn.Read(make([]byte, 1))
				var late net.Error
				assert.False(t, errors.As(err, &late) && late.Timeout(), "it is closed")
			})
		}
	}
}

// TestTheNameOfTheServer is told by who dials, whether the certificate is verified or not.
func TestTheNameOfTheServer(t *testing.T) {
	cert, pool := certificate(t)
	names := make(chan string, 1)
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- hello.ServerName
		return &cert, nil
	}}
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.WithTLS(config))
	require.NoError(t, err)
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Addr().String())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		config *tls.Config
		want   string
	}{
		"not verified": {&tls.Config{InsecureSkipVerify: true}, "localhost"},
		"verified":     {&tls.Config{RootCAs: pool}, "localhost"},
		"named":        {&tls.Config{InsecureSkipVerify: true, ServerName: "example.org"}, "example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := netreactor.Dial(t.Context(), net.JoinHostPort("localhost", port), frames, netreactor.WithTLS(c.config))
			if err == nil {
				conn.Close()
			}
			assert.Equal(t, c.want, take(t, names))
		})
	}
}
