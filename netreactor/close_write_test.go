package netreactor_test

import (
	"bytes"
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

// summedUp answers with how many bytes have come, when the peer has said that this was all.
func summedUp(c *bytesConn) reactor.Publisher[[]byte] {
	return c.Inbound().Fold(0, func(n int, m []byte) int { return n + len(m) }).Map(func(n int) []byte {
		return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	})
}

// TestCloseWriteOfWhoDials: the peer hears that this was all when all has come, and answers.
func TestCloseWriteOfWhoDials(t *testing.T) {
	const size, n = 10_000, 300
	want := []byte{0, size * n >> 16, size * n >> 8 & 0xff, size * n & 0xff}
	cert, pool := certificate(t)
	test := func(t *testing.T, server *netreactor.Server, opts ...netreactor.DialOption) {
		dial := func() *bytesConn {
			c, err := netreactor.Dial(t.Context(), server.Addr().String(), frames, append(opts, quiet, netreactor.SocketBuffers(0, 16<<10))...)
			require.NoError(t, err)
			t.Cleanup(c.Abort)
			return c
		}
		answered := func(c *bytesConn) {
			all, err := c.Inbound().Collect(t.Context())
			require.NoError(t, err)
			assert.Equal(t, [][]byte{want}, all)
			take(t, c.Context().Done())
			assert.Equal(t, netreactor.ReasonPeerClosed, reasonOf(c))
		}
		c := dial()
		source := flux.Range(0, n).Map(func(int) []byte { return make([]byte, size) }).DoOnComplete(func() { assert.NoError(t, c.CloseWrite()) })
		require.NoError(t, c.SendAll(source))
		answered(c)

		c = dial()
		for range n {
			until(t, "there is room", func() bool { return c.Send(make([]byte, size)) == nil })
		}
		require.NoError(t, c.CloseWrite())
		require.NoError(t, c.CloseWrite(), "again")
		assert.ErrorIs(t, c.Send(nil), netreactor.ErrClosed)
		answered(c)
		assert.ErrorIs(t, c.CloseWrite(), netreactor.ErrClosed, "after the end")
	}
	everywhere(t, func(t *testing.T, bind binder) {
		test(t, bind(summedUp))
	})
	t.Run("TLS", func(t *testing.T) {
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, summedUp, quiet, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
		require.NoError(t, err)
		defer server.Close()
		test(t, server, netreactor.WithTLS(&tls.Config{RootCAs: pool}))
	})
}

// TestCloseWriteOfAServer: the peer goes on to send, and its end is the end.
func TestCloseWriteOfAServer(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		for _, subscribed := range []bool{false, true} {
			conns, got := make(chan *bytesConn, 1), make(chan string, 10)
			cancelled := make(chan struct{})
			server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
				conns <- c
				if subscribed {
					c.Inbound().SubscribeFunc(c.Context(), func(m []byte) { got <- string(m) })
				}
				return flux.Just([]byte("all")).ConcatWith(flux.Never[[]byte]()).DoOnCancel(func() { close(cancelled) })
			}, netreactor.FirstFrameTimeout(0))
			p := connect(t, server)
			require.Equal(t, "all", p.receive())
			c := take(t, conns)
			require.NoError(t, c.CloseWrite())
			p.ended()
			take(t, cancelled)
			assert.ErrorIs(t, c.Send(nil), netreactor.ErrClosed)
			assert.NoError(t, c.Context().Err())
			p.send("a", "b")
			if !subscribed {
				c.Inbound().SubscribeFunc(c.Context(), func(m []byte) { got <- string(m) })
			}
			assert.Equal(t, "a", take(t, got))
			assert.Equal(t, "b", take(t, got))
			p.CloseWrite()
			take(t, c.Context().Done())
			assert.Equal(t, netreactor.ReasonPeerClosed, reasonOf(c))
		}
	})
}

