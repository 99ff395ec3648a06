package netreactor_test

import (
	"context"
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
)

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
			{"idle", netreactor.IdleTimeout(d), func(p *peer) { p.Write(framed("x")); p.next() }, netreactor.ReasonIdleTimeout, true},
			{"read", netreactor.ReadTimeout(d), func(p *peer) { p.send("x"); p.receive(); p.Write([]byte{0, 0, 0, 9, 'x'}) }, netreactor.ReasonReadTimeout, true},
			{"paused", netreactor.PausedTimeout(d), func(p *peer) { p.Write(framed("x")) }, netreactor.ReasonPausedTimeout, false},
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
				begun := time.Now()
				p := connect(t, server)
				c.do(p) // on a machine that stands still it may be over by then
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
		last := time.Now() // before the connection was active
		p := connect(t, server)
		for end := time.Now().Add(4 * d); time.Now().Before(end); pause() {
			now := time.Now()
			_, err := p.Write(framed("x"))
			if err == nil {
				_, err = p.next()
			}
			if err != nil {
				// On a machine that stood still the connection was not active either.
				require.GreaterOrEqual(t, time.Since(last), d/2, "closed although it was active: %v", err)
				return
			}
			last = now
		}
	})
}

// asking returns a handler that asks for all there is, into got, before it has paused at all, and sends nothing.
func asking() (handler func(*bytesConn) reactor.Publisher[[]byte], conns chan *bytesConn, got chan []byte) {
	conns, got = make(chan *bytesConn, 1), make(chan []byte, 10)
	return func(c *bytesConn) reactor.Publisher[[]byte] {
		c.Inbound().SubscribeFunc(context.Background(), func(m []byte) { got <- m }, flux.OnError(func(error) {}))
		conns <- c
		return flux.Never[[]byte]()
	}, conns, got
}

// TestNoPause: what is not read for another reason than that nobody asks for it is no pause.
func TestNoPause(t *testing.T) {
	const d = 60 * time.Millisecond
	t.Run("a shutdown", func(t *testing.T) {
		everywhere(t, func(t *testing.T, bind binder) {
			handler, conns, got := asking()
			server := bind(handler, netreactor.PausedTimeout(d))
			p := connect(t, server)
			p.send("x")
			c := take(t, conns)
			m := take(t, got)
			report := make(chan netreactor.ShutdownReport, 1)
			go func() {
				r, err := server.Shutdown(context.Background())
				assert.NoError(t, err)
				report <- r
			}()
			until(t, "it drains", func() bool { return netreactor.Draining(server) })
			time.Sleep(3 * d)
			assert.Zero(t, server.Stats().Paused)
			assert.NoError(t, c.Send(m))
			assert.Equal(t, "x", p.receive())
			p.ended()
			p.Close()
			assert.Zero(t, take(t, report).Cut)
			assert.Equal(t, netreactor.ReasonShutdown, reasonOf(c))
		})
	})
	t.Run("a limit", func(t *testing.T) {
		everywhere(t, func(t *testing.T, bind binder) {
			handler, conns, got := asking()
			server := bind(handler, netreactor.PausedTimeout(d), netreactor.OutstandingLimit(1))
			p := connect(t, server)
			p.send("a", "b")
			c := take(t, conns)
			m := take(t, got)
			time.Sleep(3 * d)
			assert.Zero(t, server.Stats().Paused)
			assert.NoError(t, c.Send(m))
			assert.Equal(t, "b", string(take(t, got)))
		})
	})
	t.Run("a handshake", func(t *testing.T) {
		cert, pool := certificate(t)
		handler, conns := accepting()
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, handler, quiet, netreactor.PausedTimeout(d),
			netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
		require.NoError(t, err)
		defer server.Close()
		p := connect(t, server)
		until(t, "accepted", func() bool { return server.Stats().Connections == 1 })
		assert.Zero(t, server.Stats().Paused)
		time.Sleep(3 * d)
		begun := time.Now()
		require.NoError(t, tls.Client(p, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}).Handshake())
		c := take(t, conns)
		<-c.Context().Done()
		assert.Equal(t, netreactor.ReasonPausedTimeout, reasonOf(c), "a handler that asks for nothing")
		assert.GreaterOrEqual(t, time.Since(begun), d)
	})
}

