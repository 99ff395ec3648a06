package netreactor_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
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

// What section by section holds for both drivers.

func TestFramesComeBackHoweverTheyAreCut(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		random := rand.New(rand.NewPCG(1, 2))
		for round := range racetest.Steps(40) {
			p := connect(t, server)
			var want []string
			for range 1 + random.IntN(40) {
				size := random.IntN(50)
				if random.IntN(10) == 0 {
					size = random.IntN(200_000)
				}
				want = append(want, strings.Repeat(string(rune('a'+random.IntN(26))), size))
			}
			go func() {
				cut := rand.New(rand.NewPCG(uint64(round), 3))
				for b := framed(want...); len(b) > 0; {
					n := min(len(b), 1+cut.IntN(1<<cut.IntN(17)))
					if _, err := p.Write(b[:n]); err != nil {
						return
					}
					b = b[n:]
				}
				p.CloseWrite()
			}()
			for _, m := range want {
				require.Equal(t, len(m), len(p.receive()))
			}
			p.ended()
		}
	})
}

func TestAByteAtATime(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		for _, b := range framed("dribble", "", "on") {
			_, err := p.Write([]byte{b})
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"dribble", "", "on"}, []string{p.receive(), p.receive(), p.receive()})
	})
}

func TestFINWhilePaused(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		c := take(t, conns)
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		p.send("a", "b")
		p.CloseWrite()
		pause()
		assert.Empty(t, s.end)
		up.Request(1)
		assert.Equal(t, "a", take(t, s.items))
		pause()
		assert.Empty(t, s.end, "something is left")
		up.Request(1)
		assert.Equal(t, "b", take(t, s.items))
		until(t, "the end needs no demand, or one read more", func() bool {
			if len(s.end) == 1 {
				return true
			}
			up.Request(1)
			return false
		})
		assert.NoError(t, <-s.end)
		c.Close()
		p.ended()
	})
}

func TestRSTWhilePaused(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		c := take(t, conns)
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		p.SetLinger(0)
		p.Close()
		pause()
		up.Request(1)
		var closed *netreactor.CloseError
		require.ErrorAs(t, take(t, s.end), &closed)
		assert.Equal(t, netreactor.ReasonPeerReset, closed.Reason)
		<-c.Context().Done()
	})
}

func TestHalfClose(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		var want []string
		for i := range 1000 {
			want = append(want, strings.Repeat("m", i%70))
		}
		p.send(want...)
		p.CloseWrite()
		for _, m := range want {
			require.Equal(t, m, p.receive())
		}
		p.ended()
		until(t, "closed", func() bool { return server.Stats().Connections == 0 })
		assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonPeerClosed: 1}, server.Stats().Closed)
	})
}

func TestConnectionsAreDealtInTurn(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes, netreactor.Selectors(3))
		for range 31 {
			p := connect(t, server)
			p.send("x")
			p.receive()
		}
		st := server.Stats()
		require.Len(t, st.Selectors, 3)
		for _, s := range st.Selectors {
			assert.InDelta(t, 10, s.Connections, 1)
		}
		assert.Equal(t, 31, st.Connections)
		assert.Equal(t, uint64(31), st.Acceptor.Accepted)
	})
}

func TestLimitsAreExact(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		for _, opt := range []netreactor.BindOption{netreactor.MaxPerClient(5), netreactor.MaxConns(5)} {
			server := bind(echoBytes, opt)
			var mu sync.Mutex
			served := 0
			var all sync.WaitGroup
			var peers []*peer
			for range 30 {
				all.Go(func() {
					conn, err := net.Dial("tcp", server.Addr().String())
					if err != nil {
						return // reset already
					}
					conn.SetDeadline(time.Now().Add(patience))
					p := &peer{t, conn.(*net.TCPConn), bufio.NewReader(conn)}
					mu.Lock()
					peers = append(peers, p)
					mu.Unlock()
					p.Write(framed("hi"))
					if m, err := p.next(); err == nil && m == "hi" {
						mu.Lock()
						served++
						mu.Unlock()
					}
				})
			}
			all.Wait()
			assert.Equal(t, 5, served)
			st := server.Stats()
			assert.Equal(t, uint64(25), st.Acceptor.RejectedAll+st.Acceptor.RejectedIP)
			assert.Equal(t, 5, st.Connections)
			for _, p := range peers {
				p.Close()
			}
			until(t, "places are free again", func() bool { return server.Stats().Connections == 0 })
			p := connect(t, server)
			p.send("again")
			assert.Equal(t, "again", p.receive())
		}
	})
}

