package netreactor_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

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

// TestAStageFailsWithAMessage: that is an error of the stream like any other. What was sent before is written, and the handler decides.
func TestAStageFailsWithAMessage(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("not this") }, "Goexit": runtime.Goexit} {
		upper := func(m []byte) []byte {
			if string(m) == "boom" {
				fail()
			}
			return bytes.ToUpper(m)
		}
		sorry := func(error) flux.Flux[[]byte] { return flux.Just([]byte("sorry")) }
		for how, c := range map[string]struct {
			handler func(flux.Flux[[]byte]) flux.Flux[[]byte]
			want    []string
			reason  netreactor.Reason
		}{
			"the stream fails": {
				func(f flux.Flux[[]byte]) flux.Flux[[]byte] { return f.Map(upper) },
				[]string{"ONE", "TWO"}, netreactor.ReasonHandlerFailed,
			},
			"the stream goes on": {
				func(f flux.Flux[[]byte]) flux.Flux[[]byte] { return f.Map(upper).OnErrorResume(sorry) },
				[]string{"ONE", "TWO", "sorry"}, netreactor.ReasonHandlerDone,
			},
			"the stream goes on elsewhere": {
				func(f flux.Flux[[]byte]) flux.Flux[[]byte] {
					return f.Map(upper).OnErrorResume(func(err error) flux.Flux[[]byte] {
						return sorry(err).DelaySubscriptionFor(10 * time.Millisecond)
					})
				},
				[]string{"ONE", "TWO", "sorry"}, netreactor.ReasonHandlerDone,
			},
			"within an inner stream": {
				func(f flux.Flux[[]byte]) flux.Flux[[]byte] {
					return f.FlatMap(func(m []byte) flux.Flux[[]byte] { return flux.Just(upper(m)) }).OnErrorResume(sorry)
				},
				[]string{"ONE", "TWO", "sorry"}, netreactor.ReasonHandlerDone,
			},
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				everywhere(t, func(t *testing.T, bind binder) {
					conns := make(chan *bytesConn, 1)
					server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
						conns <- conn
						return c.handler(conn.Inbound())
					})
					p := connect(t, server)
					p.send("one", "two", "boom", "three")
					for _, m := range c.want {
						assert.Equal(t, m, p.receive())
					}
					p.ended()
					conn := take(t, conns)
					<-conn.Context().Done()
					assert.Equal(t, c.reason, reasonOf(conn))
				})
			})
		}
	}
}

// TestAStageFailsBehindADial: the connection lives, and sends, as behind any other error of a stage.
func TestAStageFailsBehindADial(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		conn, err := netreactor.Dial(t.Context(), server.Addr().String(), netreactor.Bytes(netreactor.LengthPrefixed()))
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.Send([]byte("x")))
		got, err := conn.Inbound().Map(func([]byte) []byte { panic("not this") }).
			OnErrorReturn([]byte("sorry")).CollectSlice().Block(t.Context())
		require.NoError(t, err)
		assert.Equal(t, [][]byte{[]byte("sorry")}, got)
		assert.NoError(t, conn.Context().Err())
		assert.NoError(t, conn.Send([]byte("y")))
		until(t, "echoed", func() bool { return server.Stats().FramesOut == 2 })
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
		until(t, "closed", func() bool { return server.Stats().Connections == 0 })
		st = server.Stats()
		want := netreactor.Totals{FramesIn: 2, FramesOut: 2, BytesIn: 12, BytesOut: 12}
		assert.Equal(t, want, st.Totals, "it counts for ever")
		var sum netreactor.Totals
		for _, s := range st.Selectors {
			if s.Accepted == 1 {
				sum = s.Totals
			}
		}
		assert.Equal(t, want, sum)
	})
	for r := range netreactor.ReasonCut + 1 {
		assert.NotContains(t, r.String(), "reason ")
	}
	assert.Equal(t, "reason 99", netreactor.Reason(99).String())
}

