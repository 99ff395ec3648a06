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
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
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
	"github.com/goreactor/reactor/internal/racetest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
)

func TestShutdownOfIdleConnections(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		ends := make(chan error, 10)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnTerminate(func() { ends <- nil })
		})
		var peers []*peer
		for range 10 {
			p := connect(t, server)
			p.send("x")
			p.receive()
			peers = append(peers, p)
		}
		var all sync.WaitGroup
		for _, p := range peers {
			all.Go(func() {
				p.ended()
				p.Close()
				take(t, ends)
			})
		}
		report, err := server.Shutdown(t.Context())
		require.NoError(t, err)
		assert.Equal(t, netreactor.ShutdownReport{Drained: 10}, report)
		all.Wait()
		_, err = net.Dial("tcp", server.Addr().String())
		assert.Error(t, err)
		report, err = server.Shutdown(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 10, report.Drained, "again")
	})
}

// TestShutdownWaits has a request that is running, some that are queued behind it, and one
// whose handler is stuck.
func TestShutdownWaits(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		started, release := make(chan struct{}, 10), make(chan struct{})
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().Map(func(b []byte) []byte {
				started <- struct{}{}
				<-release
				return b
			})
		}, netreactor.Business(1))
		p, q := connect(t, server), connect(t, server)
		p.send("running", "queued", "too")
		<-started
		q.send("waits")
		until(t, "the other one is read", func() bool { return server.Stats().FramesIn == 4 })
		done := make(chan netreactor.ShutdownReport, 1)
		go func() {
			r, err := server.Shutdown(context.Background())
			assert.NoError(t, err)
			done <- r
		}()
		until(t, "it does not accept", func() bool {
			conn, err := net.Dial("tcp", server.Addr().String())
			if err == nil {
				conn.Close()
			}
			return err != nil
		})
		assert.Empty(t, done)
		close(release)
		assert.Equal(t, []string{"running", "queued", "too"}, []string{p.receive(), p.receive(), p.receive()})
		assert.Equal(t, "waits", q.receive())
		p.ended()
		q.ended()
		p.Close()
		q.Close()
		report := take(t, done)
		assert.Zero(t, report.Cut)
		assert.Zero(t, report.Unanswered)
		assert.GreaterOrEqual(t, report.Drained, 2, "and those that asked whether it accepts")
	})
}

func TestShutdownCuts(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 10)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound().FlatMap(func([]byte) mono.Mono[[]byte] { return mono.Never[[]byte]() })
		})
		p := connect(t, server)
		p.send("a", "b")
		c := take(t, conns)
		until(t, "both are there", func() bool { return server.Stats().Outstanding == 2 })
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		report, err := server.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, netreactor.ShutdownReport{Cut: 1, Unanswered: 2}, report)
		assert.Equal(t, netreactor.ReasonCut, reasonOf(c))
		_, err = p.next()
		assert.Error(t, err)
	})
}

func TestTheEndOfTheContextShutsDown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := netreactor.Bind(ctx, "127.0.0.1:0", frames, echoBytes, quiet)
	require.NoError(t, err)
	p := connect(t, server)
	p.send("x")
	p.receive()
	cancel()
	p.ended()
	p.Close()
	<-server.Stopped()
}

// A context that has ended already ends the server as soon as it is bound.
func TestAServerOfAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		server, err := netreactor.Bind(ctx, "127.0.0.1:0", lines,
			func(c *netreactor.Conn[string, string]) flux.Flux[string] { return c.Inbound() }, quiet)
		require.NoError(t, err)
		<-server.Stopped()
	}
}

// TestStressShutdown: what was accepted is answered, or reported as cut. With REACTOR_STRESS
// there are 1,000 shutdowns in all, which is minutes.
func TestStressShutdown(t *testing.T) {
	rounds := 2
	if os.Getenv("REACTOR_STRESS") != "" {
		rounds = 1 + 1000/len(variants())
	}
	everywhere(t, func(t *testing.T, bind binder) {
		for round := range rounds {
			var taken atomic.Int64
			server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().DoOnNext(func([]byte) { taken.Add(1) })
			}, netreactor.Business(2*(round%2)))
			var answered atomic.Int64
			var all sync.WaitGroup
			for range 8 {
				p := connect(t, server)
				all.Go(func() {
					for {
						if _, err := p.next(); err != nil {
							p.Close()
							return
						}
						answered.Add(1)
					}
				})
				all.Go(func() {
					message := framed("one", "two", "three")
					for {
						if _, err := p.Write(message); err != nil {
							return
						}
					}
				})
			}
			until(t, "load", func() bool { return answered.Load() > 100 && server.Stats().Connections == 8 })
			report, err := server.Shutdown(t.Context())
			require.NoError(t, err)
			all.Wait()
			assert.Equal(t, netreactor.ShutdownReport{Drained: 8}, report)
			assert.Equal(t, taken.Load(), answered.Load(), "each one that was taken is answered")
		}
	})
}

