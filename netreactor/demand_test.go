package netreactor_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor"
)

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

// TestARequestAtAnyTime asks for the next message when it has got one, from another goroutine:
// each request comes while the delivery before is ending.
func TestARequestAtAnyTime(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
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

// TestAResetThatNobodyReads ends the connection, unless something is left of what the peer has sent. The Net engine does not see it.
func TestAResetThatNobodyReads(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		for _, first := range []string{"nothing", "the end"} {
			t.Run(first, func(t *testing.T) {
				handler, conns := accepting()
				server := bind(handler, netreactor.FirstFrameTimeout(0))
				if server.Engine() == netreactor.Net {
					t.Skip("nobody looks")
				}
				p := connect(t, server)
				c := take(t, conns)
				if first == "the end" {
					p.Close() // what is sent to it is answered by a reset
					require.NoError(t, c.Send([]byte("x")))
				} else {
					p.SetLinger(0)
					p.Close()
				}
				take(t, c.Context().Done())
				assert.Equal(t, netreactor.ReasonPeerReset, reasonOf(c))
			})
		}
	})
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		c := take(t, conns)
		p.send("a")
		p.SetLinger(0)
		p.Close()
		pause()
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		take(t, s.up).Request(2)
		assert.Equal(t, "a", take(t, s.items))
		assert.Error(t, take(t, s.end))
		take(t, c.Context().Done())
		assert.Equal(t, netreactor.ReasonPeerReset, reasonOf(c))
	})
}

// TestWhatNobodyWantsIsNotTold: a peer that sends on costs a selector nothing as long as nobody asks.
func TestWhatNobodyWantsIsNotTold(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
		var others atomic.Bool
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			if others.Swap(true) {
				return c.Inbound()
			}
			return flux.Never[[]byte]()
		}, netreactor.Selectors(1))
		if server.Engine() != netreactor.Epoll {
			return
		}
		silent := connect(t, server)
		until(t, "the handler is called", others.Load)
		echo := connect(t, server)
		told := func(before func()) uint64 {
			events := server.Stats().Selectors[0].Events
			for range 50 {
				before()
				echo.send("x")
				echo.receive()
			}
			return server.Stats().Selectors[0].Events - events
		}
		silent.send("y")
		told(func() {}) // the selector has heard of that
		until(t, "a worker has seen that nobody wants it", func() bool {
			w := server.Stats().Workers
			return w.Busy == 0 && w.Queued == 0
		})
		alone := told(func() {})
		beside := told(func() { silent.send("z") })
		assert.LessOrEqual(t, beside, alone+10)
	})
}