// ways are how a stream may hand messages to its connection.
var ways = map[string]func(flux.Flux[[]byte]) flux.Flux[[]byte]{
	"a function": func(f flux.Flux[[]byte]) flux.Flux[[]byte] { return f.Map(func(m []byte) []byte { return m }) },
	"OnNext": func(f flux.Flux[[]byte]) flux.Flux[[]byte] {
		return f.FlatMap(func(m []byte) reactor.Publisher[[]byte] { return mono.Just(m) })
	},
	"another goroutine": func(f flux.Flux[[]byte]) flux.Flux[[]byte] { return f.PublishOn(schedulers.Parallel()) },
}

// collector returns a context whose discarded messages can be looked at.
func collector(t *testing.T) (ctx context.Context, discarded func() []string) {
	var mu sync.Mutex
	var list []string
	ctx = reactor.AddDiscard(t.Context(), func(v any) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, string(v.([]byte)))
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// TestAMessageThatCantBeEncoded ends the connection, when what was sent before is written.
func TestAMessageThatCantBeEncoded(t *testing.T) {
	boom := errors.New("boom")
	codec := netreactor.Framed(netreactor.LengthPrefixed(),
		func(frame []byte) ([]byte, error) { return bytes.Clone(frame), nil },
		func(dst, m []byte) ([]byte, error) {
			if string(m) == "bad" {
				return append(dst, "half of it"...), boom
			}
			return append(dst, m...), nil
		})
	for _, v := range variants() {
		for way, through := range ways {
			t.Run(v.name+" by "+way, func(t *testing.T) {
				ctx, discarded := collector(t)
				conns := make(chan *bytesConn, 1)
				server, err := netreactor.Bind(ctx, "127.0.0.1:0", codec, func(c *bytesConn) flux.Flux[[]byte] {
					conns <- c
					return through(c.Inbound())
				}, append(v.opts, quiet)...)
				require.NoError(t, err)
				defer server.Close()
				p := connect(t, server)
				p.send("good", "bad", "late")
				require.Equal(t, "good", p.receive())
				p.ended()
				conn := take(t, conns)
				<-conn.Context().Done()
				assert.Equal(t, netreactor.ReasonEncodeFailed, reasonOf(conn))
				assert.ErrorIs(t, context.Cause(conn.Context()), boom)
				until(t, "discarded", func() bool { return slices.Contains(discarded(), "bad") })
				assert.NotContains(t, discarded(), "good")
			})
		}
	}
}

// TestWhatIsSentAfterTheEnd is discarded.
func TestWhatIsSentAfterTheEnd(t *testing.T) {
	for _, v := range variants() {
		for way, through := range ways {
			t.Run(v.name+" by "+way, func(t *testing.T) {
				ctx, discarded := collector(t)
				server, err := netreactor.Bind(ctx, "127.0.0.1:0", frames, func(c *bytesConn) flux.Flux[[]byte] {
					return through(c.Inbound().Map(func(m []byte) []byte {
						if string(m) == "end" {
							c.Abort()
						}
						return m
					}))
				}, append(v.opts, quiet)...)
				require.NoError(t, err)
				defer server.Close()
				p := connect(t, server)
				p.send("first")
				require.Equal(t, "first", p.receive())
				p.send("end")
				p.ended()
				until(t, "discarded", func() bool { return slices.Equal([]string{"end"}, discarded()) })
			})
		}
	}
}

// TestAnswersOutliveWhatIsUnread: to close a socket with something unread is to reset it, which overtakes what was
// written, however long ago the last bytes came.
func TestAnswersOutliveWhatIsUnread(t *testing.T) {
	const size = 400 << 10
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.ReadTimeout(80*time.Millisecond)) // so that ticks are short, and it is known how long ago it was
		until(t, "the peer reads before the socket has lingered", func() bool {
			p := connect(t, server)
			p.SetReadBuffer(64 << 10)
			p.send("nobody wants this")
			c := take(t, conns)
			require.NoError(t, c.Send(make([]byte, size)))
			until(t, "all is with the kernel", func() bool { return c.Stats().BytesOut == size+4 })
			time.Sleep(600 * time.Millisecond)
			closed := time.Now()
			c.Close()
			<-c.Context().Done()
			pause()
			n, err := io.Copy(io.Discard, p)
			if err != nil && time.Since(closed) >= 400*time.Millisecond {
				return false
			}
			assert.NoError(t, err)
			assert.EqualValues(t, size+4, n)
			assert.Equal(t, netreactor.ReasonClosed, reasonOf(c))
			return true
		})
	})
}