func TestTimeouts(t *testing.T) {
	const d = 60 * time.Millisecond
	everywhere(t, func(t *testing.T, bind binder) {
		for _, c := range []struct {
			name string
			opt  netreactor.BindOption
			do   func(p *peer)
			want netreactor.Reason
			echo bool
		}{
			{"first frame", netreactor.FirstFrameTimeout(d), func(p *peer) { p.Write([]byte{0, 0}) }, netreactor.ReasonFirstFrameTimeout, true},
			{"idle", netreactor.IdleTimeout(d), func(p *peer) { p.send("x"); p.receive() }, netreactor.ReasonIdleTimeout, true},
			{"read", netreactor.ReadTimeout(d), func(p *peer) { p.send("x"); p.receive(); p.Write([]byte{0, 0, 0, 9, 'x'}) }, netreactor.ReasonReadTimeout, true},
			{"paused", netreactor.PausedTimeout(d), func(p *peer) { p.send("x") }, netreactor.ReasonPausedTimeout, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				conns := make(chan *bytesConn, 1)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					if c.echo {
						return conn.Inbound()
					}
					return flux.Never[[]byte]()
				}, c.opt)
				p := connect(t, server)
				begun := time.Now()
				c.do(p)
				p.ended()
				assert.GreaterOrEqual(t, time.Since(begun), d)
				conn := <-conns
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
				assert.True(t, reasonOf(conn).Timeout())
			})
		}
	})
}

func TestWriteTimeout(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
			conns <- conn
			return flux.Range(0, 1<<30).Map(func(int) []byte { return make([]byte, 1000) })
		}, netreactor.WriteTimeout(60*time.Millisecond), netreactor.SocketBuffers(0, 32<<10))
		p := connect(t, server)
		p.SetReadBuffer(32 << 10)
		conn := take(t, conns)
		<-conn.Context().Done()
		assert.Equal(t, netreactor.ReasonWriteTimeout, reasonOf(conn))
	})
}

func TestActiveConnectionsDoNotTimeOut(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		const d = 100 * time.Millisecond
		server := bind(echoBytes, netreactor.FirstFrameTimeout(d), netreactor.IdleTimeout(d), netreactor.ReadTimeout(d), netreactor.WriteTimeout(d), netreactor.PausedTimeout(d))
		p := connect(t, server)
		for end := time.Now().Add(4 * d); time.Now().Before(end); pause() {
			p.send("x")
			p.receive()
		}
	})
}

// TestOutstandingLimit: with a limit of 2, each of 5 connections still has one.
func TestOutstandingLimit(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		var mu sync.Mutex
		var open []chan []byte
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().FlatMapSequential(func(b []byte) flux.Flux[[]byte] {
				answer := make(chan []byte, 1)
				mu.Lock()
				open = append(open, answer)
				mu.Unlock()
				return flux.FromChan(answer).Take(1)
			})
		}, netreactor.OutstandingLimit(2))
		var peers []*peer
		for range 5 {
			p := connect(t, server)
			p.send("1", "2", "3")
			peers = append(peers, p)
		}
		taken := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(open)
		}
		until(t, "each has one", func() bool { return taken() >= 5 })
		pause()
		assert.LessOrEqual(t, taken(), 6, "one for each, and up to the limit for the first")
		for i := range 15 {
			until(t, "goes on", func() bool { return taken() > i })
			mu.Lock()
			answer := open[i]
			mu.Unlock()
			answer <- []byte("done")
		}
		for _, p := range peers {
			for range 3 {
				assert.Equal(t, "done", p.receive())
			}
		}
		until(t, "all counted", func() bool { return server.Stats().Outstanding == 0 })
	})
}

