package netreactor_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"math"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

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

// TestAPlaceOfOneThatEnds: who waits longest has ended, the next one gets the place.
func TestAPlaceOfOneThatEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		type delivered struct {
			c       *bytesConn
			message string
		}
		messages := make(chan delivered, 10)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			c.Inbound().SubscribeFunc(context.Background(), func(m []byte) { messages <- delivered{c, string(m)} }, flux.OnError(func(error) {}))
			return flux.Never[[]byte]()
		}, netreactor.OutstandingLimit(2))
		a, b := connect(t, server), connect(t, server)
		a.send("a1")
		take(t, messages)
		b.send("b1")
		ends := take(t, messages).c // it waits from now on
		a.send("a2")                // so does this one, behind it
		until(t, "both wait", func() bool { return netreactor.Waiting(server) == 2 })
		assert.Empty(t, messages)
		ends.Abort()
		assert.Equal(t, "a2", take(t, messages).message)
	})
}

// TestPlacesAreNotLost: connections end while they wait for a place, or have been given one; each of the others has all of its messages
// answered.
func TestPlacesAreNotLost(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().FlatMapSequential(func(m []byte) mono.Mono[[]byte] {
				return mono.Just(m).PublishOn(schedulers.Parallel())
			})
		}, netreactor.OutstandingLimit(3))
		var all sync.WaitGroup
		for i := range 12 {
			p := connect(t, server)
			all.Go(func() {
				for range racetest.Steps(20) {
					if p.send("1", "2", "3", "4", "5"); i%2 == 0 {
						p.receive()
						p.SetLinger(0)
						p.Close()
						p = connect(t, server)
						continue
					}
					for _, want := range []string{"1", "2", "3", "4", "5"} {
						if !assert.Equal(t, want, p.receive()) {
							return
						}
					}
				}
				p.Close()
			})
		}
		all.Wait()
		until(t, "none is left", func() bool { return server.Stats().Connections == 0 })
		until(t, "all places are free", func() bool { return netreactor.Places(server) == 0 })
	})
}

// TestWhoEndsWaitsNoLonger: who has ended while it waited for a place is let go of, though none becomes free.
func TestWhoEndsWaitsNoLonger(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			c.Inbound().SubscribeFunc(context.Background(), func([]byte) {}, flux.OnError(func(error) {}))
			conns <- c
			return flux.Never[[]byte]()
		}, netreactor.OutstandingLimit(1))
		waits := func() *bytesConn {
			before := netreactor.Waiting(server)
			connect(t, server).send("1", "2")
			c := take(t, conns)
			until(t, "it waits", func() bool { return netreactor.Waiting(server) > before })
			return c
		}
		waits()
		waits()
		for range 10 {
			c := waits()
			c.Abort()
			<-c.Context().Done()
		}
		assert.LessOrEqual(t, netreactor.Waiting(server), 2*2)
		assert.EqualValues(t, 2, netreactor.Places(server))
	})
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
		"ReadChunk: at most":                                                netreactor.ReadChunk(math.MaxInt),
		"Selectors: at most":                                                netreactor.Selectors(math.MaxInt),
		"Workers: at most":                                                  netreactor.Workers(math.MaxInt),
		"Business: at most":                                                 netreactor.Business(math.MaxInt),
		"ReadTimeout: at least":                                             netreactor.ReadTimeout(-1),
		"WriteTimeout: at least":                                            netreactor.WriteTimeout(-1),
		"PausedTimeout: at least":                                           netreactor.PausedTimeout(-1),
		"FirstFrameTimeout: at least":                                       netreactor.FirstFrameTimeout(-1),
		"ShutdownTimeout: at least":                                         netreactor.ShutdownTimeout(-1),
		"KeepAlive: at least":                                               netreactor.KeepAlive(-1),
		"SocketBuffers: sizes ≥ 0 required but they were -1 and 0":          netreactor.SocketBuffers(-1, 0),
		"WithTLS: the config is nil":                                        netreactor.WithTLS(nil),
		"WithTLS: a server needs a certificate":                             netreactor.WithTLS(&tls.Config{}),
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
	_, err = netreactor.BindListener(t.Context(), nil, lines, echo, nil)
	assert.ErrorContains(t, err, "netreactor: BindListener: an option is nil")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	assert.PanicsWithValue(t, "netreactor: BindListener: the codec is nil", func() { netreactor.BindListener(t.Context(), listener, nil, echo) })
	assert.PanicsWithValue(t, "reactor: netreactor.Strings: the framing is nil", func() { netreactor.Strings(nil) })
	assert.PanicsWithValue(t, "reactor: netreactor.Bytes: the framing is nil", func() { netreactor.Bytes(nil) })
	assert.PanicsWithValue(t, "netreactor: Bind: the codec is nil", func() { netreactor.Bind(t.Context(), "", nil, echo) })

	one, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet)
	require.NoError(t, err)
	defer one.Close()
	_, err = netreactor.Bind(t.Context(), one.Addr().String(), lines, echo, quiet)
	assert.ErrorContains(t, err, "address already in use")
	cert, _ := certificate(t)
	_, err = netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet, netreactor.UseEngine(netreactor.Epoll), netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, err, "epoll can't do TLS")
}