// faulty is a codec whose codecs can't be made.
type faulty struct {
	netreactor.Codec[[]byte, []byte]
	fail func()
}

func (f faulty) ForConnection() netreactor.Codec[[]byte, []byte] { f.fail(); return f.Codec }

// TestCodecsThatCantBeMade: the connection fails, and no other.
func TestCodecsThatCantBeMade(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("no codec today") }, "Goexit": runtime.Goexit} {
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				first := true
				codec := faulty{frames, func() {
					if first {
						first = false
						fail()
					}
				}}
				server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, echoBytes, append(v.opts, quiet)...)
				require.NoError(t, err)
				defer server.Close()
				connect(t, server).ended()
				until(t, "failed", func() bool { return server.Stats().Closed[netreactor.ReasonHandlerFailed] == 1 })
				p := connect(t, server)
				p.send("x")
				assert.Equal(t, "x", p.receive())
			})
		}
	}
}

// TestFiguresAfterTheEnd: of what has ended nothing is open, waits or pauses, also while its socket lingers.
func TestFiguresAfterTheEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns, source := make(chan *bytesConn, 1), sinks.One[[]byte]()
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return mono.From(source)
		})
		p := connect(t, server)
		p.send("unread")
		c := take(t, conns)
		until(t, "it pauses", func() bool { return c.Stats().Paused == 1 })
		require.True(t, source.TryEmitValue([]byte("the end")).IsSuccess())
		require.Equal(t, "the end", p.receive())
		<-c.Context().Done()
		st := c.Stats()
		assert.Equal(t, netreactor.Totals{FramesOut: 1, BytesIn: st.BytesIn, BytesOut: 11}, st.Totals)
		assert.Zero(t, st.PausedFor)
		assert.Empty(t, server.Connections())
		assert.Zero(t, server.Stats().Connections)
	})
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return flux.Range(0, 1<<30).Map(func(int) []byte { return make([]byte, 1000) })
		}, netreactor.SocketBuffers(0, 32<<10))
		connect(t, server) // and reads nothing
		c := take(t, conns)
		until(t, "something waits", func() bool { return c.Stats().Unsent > 0 })
		c.Abort()
		<-c.Context().Done()
		assert.Zero(t, c.Stats().Unsent)
	})
}

// TestCloseAsksForNothingMore: what was sent before Close is written, and a source that always has more does not keep the
// connection open.
func TestCloseAsksForNothingMore(t *testing.T) {
	const size, window = 1000, 128 // bytes of a message, and how many may have been asked for
	source := func(made *atomic.Uint64) flux.Flux[[]byte] {
		return flux.Range(0, 1<<30).Map(func(int) []byte {
			made.Add(1)
			return make([]byte, size)
		})
	}
	test := func(t *testing.T, c *bytesConn, peer net.Conn, made *atomic.Uint64) {
		peer.SetDeadline(time.Now().Add(patience))
		until(t, "the peer takes no more", func() bool { return c.Stats().Unsent > 0 })
		before := made.Load()
		c.Close()
		n, err := io.Copy(io.Discard, io.LimitReader(peer, int64(before+10*window)*(size+4)))
		require.NoError(t, err)
		require.LessOrEqual(t, made.Load(), before+window)
		require.EqualValues(t, made.Load()*(size+4), n)
		peer.Close()
		take(t, c.Context().Done())
		assert.Equal(t, netreactor.ReasonClosed, reasonOf(c))
	}
	everywhere(t, func(t *testing.T, bind binder) {
		conns, made := make(chan *bytesConn, 1), new(atomic.Uint64)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return source(made)
		}, netreactor.SocketBuffers(0, 64<<10), netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		p.SetReadBuffer(64 << 10)
		test(t, take(t, conns), p, made)
	})
	t.Run("dialled", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		c, err := netreactor.Dial(t.Context(), listener.Addr().String(), frames, quiet, netreactor.SocketBuffers(0, 64<<10))
		require.NoError(t, err)
		peer, err := listener.Accept()
		require.NoError(t, err)
		peer.(*net.TCPConn).SetReadBuffer(64 << 10)
		made := new(atomic.Uint64)
		require.NoError(t, c.SendAll(source(made)))
		test(t, c, peer, made)
	})
}