func TestCancel(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		for _, closes := range []bool{false, true} {
			conns := make(chan *bytesConn, 1)
			opts := []netreactor.BindOption{netreactor.FirstFrameTimeout(0)}
			if closes {
				opts = append(opts, netreactor.CancelCloses())
			}
			server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
				conns <- c
				return flux.Never[[]byte]()
			}, opts...)
			p := connect(t, server)
			c := take(t, conns)
			s := newProbe()
			c.Inbound().Subscribe(t.Context(), s)
			up := take(t, s.up)
			up.Request(1)
			p.send("a")
			take(t, s.items)
			up.Cancel()
			if closes {
				p.ended()
				<-c.Context().Done()
				assert.Equal(t, netreactor.ReasonCancelled, reasonOf(c))
			} else {
				for range 100 {
					p.send(strings.Repeat("ignored", 10_000))
				}
				require.NoError(t, c.Send([]byte("still here")))
				assert.Equal(t, "still here", p.receive())
			}
			assert.Empty(t, s.items)
			assert.Empty(t, s.end)
			server.Close()
		}
	})
}

func TestSend(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.WaterMarks(1<<10, 64<<10), netreactor.SocketBuffers(0, 16<<10), netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		p.SetReadBuffer(16 << 10)
		c := take(t, conns)
		sent := 0
		for ; ; sent++ {
			if err := c.Send(make([]byte, 1000)); err != nil {
				require.ErrorIs(t, err, netreactor.ErrFull)
				break
			}
		}
		assert.LessOrEqual(t, c.Stats().Unsent, int64(64<<10+1004))
		c.Close()
		for range sent {
			require.Len(t, p.receive(), 1000)
		}
		p.ended()
		<-c.Context().Done()
		assert.Equal(t, netreactor.ReasonClosed, reasonOf(c))
		assert.ErrorIs(t, c.Send(nil), netreactor.ErrClosed)
	})
}

func TestSendFromManyGoroutines(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		c := take(t, conns)
		const senders = 8
		each := racetest.Steps(2000)
		for i := range senders {
			go func() {
				for n := 0; n < each; {
					if c.Send(fmt.Appendf(nil, "%d %d", i, n)) == nil {
						n++
					} else {
						runtime.Gosched()
					}
				}
			}()
		}
		var next [senders]int
		for range senders * each {
			var i, n int
			_, err := fmt.Sscanf(p.receive(), "%d %d", &i, &n)
			require.NoError(t, err)
			require.Equal(t, next[i], n, "in order")
			next[i]++
		}
	})
}

// TestStorm opens and closes connections in every way there is, while others ask who they are:
// nothing gets to the wrong one although descriptors are used again and again.
func TestStorm(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes, netreactor.Selectors(2))
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range racetest.Steps(400) {
					conn, err := net.Dial("tcp", server.Addr().String())
					if !assert.NoError(t, err) {
						return
					}
					conn.SetDeadline(time.Now().Add(patience))
					tcp := conn.(*net.TCPConn)
					p := &peer{t, tcp, bufioReader(conn)}
					switch (i + g) % 5 {
					case 0:
						tcp.SetLinger(0) // a reset, with something half-written
						conn.Write(framed("lost")[:6])
					case 1:
						tcp.CloseWrite()
						p.ended()
					case 2:
						conn.Write(framed("a", "b"))
					default:
						me := fmt.Sprint(g, i)
						conn.Write(framed(me, me+me))
						for _, want := range []string{me, me + me} {
							got, err := p.next()
							assert.NoError(t, err)
							assert.Equal(t, want, got)
						}
					}
					conn.Close()
				}
			})
		}
		all.Wait()
		until(t, "none is left", func() bool { return server.Stats().Connections == 0 })
	})
}

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

func TestReusePort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel deals connections on Linux alone")
	}
	for _, v := range variants() {
		opts := append(v.opts, netreactor.ReusePort(), netreactor.MaxPerClient(0), quiet)
		one, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, opts...)
		require.NoError(t, err)
		two, err := netreactor.Bind(t.Context(), one.Addr().String(), lines, echo, opts...)
		require.NoError(t, err)
		for i := 0; one.Stats().Acceptor.Accepted == 0 || two.Stats().Acceptor.Accepted == 0; i++ {
			require.Less(t, i, 1000)
			c, err := net.Dial("tcp", one.Addr().String())
			require.NoError(t, err)
			c.Write([]byte("x\n"))
			io.ReadFull(c, make([]byte, 2))
			c.Close()
		}
		one.Close()
		two.Close()
	}
}

