package netreactor_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
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
		until(t, "it does not accept", func() bool { return netreactor.Draining(server) })
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
		assert.Equal(t, 2, report.Drained)
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
	inTurn(t, func(t *testing.T, bind binder) {
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

// TestACutOfTLS: the client can tell what was cut from what was complete.
func TestACutOfTLS(t *testing.T) {
	cert, pool := certificate(t)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, func(*netreactor.Conn[string, string]) flux.Flux[string] {
		return flux.Just("abc").ConcatWith(flux.Never[string]())
	}, quiet, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	conn := tls.Client(connect(t, server).TCPConn, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
	got := make([]byte, 4)
	_, err = io.ReadFull(conn, got)
	require.NoError(t, err)
	require.NoError(t, server.Close())
	_, err = conn.Read(got)
	assert.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF)
}

// TestShutdownAgain: it says the same each time.
func TestShutdownAgain(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return flux.Never[[]byte]()
		})
		connect(t, server)
		until(t, "a connection", func() bool { return server.Stats().Connections == 1 })
		why := errors.New("no time")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		for range 100 {
			report, err := server.Shutdown(ctx)
			assert.Equal(t, 1, report.Cut)
			require.ErrorIs(t, err, why)
		}
	})
}

// TestEndsWithinAHandler: a handler that ends its server can't wait until it has ended itself.
func TestEndsWithinAHandler(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *netreactor.Server){
		"close": func(t *testing.T, s *netreactor.Server) { assert.NoError(t, s.Close()) },
		"shutdown": func(t *testing.T, s *netreactor.Server) {
			_, err := s.Shutdown(context.Background())
			assert.ErrorIs(t, err, reactor.ErrIllegalState)
		},
		"shutdown, for a while": func(t *testing.T, s *netreactor.Server) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			context.AfterFunc(ctx, cancel)
			_, err := s.Shutdown(ctx)
			assert.ErrorIs(t, err, reactor.ErrIllegalState)
		},
	} {
		for _, business := range []int{0, 2} {
			for _, stuck := range []bool{false, true} {
				if stuck && name == "shutdown" {
					continue // it has patience
				}
				t.Run(fmt.Sprint(name, ", business ", business, ", stuck ", stuck), func(t *testing.T) {
					everywhere(t, func(t *testing.T, bind binder) {
						servers := make(chan *netreactor.Server, 1)
						returned := make(chan struct{})
						server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
							return c.Inbound().FlatMap(func(m []byte) mono.Mono[[]byte] {
								end(t, <-servers)
								close(returned)
								if stuck {
									return mono.Never[[]byte]()
								}
								return mono.Just(m)
							})
						}, netreactor.Business(business))
						servers <- server
						p := connect(t, server)
						p.send("x")
						take(t, returned)
						if name == "shutdown" {
							assert.Equal(t, "x", p.receive(), "it has patience")
							p.ended()
							p.Close()
						}
						take(t, server.Stopped())
						report, _ := server.Shutdown(context.Background())
						assert.Equal(t, 1, report.Cut+report.Drained)
						if stuck {
							assert.Equal(t, 1, report.Cut)
						}
					})
				})
			}
		}
	}
}

// TestEndsWithinAHandlerOfAnother: a handler may wait for the end of another server.
func TestEndsWithinAHandlerOfAnother(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		other := bind(echoBytes)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnNext(func([]byte) {
				_, err := other.Shutdown(context.Background())
				assert.NoError(t, err)
				take(t, other.Stopped())
			})
		})
		p := connect(t, server)
		p.send("x")
		assert.Equal(t, "x", p.receive())
	})
}

// TestStoppedWaitsForBusiness: no handler runs when the server has stopped.
func TestStoppedWaitsForBusiness(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		began, release := make(chan struct{}), make(chan struct{})
		var running atomic.Bool
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().Map(func(m []byte) []byte {
				running.Store(true)
				defer running.Store(false)
				close(began)
				<-release
				return m
			})
		}, netreactor.Business(2))
		p := connect(t, server)
		p.send("x")
		take(t, began)
		ended := make(chan error)
		go func() { ended <- server.Close() }()
		until(t, "it is cut", func() bool { return server.Stats().Closed[netreactor.ReasonCut] == 1 })
		pause()
		select {
		case <-server.Stopped():
			assert.Fail(t, "a handler runs")
		default:
		}
		close(release)
		assert.NoError(t, take(t, ended))
		assert.False(t, running.Load())
	})
}

// stubborn is a connection whose Write ends when it is let, whatever becomes of the connection.
type stubborn struct {
	net.Conn
	let chan struct{}
}

func (s *stubborn) Write(b []byte) (int, error) {
	<-s.let
	return 0, net.ErrClosed
}

// TestAShutdownWaitsForWhoWrites: no goroutine is left when it returns, also where closing a connection does not free one.
func TestAShutdownWaitsForWhoWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &handing{conns: make(chan net.Conn), closed: make(chan struct{})}
		server, err := netreactor.BindListener(t.Context(), listener, frames, func(*bytesConn) flux.Flux[[]byte] {
			return flux.Just([]byte("x"))
		}, quiet)
		require.NoError(t, err)
		there, here := net.Pipe()
		defer there.Close()
		conn := &stubborn{here, make(chan struct{})}
		listener.conns <- conn
		synctest.Wait()
		go server.Close()
		synctest.Wait()
		select {
		case <-server.Stopped():
			assert.Fail(t, "it has stopped though somebody still writes")
		default:
		}
		close(conn.let)
		<-server.Stopped()
		assert.EqualValues(t, 1, server.Stats().Closed[netreactor.ReasonCut])
	})
}

// TestAShutdownThatCutsNothing has not failed, also where it had no time.
func TestAShutdownThatCutsNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		report, err := server.Shutdown(ctx)
		assert.NoError(t, err)
		assert.Zero(t, report)
	})
}