// TestNoTimeoutWhileAMessageIsHandled: a message that has come is none that takes too long, nor is its handler one that asks for nothing, as
// long as that works on it.
func TestNoTimeoutWhileAMessageIsHandled(t *testing.T) {
	const d = 60 * time.Millisecond
	for name, opt := range map[string]netreactor.BindOption{
		"first frame": netreactor.FirstFrameTimeout(d),
		"read":        netreactor.ReadTimeout(d),
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				// inTwoPieces reports whether the second one came too late, on a machine that stood still.
				inTwoPieces := func() (late bool) {
					came := make(chan time.Time, 2)
					server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
						return conn.Inbound().DoOnNext(func([]byte) {
							came <- time.Now()
							time.Sleep(3 * d)
						})
					}, opt)
					begun := time.Now()
					p := connect(t, server)
					message := framed("in two pieces")
					p.Write(message[:7])
					until(t, "the first one has come", func() bool { return server.Stats().BytesIn == 7 || time.Since(begun) > d })
					p.Write(message[7:])
					got, err := p.next()
					if err != nil && len(came) == 0 {
						require.GreaterOrEqual(t, time.Since(begun), d, "%v", err)
						return true
					}
					if at := take(t, came); err != nil && at.Sub(begun) >= d {
						return true
					}
					require.NoError(t, err)
					assert.Equal(t, "in two pieces", got)
					p.send("another one")
					assert.Equal(t, "another one", p.receive())
					return false
				}
				until(t, "they come in time", func() bool { return !inTwoPieces() })
			})
		})
	}
	t.Run("paused", func(t *testing.T) {
		everywhere(t, func(t *testing.T, bind binder) {
			handler, conns := accepting()
			server := bind(handler, netreactor.PausedTimeout(d))
			s := &busyProbe{probe: newProbe(), takes: 3 * d, done: time.Now()}
			connect(t, server).Write(framed("a", "b"))
			c := take(t, conns)
			c.Inbound().Subscribe(context.Background(), s)
			for _, want := range []string{"a", "b"} {
				paused := s.done // since then at most
				s.request(1)
				asked := time.Now()
				select {
				case got := <-s.items:
					assert.Equal(t, want, got)
				case err := <-s.end:
					// On a machine that stood still there was a pause.
					require.GreaterOrEqual(t, asked.Sub(paused), d, "%v", err)
					return
				}
			}
		})
	})
}

// TestAPauseEndsWithAMessage: a handler that asks for one message at a time, and gets it at once, is paused in between, not all the time.
func TestAPauseEndsWithAMessage(t *testing.T) {
	const d = 100 * time.Millisecond
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.PausedTimeout(d))
		messages := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
		last := time.Now() // before the pause that there is
		connect(t, server).Write(framed(messages...))
		c := take(t, conns)
		p := newProbe()
		c.Inbound().Subscribe(context.Background(), p)
		up := take(t, p.up)
		for _, want := range messages {
			time.Sleep(d / 4)
			asked := time.Now()
			up.Request(1)
			select {
			case got := <-p.items:
				require.Equal(t, want, got)
			case err := <-p.end:
				// On a machine that stood still there was a pause.
				require.GreaterOrEqual(t, time.Since(last), d, "%v", err)
				return
			}
			last = asked
		}
		err := take(t, p.end)
		assert.GreaterOrEqual(t, time.Since(last), d)
		assert.ErrorContains(t, err, "paused timeout")
	})
}

// busyProbe is a probe that works on each message for some time.
type busyProbe struct {
	*probe
	takes time.Duration
	done  time.Time // when it was done with the last one; whoever has got that may look
	up    reactor.Subscription
}

func (s *busyProbe) OnSubscribe(up reactor.Subscription) { s.up = up }

func (s *busyProbe) OnNext(b []byte) {
	time.Sleep(s.takes)
	s.done = time.Now()
	s.probe.OnNext(b)
}

func (s *busyProbe) request(n int64) { s.up.Request(n) }

// TestATimeoutDuringAShutdown: a connection that took too long while the server waited for it had something left to do.
func TestATimeoutDuringAShutdown(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().FlatMap(func([]byte) mono.Mono[[]byte] { return mono.Never[[]byte]() })
		}, netreactor.IdleTimeout(100*time.Millisecond))
		p := connect(t, server)
		p.send("a")
		until(t, "it is at work", func() bool { return server.Stats().FramesIn == 1 })
		report, err := server.Shutdown(t.Context())
		require.NoError(t, err)
		assert.Equal(t, netreactor.ShutdownReport{}, report)
		assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonIdleTimeout: 1}, server.Stats().Closed)
	})
}

// TestTimeoutsOfWhoDials: they hold for connections that were dialled, too.
func TestTimeoutsOfWhoDials(t *testing.T) {
	const d = 30 * time.Millisecond
	listens := func(c *bytesConn) { c.Inbound().SubscribeFunc(t.Context(), func([]byte) {}) }
	for name, c := range map[string]struct {
		opt  netreactor.DialOption
		here func(*bytesConn)
		peer func(net.Conn)
		want netreactor.Reason
	}{
		"idle": {netreactor.IdleTimeout(d), listens, func(net.Conn) {}, netreactor.ReasonIdleTimeout},
		"read": {netreactor.ReadTimeout(d), listens, func(p net.Conn) { p.Write(framed("message")[:5]) }, netreactor.ReasonReadTimeout},
		"write": {netreactor.WriteTimeout(d), func(c *bytesConn) {
			listens(c)
			assert.NoError(t, c.Send(make([]byte, 32<<20)))
		}, func(net.Conn) {}, netreactor.ReasonWriteTimeout},
		"paused": {netreactor.PausedTimeout(d), func(*bytesConn) {}, func(net.Conn) {}, netreactor.ReasonPausedTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			conn, err := netreactor.Dial(t.Context(), listener.Addr().String(), frames, c.opt, netreactor.SocketBuffers(0, 32<<10))
			require.NoError(t, err)
			p, err := listener.Accept()
			require.NoError(t, err)
			defer p.Close()
			c.here(conn)
			c.peer(p)
			take(t, conn.Context().Done())
			assert.Equal(t, c.want, reasonOf(conn))
		})
	}
}
