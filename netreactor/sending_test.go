package netreactor_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor"
)

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
	inTurn(t, func(t *testing.T, bind binder) {
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

// TestAnswersThatGrow: a handler that answers at once has been asked for many short answers when the long ones come, and is given
// no further message while more wait to be written than there is room for.
func TestAnswersThatGrow(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		const high, long, short, many = 64 << 10, 1 << 20, 200, 100
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound().Map(func(m []byte) []byte {
				if string(m) == "long" {
					return make([]byte, long)
				}
				return []byte("short")
			})
		}, netreactor.WaterMarks(high/2, high), netreactor.SocketBuffers(0, 64<<10))
		p := connect(t, server)
		p.SetReadBuffer(64 << 10)
		c := take(t, conns)
		for range short {
			p.send("s")
			require.Equal(t, "short", p.receive())
		}
		go p.send(slices.Repeat([]string{"long"}, many)...)
		most, last := int64(0), uint64(0)
		for still := 0; still < 50; still++ {
			st := c.Stats()
			most = max(most, st.Unsent)
			if st.BytesOut != last {
				still, last = 0, st.BytesOut
			}
			pause()
		}
		assert.LessOrEqual(t, most, int64(high+long+4), "one answer more than there is room for")
		assert.Positive(t, most)
		for range many { // it goes on
			require.Len(t, p.receive(), long)
		}
		p.send("s")
		require.Equal(t, "short", p.receive())
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

// TestWhatCanNotBeEncoded: what was sent before is written, whatever the codec returns beside its error.
func TestWhatCanNotBeEncoded(t *testing.T) {
	boom := errors.New("boom")
	for name, result := range map[string]func(dst []byte) []byte{
		"nothing":   func([]byte) []byte { return nil },
		"a part":    func(dst []byte) []byte { return append(dst, "ba"...) },
		"elsewhere": func([]byte) []byte { return []byte("x") },
	} {
		codec := netreactor.Framed(netreactor.Lines(), func(frame []byte) (string, error) { return string(frame), nil },
			func(dst []byte, msg string) ([]byte, error) {
				if msg == "bad" {
					return result(dst), boom
				}
				return append(dst, msg...), nil
			})
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				p, conns := echoed(t, codec, v.opts)
				_, err := p.Write([]byte("good\nbad\n"))
				require.NoError(t, err)
				all, err := io.ReadAll(p)
				assert.NoError(t, err)
				assert.Equal(t, "good\n", string(all))
				c := take(t, conns)
				take(t, c.Context().Done())
				var closed *netreactor.CloseError
				require.ErrorAs(t, context.Cause(c.Context()), &closed)
				assert.Equal(t, netreactor.ReasonEncodeFailed, closed.Reason)
				assert.ErrorIs(t, closed, boom)
			})
		}
	}
}

// slowReader is a peer that reads steadily, as far as the machine lets it.
type slowReader struct {
	io.Reader
	clock *awake.Clock
	last  time.Time     // when it had read something
	worst time.Duration // that passed until it has read again
}

// readSlowly returns one who has read everything until now.
func readSlowly(t *testing.T) *slowReader {
	return &slowReader{clock: awake.Watch(t), last: time.Now()}
}

// piece reads n bytes when some time has passed.
func (s *slowReader) piece(after time.Duration, n int64) (read int64, err error) {
	time.Sleep(after)
	s.worst = max(s.worst, time.Since(s.last))
	read, err = io.CopyN(io.Discard, s, n)
	s.last = time.Now()
	return read, err
}

// pause is for how long it has not read at most, because the machine stood still.
func (s *slowReader) pause() time.Duration { return max(s.worst, s.clock.Still()) }

// withASlowPeer runs a test on every variant, and over TLS, with a peer that reads, whose buffer is of so many
// bytes if not 0.
func withASlowPeer(
	t *testing.T, buffer int, answer func(*bytesConn) reactor.Publisher[[]byte], opts []netreactor.BindOption,
	test func(t *testing.T, server *netreactor.Server, from *slowReader),
) {
	cert, pool := certificate(t)
	peerOf := func(t *testing.T, server *netreactor.Server) *peer {
		p := connect(t, server)
		if buffer > 0 {
			p.SetReadBuffer(buffer)
		}
		return p
	}
	secure := func(t *testing.T) {
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, answer,
			append(slices.Clip(opts), quiet, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))...)
		require.NoError(t, err)
		defer server.Close()
		from := readSlowly(t)
		from.Reader = tls.Client(peerOf(t, server).TCPConn, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
		test(t, server, from)
	}
	var all sync.WaitGroup
	all.Go(func() { t.Run("TLS", secure) })
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(answer, opts...)
		from := readSlowly(t)
		from.Reader = peerOf(t, server)
		test(t, server, from)
	})
	all.Wait()
}

// TestAPeerThatReadsSlowly: a write that goes on is no time-out, however long all of it takes.
func TestAPeerThatReadsSlowly(t *testing.T) {
	const (
		size  = 2 << 20 // takes twice as long as the limit
		limit = 600 * time.Millisecond
		piece = 64 << 10 // so that within the limit much more is read than buffers hold
	)
	slow := func(t *testing.T, server *netreactor.Server, from *slowReader) {
		for got := 0; got < size; {
			n, err := from.piece(limit/15, piece)
			got += int(n)
			if err != nil {
				// On a machine that stood still the peer has not read for too long.
				require.GreaterOrEqual(t, from.pause(), limit/3, "closed after %d bytes although it read: %v", got, err)
				return
			}
		}
	}
	answer := func(*bytesConn) reactor.Publisher[[]byte] { return flux.Just(make([]byte, size)) }
	opts := []netreactor.BindOption{netreactor.WriteTimeout(limit), netreactor.IdleTimeout(limit), netreactor.SocketBuffers(0, piece), netreactor.FirstFrameTimeout(0)}
	withASlowPeer(t, piece, answer, opts, slow)
}

