package netreactor_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor"
)

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

// TestMoreEventsThanAListTakes: a selector that was busy meanwhile finds all of them, also where
// looking again was in vain before.
func TestMoreEventsThanAListTakes(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
		blocked, release := make(chan struct{}), make(chan struct{})
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnNext(func(m []byte) {
				if string(m) == "block" {
					close(blocked)
					<-release
				}
			})
		}, netreactor.Selectors(1))
		one := connect(t, server)
		for range 20 {
			one.send("alone")
			one.receive()
		}
		var all []*peer
		for range 400 {
			p := connect(t, server)
			p.send("before")
			p.receive()
			all = append(all, p)
		}
		one.send("block")
		take(t, blocked)
		for _, p := range all {
			p.send("together")
		}
		close(release)
		assert.Equal(t, "block", one.receive())
		for _, p := range all {
			assert.Equal(t, "together", p.receive())
		}
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

// TestStorm opens and closes connections in every way there is, while others ask who they are:
// nothing gets to the wrong one although descriptors are used again and again.
func TestStorm(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
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