func TestASlowHandlerHoldsUpNobodyElse(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		for _, opts := range [][]netreactor.BindOption{{netreactor.Workers(4)}, {netreactor.Workers(0), netreactor.Business(4)}} {
			release, blocked := make(chan struct{}), make(chan struct{}, 3)
			server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func(b []byte) []byte {
					if string(b) == "block" {
						blocked <- struct{}{}
						<-release
					}
					return b
				})
			}, opts...)
			var slow []*peer
			for range 3 {
				p := connect(t, server)
				p.send("block")
				<-blocked
				slow = append(slow, p)
			}
			for range 15 {
				p := connect(t, server)
				p.send("quick")
				assert.Equal(t, "quick", p.receive())
			}
			close(release)
			for _, p := range slow {
				assert.Equal(t, "block", p.receive())
			}
			server.Close()
		}
	})
}

func TestBadLengths(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  []byte
		finish bool
		want   netreactor.Reason
	}{
		"negative":         {[]byte{0xff, 0xff, 0xff, 0xff}, false, netreactor.ReasonMalformed},
		"too large":        {[]byte{0, 0x10, 0, 0}, false, netreactor.ReasonTooLarge},
		"truncated":        {framed("abc")[:5], true, netreactor.ReasonTruncated},
		"truncated length": {[]byte{0, 0}, true, netreactor.ReasonTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				got := make(chan error, 1)
				conns := make(chan *bytesConn, 1)
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					conns <- c
					return c.Inbound().DoOnError(func(err error) { got <- err })
				})
				p := connect(t, server)
				p.send("fine")
				assert.Equal(t, "fine", p.receive())
				_, err := p.Write(c.bytes)
				require.NoError(t, err)
				if c.finish {
					p.CloseWrite()
				}
				p.ended()
				var closed *netreactor.CloseError
				require.ErrorAs(t, take(t, got), &closed)
				assert.Equal(t, c.want, closed.Reason, "%v", closed)
				if c.want == netreactor.ReasonTruncated {
					assert.ErrorIs(t, closed, io.ErrUnexpectedEOF)
				}
				conn := <-conns
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
			})
		})
	}
}

func TestAPeerThatDoesNotRead(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		const high = 128 << 10
		conns := make(chan *bytesConn, 1)
		message := []byte(strings.Repeat("y", 1000))
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return flux.Range(0, 1_000_000_000).Map(func(int) []byte { return message })
		}, netreactor.WaterMarks(high/2, high), netreactor.SocketBuffers(0, 64<<10))
		p := connect(t, server)
		p.SetReadBuffer(64 << 10)
		c := take(t, conns)
		most, last := int64(0), uint64(0)
		for still := 0; still < 50; still++ {
			st := c.Stats()
			most = max(most, st.Unsent)
			if st.BytesOut != last {
				still, last = 0, st.BytesOut
			}
			pause()
		}
		assert.LessOrEqual(t, most, int64(high+1004), "within the high-water mark")
		assert.Positive(t, most)
		for range 20_000 { // it goes on
			require.Len(t, p.receive(), len(message))
		}
		p.Close()
		<-c.Context().Done()
	})
}

func TestInboundHasOneSubscriber(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		second := make(chan error, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			first := c.Inbound()
			return first.DoOnSubscribe(func(reactor.Subscription) {
				//reactorvet:ignore the second is refused at once
				_, err := c.Inbound().Next().Block(t.Context())
				second <- err
			})
		})
		p := connect(t, server)
		p.send("x")
		assert.Equal(t, "x", p.receive())
		assert.ErrorIs(t, take(t, second), reactor.ErrIllegalState)
	})
}