// TestCloseWriteRaces: whatever was accepted before is sent, and nothing else.
func TestCloseWriteRaces(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound()
		})
		for range 50 {
			p := connect(t, server)
			p.send("x")
			require.Equal(t, "x", p.receive())
			c := take(t, conns)
			sent := make(chan int)
			go func() {
				n := 0
				for {
					err := c.Send([]byte("y"))
					if err == nil {
						n++
					} else if !errors.Is(err, netreactor.ErrFull) {
						break
					}
				}
				sent <- n
			}()
			for range 3 {
				require.Equal(t, "y", p.receive())
			}
			require.NoError(t, c.CloseWrite())
			n := 3
			for ; ; n++ {
				m, err := p.next()
				if err != nil {
					require.ErrorIs(t, err, io.EOF)
					break
				}
				require.Equal(t, "y", m)
			}
			assert.Equal(t, take(t, sent), n, "what was accepted has come")
			p.Close()
			take(t, c.Context().Done())
			assert.Equal(t, netreactor.ReasonPeerClosed, reasonOf(c))
		}
	})
}

// TestCloseWriteOfAPipe: one that has no way to say so refuses, and goes on.
func TestCloseWriteOfAPipe(t *testing.T) {
	listener, conns := handOut(t)
	here, there := net.Pipe()
	defer here.Close()
	here.SetDeadline(time.Now().Add(patience))
	listener.conns <- there
	assert.ErrorIs(t, take(t, conns).CloseWrite(), errors.ErrUnsupported)
	_, err := here.Write(framed("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(here, make([]byte, 5))
	require.NoError(t, err)
}

// TestCloseWriteAndShutdown: who sends nothing more has nothing to answer.
func TestCloseWriteAndShutdown(t *testing.T) {
	for ending, end := range endings {
		t.Run(ending, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				got := make(chan *bytesConn, 1)
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					c.Inbound().SubscribeFunc(c.Context(), func([]byte) {
						assert.NoError(t, c.CloseWrite())
						got <- c
					})
					return flux.Never[[]byte]()
				})
				p := connect(t, server)
				p.send("x")
				p.ended()
				c := take(t, got)
				context.AfterFunc(c.Context(), func() { p.Close() }) // else its socket lingers
				report, err := end(server)
				require.NoError(t, err)
				assert.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
				assert.Equal(t, netreactor.ReasonShutdown, reasonOf(c))
			})
		})
	}
}

// TestCloseWriteAndTheLimit: what can't be answered any more does not count as unanswered.
func TestCloseWriteAndTheLimit(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		got := make(chan string, 10)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			c.Inbound().SubscribeFunc(c.Context(), func(m []byte) {
				switch string(m) {
				case "the last question":
					assert.NoError(t, c.CloseWrite())
				case "a question":
					assert.NoError(t, c.Send(m))
				}
				got <- string(m)
			}, flux.OnError(func(error) {}))
			return flux.Never[[]byte]()
		}, netreactor.OutstandingLimit(1))
		p := connect(t, server)
		p.send("the last question", "a", "b", "c")
		for _, want := range []string{"the last question", "a", "b", "c"} {
			assert.Equal(t, want, take(t, got))
		}
		assert.Zero(t, netreactor.Places(server))
		other := connect(t, server)
		other.send("a question", "a question")
		for range 2 {
			assert.Equal(t, "a question", other.receive())
		}
		other.SetLinger(0)
		other.Close()
		p.Close()
		until(t, "none is left", func() bool { return server.Stats().Connections == 0 })
		assert.Zero(t, netreactor.Places(server))
	})
}

// TestCloseWriteWhileAMessageIsEncoded: a message that it has overtaken is discarded, since it is not sent.
func TestCloseWriteWhileAMessageIsEncoded(t *testing.T) {
	handler, _ := accepting()
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, handler, quiet)
	require.NoError(t, err)
	defer server.Close()
	for way, through := range ways {
		t.Run(way, func(t *testing.T) {
			var c *bytesConn
			codec := netreactor.Framed(netreactor.LengthPrefixed(),
				func(frame []byte) ([]byte, error) { return bytes.Clone(frame), nil },
				func(dst, m []byte) ([]byte, error) {
					assert.NoError(t, c.CloseWrite())
					return append(dst, m...), nil
				})
			ctx, discarded := collector(t)
			conn, err := netreactor.Dial(ctx, server.Addr().String(), codec)
			require.NoError(t, err)
			defer conn.Abort()
			c = conn
			require.NoError(t, c.SendAll(through(flux.Just([]byte("overtaken")))))
			until(t, "discarded", func() bool { return len(discarded()) > 0 })
			assert.Equal(t, []string{"overtaken"}, discarded())
			assert.Zero(t, c.Stats().FramesOut)
			assert.ErrorIs(t, c.SendAll(flux.Just([]byte("late"))), netreactor.ErrClosed)
		})
	}
}