// TestWhatTheKernelHolds: a peer that reads steadily is not cut because nobody hears of it before the kernel's
// buffer, as large as it is by default, has room again.
func TestWhatTheKernelHolds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody can tell on this system")
	}
	const (
		limit = 400 * time.Millisecond
		piece = 20 << 10 // in a twentieth of the limit
	)
	slow := func(t *testing.T, server *netreactor.Server, from *slowReader) {
		for begun := time.Now(); time.Since(begun) < 3*limit; {
			if _, err := from.piece(limit/20, piece); err != nil {
				// On a machine that stood still the peer has not read for too long.
				require.GreaterOrEqual(t, from.pause(), limit/4, "closed after %v although it read: %v", time.Since(begun), err)
				return
			}
		}
		closed := server.Stats().Closed
		if from.pause() < limit/4 {
			assert.Empty(t, closed)
		}
		until(t, "it does not read any more, which ends it", func() bool { return server.Stats().Closed[netreactor.ReasonWriteTimeout] == 1 })
	}
	answer := func(*bytesConn) reactor.Publisher[[]byte] {
		return flux.Range(0, 64).Map(func(int) []byte { return make([]byte, 1<<18) })
	}
	opts := []netreactor.BindOption{netreactor.WriteTimeout(limit), netreactor.FirstFrameTimeout(0)}
	withASlowPeer(t, 0, answer, opts, slow)
}

// TestWhatIsOnItsWayIsNotIdle: all is with the kernel, and the peer takes it, for longer than nothing may come or go.
func TestWhatIsOnItsWayIsNotIdle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody can tell on this system")
	}
	const limit = 400 * time.Millisecond
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.IdleTimeout(limit), netreactor.FirstFrameTimeout(0), netreactor.SocketBuffers(0, 1<<20))
		from := readSlowly(t)
		p := connect(t, server)
		p.SetReadBuffer(64 << 10)
		from.Reader = p
		c := take(t, conns)
		c.Send(make([]byte, 1<<20))
		until(t, "all is with the kernel", func() bool { return c.Stats().BytesOut == 1<<20+4 || c.Context().Err() != nil })
		for begun := time.Now(); time.Since(begun) < 3*limit; {
			_, err := from.piece(limit/20, 16<<10)
			if c.Context().Err() != nil || err != nil {
				require.GreaterOrEqual(t, from.pause(), limit/4, "ended after %v although it read: %v", time.Since(begun), context.Cause(c.Context()))
				return
			}
		}
		<-c.Context().Done() // nothing moves any more
		assert.Equal(t, netreactor.ReasonIdleTimeout, reasonOf(c))
	})
}

// TestAForeignBuffer: what a codec returns beside its error is not this package's to use again.
func TestAForeignBuffer(t *testing.T) {
	own := append(make([]byte, 0, 1<<10), "mine"...)
	codec := netreactor.Framed(netreactor.Lines(), func(frame []byte) (string, error) { return string(frame), nil },
		func(dst []byte, msg string) ([]byte, error) {
			if msg == "bad" {
				return own, errors.New("bad")
			}
			return append(dst, msg...), nil
		})
	conns := make(chan *netreactor.Conn[string, string], 1)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
		conns <- c
		return flux.Never[string]()
	}, quiet)
	require.NoError(t, err)
	defer server.Close()
	connect(t, server)
	c := take(t, conns)
	for range 20 {
		require.Error(t, c.Send("bad"))
		require.NoError(t, c.Send("good"))
	}
	assert.Equal(t, "mine", string(own))
}

// TestWhatSendHasAccepted: the end of a connection comes before a message that is sent, or behind it: none that Send has accepted is left
// out where the peer is told that this was all.
func TestWhatSendHasAccepted(t *testing.T) {
	inTurn(t, func(t *testing.T, bind binder) {
		var mu sync.Mutex
		accepted := map[string]*atomic.Int64{}
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			n := new(atomic.Int64)
			mu.Lock()
			accepted[c.RemoteAddr().String()] = n
			mu.Unlock()
			return c.Inbound().DoOnNext(func(b []byte) {
				n.Add(1) // the echo
				for range 4 {
					go func() {
						if c.Send(b) == nil {
							n.Add(1)
						}
					}()
				}
			})
		})
		message := strings.Repeat("x", 1000)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range racetest.Steps(40) {
					p := connect(t, server)
					for range 20 {
						p.send(message)
					}
					p.CloseWrite()
					received := int64(0)
					_, err := p.next()
					for ; err == nil; _, err = p.next() {
						received++
					}
					p.Close()
					mu.Lock()
					n := accepted[p.LocalAddr().String()]
					mu.Unlock()
					if err == io.EOF && !assert.LessOrEqual(t, n.Load(), received) {
						return
					}
				}
			})
		}
		all.Wait()
	})
}
