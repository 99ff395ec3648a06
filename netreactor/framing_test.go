package netreactor_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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

// body is a codec whose message is a hundred bytes, which it takes when they are there, and one more.
type body struct{ taken bool }

func (*body) ForConnection() netreactor.Codec[string, string] { return &body{} }

func (b *body) Decode(in *netreactor.Input) (string, bool, error) {
	const size = 100
	if !b.taken {
		if len(in.Bytes()) < size {
			in.Need(size)
			return "", false, nil
		}
		in.Advance(size)
		b.taken = true
	}
	if len(in.Bytes()) == 0 {
		return "", false, nil
	}
	last := string(in.Bytes()[:1])
	in.Advance(1)
	b.taken = false
	return last, true, nil
}

func (*body) Encode(dst []byte, msg string) ([]byte, error) { return append(dst, msg...), nil }

// TestPieces: how a message comes in does not matter.
func TestPieces(t *testing.T) {
	text := netreactor.Strings
	for name, c := range map[string]struct {
		codec  netreactor.Codec[string, string]
		max    int
		pieces []string
		want   string
	}{
		"Need is over when it is met":             {&body{}, 1000, []string{strings.Repeat("x", 50), strings.Repeat("x", 50), "a"}, "a"},
		"no limit":                                {text(netreactor.Lines()), math.MaxInt, []string{"hel", "lo\n"}, "hello\n"},
		"no limit, length":                        {text(netreactor.LengthPrefixed()), math.MaxInt, []string{"\x00\x00\x00\x05hel", "lo"}, "\x00\x00\x00\x05hello"},
		"the end of a line is not of the message": {text(netreactor.Lines()), 5, []string{"hello\r", "\nhel", "lo\n", "hello\r\n"}, "hello\nhello\nhello\n"},
		"a long delimiter is not of the message":  {text(netreactor.Delimited("=delim==")), 10, []string{"0123456789=delim=", "="}, "0123456789=delim=="},
	} {
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", c.codec, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
					return c.Inbound()
				}, append(v.opts, quiet, netreactor.MaxFrame(c.max))...)
				require.NoError(t, err)
				defer server.Close()
				p := connect(t, server)
				sent := uint64(0)
				for _, piece := range c.pieces {
					until(t, "the piece before is seen", func() bool { return server.Stats().BytesIn == sent })
					_, err := p.Write([]byte(piece))
					require.NoError(t, err)
					sent += uint64(len(piece))
				}
				got := make([]byte, len(c.want))
				_, err = io.ReadFull(p, got)
				require.NoError(t, err)
				assert.Equal(t, c.want, string(got))
			})
		}
	}
}

// counted is a codec whose messages are lines that it takes byte by byte.
type counted struct{ held []byte }

func (*counted) ForConnection() netreactor.Codec[string, string] { return &counted{} }

func (c *counted) Decode(in *netreactor.Input) (string, bool, error) {
	for len(in.Bytes()) > 0 {
		b := in.Bytes()[0]
		in.Advance(1)
		if b == '\n' {
			line := string(c.held)
			c.held = c.held[:0]
			return line, true, nil
		}
		c.held = append(c.held, b)
	}
	if len(c.held) > 0 {
		in.Within()
	}
	return "", false, nil
}

func (*counted) Encode(dst []byte, msg string) ([]byte, error) { return append(dst, msg...), nil }