// TestAnAbortCanBeTold: by a peer that has got all that was sent, too.
func TestAnAbortCanBeTold(t *testing.T) {
	for name, abort := range map[string]func(*bytesConn){
		"alone":        (*bytesConn).Abort,
		"before Close": func(c *bytesConn) { c.Abort(); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				handler, conns := accepting()
				server := bind(handler)
				p := connect(t, server)
				conn := take(t, conns)
				require.NoError(t, conn.Send([]byte("half")))
				require.Equal(t, "half", p.receive())
				abort(conn)
				_, err := p.next()
				assert.ErrorIs(t, err, syscall.ECONNRESET)
				take(t, conn.Context().Done())
				assert.Equal(t, netreactor.ReasonClosed, reasonOf(conn))
			})
		})
	}
}

// TestACutCanBeTold: a peer that has not got all that was sent hears of a reset, not of the end, whatever has cut it.
func TestACutCanBeTold(t *testing.T) {
	const size = 8 << 20
	for name, c := range map[string]struct {
		limit time.Duration // of writing
		end   func(*peer, *bytesConn)
		want  netreactor.Reason
	}{
		"abort":    {0, func(_ *peer, c *bytesConn) { c.Abort() }, netreactor.ReasonClosed},
		"time-out": {60 * time.Millisecond, func(*peer, *bytesConn) {}, netreactor.ReasonWriteTimeout},
		"a message": {0, func(p *peer, c *bytesConn) {
			c.Inbound().SubscribeFunc(c.Context(), func([]byte) {}, flux.OnError(func(error) {}))
			p.Write([]byte("\x7f\xff\xff\xff"))
		}, netreactor.ReasonTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				handler, conns := accepting()
				server := bind(handler, netreactor.WriteTimeout(c.limit), netreactor.SocketBuffers(0, 64<<10))
				p := connect(t, server)
				conn := take(t, conns)
				require.NoError(t, conn.Send(make([]byte, size)))
				c.end(p, conn)
				take(t, conn.Context().Done())
				assert.Equal(t, c.want, reasonOf(conn))
				n, err := io.Copy(io.Discard, p)
				assert.ErrorIs(t, err, syscall.ECONNRESET)
				assert.Less(t, n, int64(size))
			})
		})
	}
}

// TestWhoComesAfterTheServer: a subscriber that comes when the server has stopped hears of the end nevertheless, and so does one that is there
// and asks for something then.
func TestWhoComesAfterTheServer(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		connect(t, server).send("x")
		c := take(t, conns)
		require.NoError(t, server.Close())
		<-server.Stopped()
		late := newProbe()
		c.Inbound().Subscribe(context.Background(), late)
		take(t, late.up).Request(1)
		take(t, late.end)
	})
}

// TestAPeerThatDoesNotClose is not waited for: the socket of a connection that has ended lingers for a moment, and no longer.
func TestAPeerThatDoesNotClose(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		p := connect(t, server)
		p.send("nobody wants this")
		c := take(t, conns)
		c.Close()
		<-c.Context().Done()
		until(t, "the socket is closed", func() bool { return netreactor.Lingering(server) == 0 })
		assert.Equal(t, netreactor.ReasonClosed, reasonOf(c))
	})
}