func TestBadOptions(t *testing.T) {
	for want, opt := range map[string]netreactor.BindOption{
		"Selectors: at least 1 required but it was 0":                       netreactor.Selectors(0),
		"Workers: at least 0 required but it was -1":                        netreactor.Workers(-1),
		"Business: at least 0":                                              netreactor.Business(-1),
		"BusinessOn: the scheduler is nil":                                  netreactor.BusinessOn(nil),
		"MaxConns: at least 0":                                              netreactor.MaxConns(-1),
		"MaxPerClient: at least 0":                                          netreactor.MaxPerClient(-1),
		"OutstandingLimit: at least 0":                                      netreactor.OutstandingLimit(-1),
		"ReadChunk: at least 512 required but it was 5":                     netreactor.ReadChunk(5),
		"MaxFrame: at least 1":                                              netreactor.MaxFrame(0),
		"WaterMarks: 1 ≤ low ≤ high required but they were 3 and 2":         netreactor.WaterMarks(3, 2),
		"IdleTimeout: at least 0s required but it was -1s":                  netreactor.IdleTimeout(-time.Second),
		"ReadTimeout: at least":                                             netreactor.ReadTimeout(-1),
		"WriteTimeout: at least":                                            netreactor.WriteTimeout(-1),
		"PausedTimeout: at least":                                           netreactor.PausedTimeout(-1),
		"FirstFrameTimeout: at least":                                       netreactor.FirstFrameTimeout(-1),
		"ShutdownTimeout: at least":                                         netreactor.ShutdownTimeout(-1),
		"KeepAlive: at least":                                               netreactor.KeepAlive(-1),
		"SocketBuffers: sizes ≥ 0 required but they were -1 and 0":          netreactor.SocketBuffers(-1, 0),
		"WithTLS: the config is nil":                                        netreactor.WithTLS(nil),
		"WithLogger: the logger is nil":                                     netreactor.WithLogger(nil),
		`Network: unknown network "udp", it may be tcp, tcp4, tcp6 or unix`: netreactor.Network("udp"),
		"UseEngine: unknown engine 9":                                       netreactor.UseEngine(9),
		"an option is nil":                                                  nil,
	} {
		_, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, opt)
		require.ErrorIs(t, err, reactor.ErrIllegalArgument, want)
		assert.ErrorContains(t, err, "netreactor: ")
		assert.ErrorContains(t, err, want)
	}
	_, err := netreactor.Dial(t.Context(), "127.0.0.1:1", lines, nil)
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	_, err = netreactor.BindListener(t.Context(), nil, lines, echo)
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.PanicsWithValue(t, "netreactor: Bind: the codec is nil", func() { netreactor.Bind(t.Context(), "", nil, echo) })

	one, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet)
	require.NoError(t, err)
	defer one.Close()
	_, err = netreactor.Bind(t.Context(), one.Addr().String(), lines, echo, quiet)
	assert.ErrorContains(t, err, "address already in use")
	_, err = netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet, netreactor.UseEngine(netreactor.Epoll), netreactor.WithTLS(&tls.Config{}))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
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
		}, quiet, netreactor.FirstFrameTimeout(100*time.Millisecond), netreactor.WithTLS(&tls.Config{
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
	plain := connect(t, server) // says nothing
	plain.ended()
	plain = connect(t, server)
	plain.Write([]byte(strings.Repeat("not TLS ", 10)))
	io.Copy(io.Discard, plain)
	until(t, "handshakes have failed", func() bool {
		closed := server.Stats().Closed
		return closed[netreactor.ReasonHandshakeFailed]+closed[netreactor.ReasonFirstFrameTimeout] == 3
	})
}

func TestStatsAndReasons(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		p.send("abc", "d")
		p.receive()
		p.receive()
		until(t, "counted", func() bool { st := server.Stats(); return st.FramesIn == 2 && st.FramesOut == 2 && st.BytesOut == 12 })
		st := server.Stats()
		assert.Equal(t, uint64(2), st.FramesIn)
		assert.Equal(t, uint64(12), st.BytesIn)
		assert.Equal(t, uint64(12), st.BytesOut)
		assert.Equal(t, server.Engine(), st.Engine)
		list := server.Connections()
		require.Len(t, list, 1)
		assert.Equal(t, p.LocalAddr().String(), list[0].RemoteAddr.String())
		p.Close()
	})
	for r := range netreactor.ReasonCut + 1 {
		assert.NotContains(t, r.String(), "reason ")
	}
	assert.Equal(t, "reason 99", netreactor.Reason(99).String())
}