// TestWithin: a message of which nothing is left to look at has begun nevertheless.
func TestWithin(t *testing.T) {
	const brief = 60 * time.Millisecond
	for name, c := range map[string]struct {
		limit time.Duration // of reading
		do    func(p *peer)
		want  netreactor.Reason
	}{
		"a message that drips": {brief, func(p *peer) {
			for {
				if _, err := p.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}, netreactor.ReasonReadTimeout},
		"a message that stops":    {brief, func(p *peer) { p.Write([]byte("x")) }, netreactor.ReasonReadTimeout},
		"an end within a message": {patience, func(p *peer) { p.Write([]byte("x")); p.CloseWrite() }, netreactor.ReasonTruncated},
		"an end after a message in pieces": {patience, func(p *peer) {
			p.Write([]byte("x"))
			pause()
			p.Write([]byte("\n"))
			p.CloseWrite()
		}, netreactor.ReasonPeerClosed},
		"an end between messages": {brief, func(p *peer) { p.Write([]byte("x\n")); p.CloseWrite() }, netreactor.ReasonPeerClosed},
		"an end long after a message": {brief, func(p *peer) {
			p.Write([]byte("x\n"))
			for range 30 {
				pause()
			}
			p.CloseWrite()
		}, netreactor.ReasonPeerClosed},
	} {
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				conns := make(chan *netreactor.Conn[string, string], 1)
				server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", &counted{}, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
					conns <- c
					return c.Inbound()
				}, append(v.opts, quiet, netreactor.ReadTimeout(c.limit))...)
				require.NoError(t, err)
				defer server.Close()
				p := connect(t, server)
				_, err = p.Write([]byte("whole\n"))
				require.NoError(t, err)
				got := make([]byte, len("whole"))
				_, err = io.ReadFull(p, got)
				require.NoError(t, err)
				c.do(p)
				conn := <-conns
				<-conn.Context().Done()
				var closed *netreactor.CloseError
				require.ErrorAs(t, context.Cause(conn.Context()), &closed)
				assert.Equal(t, c.want, closed.Reason, "%v", closed)
				if c.want == netreactor.ReasonTruncated {
					assert.ErrorIs(t, closed, io.ErrUnexpectedEOF)
				}
			})
		}
	}
}

// hesitant is a codec whose first message is complete when there are three bytes, of which it takes one. It tells of each call.
type hesitant struct{ seen chan int }

func (h hesitant) Decode(in *netreactor.Input) (string, bool, error) {
	all := in.Bytes()
	if len(all) > 0 {
		h.seen <- in.Seen()
	}
	if len(all) == 0 || all[0] == 'a' && len(all) < 3 {
		return "", false, nil
	}
	in.Advance(1)
	return string(all[:1]), true, nil
}

func (hesitant) Encode(dst []byte, msg string) ([]byte, error) { return append(dst, msg...), nil }

// TestSeenIsOfTheLastCall: where that has found a message, nothing behind it was looked at in vain.
func TestSeenIsOfTheLastCall(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			codec := hesitant{make(chan int, 10)}
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
				return c.Inbound()
			}, append(v.opts, quiet)...)
			require.NoError(t, err)
			defer server.Close()
			p := connect(t, server)
			var seen []int
			for _, piece := range []string{"ab", "c"} {
				_, err = p.Write([]byte(piece))
				require.NoError(t, err)
				seen = append(seen, take(t, codec.seen))
			}
			seen = append(seen, take(t, codec.seen), take(t, codec.seen))
			assert.Equal(t, []int{0, 2, 0, 0}, seen)
		})
	}
}

// TestAFixedLengthAboveTheLimit is above it from the first byte on.
func TestAFixedLengthAboveTheLimit(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			ends := make(chan error, 1)
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", netreactor.Strings(netreactor.FixedLength(12)), func(c *netreactor.Conn[string, string]) flux.Flux[string] {
				return c.Inbound().DoOnError(func(err error) { ends <- err })
			}, append(v.opts, quiet, netreactor.MaxFrame(10))...)
			require.NoError(t, err)
			defer server.Close()
			_, err = connect(t, server).Write([]byte("x"))
			require.NoError(t, err)
			assert.ErrorIs(t, take(t, ends), netreactor.ErrTooLarge)
		})
	}
}

// TestAnswersOfAllLengths: those for which there is no room in what is begun, too, and those behind them.
func TestAnswersOfAllLengths(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().FlatMapSlice(func(m []byte) [][]byte {
				n, _ := strconv.Atoi(string(m))
				return [][]byte{m, bytes.Repeat(m[:1], n), m}
			})
		})
		p := connect(t, server)
		lengths := []string{"10", "2000", "17000", "5", "70000", "300000", "1"}
		p.send(lengths...)
		for _, length := range lengths {
			n, _ := strconv.Atoi(length)
			require.Equal(t, length, p.receive())
			require.True(t, strings.Repeat(length[:1], n) == p.receive(), length)
			require.Equal(t, length, p.receive())
		}
	})
}

// TestAMessageThatIsTooLargeAndThere is none, however it has come.
func TestAMessageThatIsTooLargeAndThere(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound()
		}, netreactor.MaxFrame(10))
		p := connect(t, server)
		p.send(strings.Repeat("l", 10))
		assert.Equal(t, strings.Repeat("l", 10), p.receive())
		p.send(strings.Repeat("x", 11))
		p.ended()
		c := take(t, conns)
		take(t, c.Context().Done())
		assert.Equal(t, netreactor.ReasonTooLarge, reasonOf(c))
	})
}