func TestTheEndOfTheHandler(t *testing.T) {
	boom := errors.New("boom")
	everywhere(t, func(t *testing.T, bind binder) {
		for name, c := range map[string]struct {
			handler func(*bytesConn) reactor.Publisher[[]byte]
			answer  bool
			want    netreactor.Reason
			err     error
		}{
			"completes":     {func(c *bytesConn) reactor.Publisher[[]byte] { return c.Inbound().Take(1) }, true, netreactor.ReasonHandlerDone, nil},
			"is a mono":     {func(c *bytesConn) reactor.Publisher[[]byte] { return c.Inbound().Next() }, true, netreactor.ReasonHandlerDone, nil},
			"nothing to do": {func(c *bytesConn) reactor.Publisher[[]byte] { return mono.Empty[[]byte]() }, false, netreactor.ReasonHandlerDone, nil},
			"fails": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Take(1).ConcatWith(flux.Error[[]byte](boom))
			}, true, netreactor.ReasonHandlerFailed, boom},
			"panics in the stream": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func([]byte) []byte { panic(boom) })
			}, false, netreactor.ReasonHandlerFailed, boom},
			"panics":             {func(c *bytesConn) reactor.Publisher[[]byte] { panic(boom) }, false, netreactor.ReasonHandlerFailed, boom},
			"returns nil":        {func(c *bytesConn) reactor.Publisher[[]byte] { return nil }, false, netreactor.ReasonHandlerFailed, nil},
			"ends its goroutine": {func(c *bytesConn) reactor.Publisher[[]byte] { runtime.Goexit(); return nil }, false, netreactor.ReasonHandlerFailed, reactor.ErrGoexit},
			"ends its goroutine in the stream": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func([]byte) []byte { runtime.Goexit(); return nil })
			}, false, netreactor.ReasonHandlerFailed, reactor.ErrGoexit},
		} {
			t.Run(name, func(t *testing.T) {
				conns := make(chan *bytesConn, 10)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					return c.handler(conn)
				})
				p := connect(t, server)
				p.Write(framed("x"))
				if c.answer {
					assert.Equal(t, "x", p.receive())
				}
				p.ended()
				conn := take(t, conns)
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
				if c.err != nil {
					assert.ErrorIs(t, conn.Send(nil), c.err)
				}
				assert.ErrorIs(t, conn.Send(nil), netreactor.ErrClosed)

				p = connect(t, server) // others are served
				p.Write(framed("x"))
				if c.answer {
					assert.Equal(t, "x", p.receive())
				}
			})
		}
	})
}

// TestWritingWhileReading: the reader waits for bytes while more is to be written than the
// socket takes at once.
func TestWritingWhileReading(t *testing.T) {
	cert, pool := certificate(t)
	both := func(c *bytesConn) reactor.Publisher[[]byte] {
		go c.Inbound().OnErrorComplete().SubscribeFunc(c.Context(), func([]byte) {}) // it is asked for all there is
		return flux.Range(0, 2000).Map(func(i int) []byte { return make([]byte, 1000) }).ConcatWith(flux.Never[[]byte]())
	}
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(both, netreactor.SocketBuffers(0, 16<<10), netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		for range 2000 {
			require.Len(t, p.receive(), 1000)
		}
	})
	t.Run("tls", func(t *testing.T) {
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, both, quiet, netreactor.FirstFrameTimeout(0),
			netreactor.SocketBuffers(0, 16<<10), netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
		require.NoError(t, err)
		defer server.Close()
		c, err := netreactor.Dial(t.Context(), server.Addr().String(), frames, netreactor.WithTLS(&tls.Config{RootCAs: pool}))
		require.NoError(t, err)
		defer c.Abort()
		n, err := c.Inbound().Take(2000).Count().Block(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2000, n)
	})
}

// TestOneAtATimeWithBusiness: demand comes from other goroutines while the reader waits.
func TestOneAtATimeWithBusiness(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes, netreactor.Business(2))
		p := connect(t, server)
		for i := range 500 {
			m := strings.Repeat("x", i)
			p.send(m)
			require.Equal(t, m, p.receive())
		}
	})
}

// TestARequestAtAnyTime asks for the next message when it has got one, from another goroutine:
// each request comes while the delivery before is ending.
func TestARequestAtAnyTime(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		c := take(t, conns)
		n := racetest.Steps(20_000)
		go func() {
			message := framed("m")
			for range n {
				if _, err := p.Write(message); err != nil {
					return
				}
			}
		}()
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		up.Request(1)
		for range n {
			take(t, s.items)
			up.Request(1)
		}
	})
}

// TestReadingGoesOn pauses and goes on, again and again.
func TestReadingGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		c := take(t, conns)
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		message := strings.Repeat("x", 10_000)
		for range 5 {
			for range 30 {
				p.send(message)
			}
			up.Request(1) // the first chunk
			take(t, s.items)
			until(t, "it pauses", func() bool { return c.Stats().Paused == 1 })
			up.Request(29)
			for range 29 {
				require.Equal(t, len(message), len(take(t, s.items)))
			}
			up.Request(1) // nothing is there now
			p.send("more")
			assert.Equal(t, "more", take(t, s.items))
		}
	})
}
