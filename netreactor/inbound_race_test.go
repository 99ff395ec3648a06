package netreactor

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/sinks"
)

// script is a socket that a test reads for: it has some bytes, and then their end or none.
type script struct {
	c         *connection
	data      []byte
	ends      bool
	submitted chan struct{}
	reads     int
	most      int // bytes at a time, 3 if 0
}

func (p *script) submit()                         { p.submitted <- struct{}{}; runtime.Gosched() }
func (p *script) noted(uint64)                    {}
func (p *script) write(out *output) (bool, error) { out.wrote(out.size); return false, nil }
func (p *script) resume(*output) (bool, error)    { return false, nil }
func (p *script) arm(bool)                        {}
func (p *script) interrupt()                      {}
func (p *script) broken() error                   { return nil }
func (p *script) unread() bool                    { return false }
func (p *script) finish() bool                    { return false }
func (p *script) finishes() bool                  { return true }
func (p *script) shut(bool)                       {}
func (p *script) unacked() (int, bool)            { return 0, false }
func (p *script) losing() bool                    { return false }
func (p *script) hurry() bool                     { return false }
func (p *script) client() netip.Addr              { return netip.Addr{} }
func (p *script) localAddr() net.Addr             { return nil }
func (p *script) remoteAddr() net.Addr            { return &net.UnixAddr{} }
func (p *script) pulls() bool                     { return true }

// pull reads three bytes at a time, or all.
func (p *script) pull(r *runner) bool {
	to := p.c.space()
	if to == nil {
		to = r.chunk
	}
	p.reads++
	n := copy(to[:min(len(to), cmp.Or(p.most, 3))], p.data)
	p.data = p.data[n:]
	if n > 0 || p.ends {
		var err error
		if n == 0 {
			err = io.EOF
		}
		p.c.received(r.chunk, n, err)
		return true
	}
	return false
}

// runSubmitted makes the passes that are submitted.
func (p *script) runSubmitted() {
	r := &runner{chunk: make([]byte, 64)}
	for {
		select {
		case <-p.submitted:
			if work, ok := p.c.own(0); ok {
				p.c.run(r, work)
			}
		default:
			return
		}
	}
}

// book is a subscriber that keeps what it is told.
type book struct {
	up        reactor.Subscription
	asked     atomic.Int64
	items     []byte
	ends      int
	err       error
	cancelled atomic.Bool
	wrong     string
}

func (b *book) OnSubscribe(up reactor.Subscription) { b.up = up }

func (b *book) OnNext(m []byte) {
	if b.ends > 0 {
		b.wrong = "an element after the end"
	}
	if b.items = append(b.items, m[0]); int64(len(b.items)) > b.asked.Load() {
		b.wrong = "an element that nobody has asked for"
	}
	chaos.Yield()
}

func (b *book) OnError(err error) { b.ends++; b.err = err }
func (b *book) OnComplete()       { b.ends++ }

func (b *book) request(n int64) {
	b.asked.Add(n)
	chaos.Yield()
	b.up.Request(n)
}

// TestInboundRaces has signals of the subscriber meet those of the connection: the elements are
// those that were sent, in order, as many as were asked for at most; there is one end at most;
// each message that was decoded is delivered, or discarded after a cancellation.
func TestInboundRaces(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	const all = "abcdefgh"
	for name, c := range map[string]struct {
		with  func(p *script, b *book)
		check func(t *testing.T, b *book)
	}{
		"request": {
			func(_ *script, b *book) { b.request(5) },
			func(t *testing.T, b *book) {
				assert.Len(t, b.items, 7, "all that was asked for")
				assert.Zero(t, b.ends)
			},
		},
		"request of the last one": {
			func(_ *script, b *book) { b.request(100) },
			func(t *testing.T, b *book) {
				assert.Len(t, b.items, len(all))
				assert.Equal(t, 1, b.ends)
				assert.NoError(t, b.err)
			},
		},
		"cancel": {
			func(_ *script, b *book) { b.up.Cancel(); b.cancelled.Store(true) },
			func(t *testing.T, b *book) { assert.Zero(t, b.ends) },
		},
		"abort": {
			func(p *script, _ *book) { p.c.end(ReasonClosed, nil, true) },
			func(t *testing.T, b *book) {
				assert.Equal(t, 1, b.ends)
				assert.ErrorIs(t, b.err, ErrClosed)
			},
		},
		"write": {
			func(p *script, _ *book) { p.c.send(append(takeBuffer(1), "x"...)) },
			func(t *testing.T, b *book) { assert.Len(t, b.items, 2) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
				decoded := 0
				codec := Framed(LengthPrefixed(), func(f []byte) ([]byte, error) { decoded++; return bytes.Clone(f), nil },
					func(dst, m []byte) ([]byte, error) { return append(dst, m...), nil })
				conn := newConn(codec)
				eng.loops[0].prepare(&conn.core)
				p := &script{c: &conn.core, ends: true, submitted: make(chan struct{}, 100)}
				for _, m := range []byte(all) {
					p.data = append(p.data, 0, 0, 0, 1, m)
				}
				conn.core.tr = p
				eng.limits.reserve(netip.Addr{})
				require.True(t, eng.loops[0].add(&conn.core))
				b := &book{}
				var discarded atomic.Int32 // by the edge: it comes too late for a cancellation
				conn.Inbound().Subscribe(reactor.AddDiscard(context.Background(), func(any) { discarded.Add(1) }), b)
				race(
					func() { b.request(2) },
					func() { c.with(p, b) },
					func() {
						p.runSubmitted()
						if work, ok := conn.core.own(workRead); ok {
							conn.core.run(&runner{chunk: make([]byte, 64)}, work)
						}
						p.runSubmitted()
					},
				)
				p.runSubmitted()
				assert.Zero(t, conn.core.state.Load(), "nothing is left to do")
				assert.Empty(t, b.wrong)
				assert.True(t, bytes.HasPrefix([]byte(all), b.items), "%s", b.items)
				assert.Equal(t, decoded, len(b.items)+int(discarded.Load()), "what was decoded was delivered or discarded")
				if !b.cancelled.Load() {
					assert.Zero(t, discarded.Load())
				}
				assert.LessOrEqual(t, b.ends, 1)
				c.check(t, b)
				conn.Abort()
				p.runSubmitted()
			})
		})
	}
	eng.live.Wait()
}

// TestWhatIsUsedOfTheDemand is taken off late, which nobody can tell: no message is delivered that was not asked for, and who asks
// when all was used is heard.
func TestWhatIsUsedOfTheDemand(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	conn := newConn(Bytes(LengthPrefixed()))
	eng.loops[0].prepare(&conn.core)
	p := &script{c: &conn.core, submitted: make(chan struct{}, 100), most: 64}
	conn.core.tr = p
	eng.limits.reserve(netip.Addr{})
	require.True(t, eng.loops[0].add(&conn.core))
	b := &book{}
	conn.Inbound().Subscribe(context.Background(), b)
	comes := func(messages string) {
		for _, m := range []byte(messages) {
			p.data = append(p.data, 0, 0, 0, 1, m)
		}
		conn.core.enter(workRead)
		p.runSubmitted()
	}
	b.request(3)
	comes("ab")
	assert.Equal(t, "ab", string(b.items))
	comes("cde")
	assert.Equal(t, "abc", string(b.items))
	b.request(1)
	p.runSubmitted()
	b.request(1)
	p.runSubmitted()
	assert.Equal(t, "abcde", string(b.items))

	b.request(maxUsed + 2)
	for range 2 {
		comes(strings.Repeat("f", maxUsed/2))
	}
	assert.EqualValues(t, maxUsed, conn.in.used)
	comes("gh")
	assert.Zero(t, conn.in.used, "all was used")
	assert.Zero(t, conn.in.demand.Load())
	b.request(maxUsed + 3)
	for range 2 {
		comes(strings.Repeat("f", maxUsed/2))
	}
	comes("i")
	assert.Zero(t, conn.in.used, "it has no room for all that may be used")
	assert.EqualValues(t, 2, conn.in.demand.Load())
	assert.Empty(t, b.wrong)
	conn.Abort()
	p.runSubmitted()
	eng.live.Wait()
}

// TestTheMessageInFlight: a message whose handler panics is discarded.
func TestTheMessageInFlight(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	var discarded []any
	ctx := reactor.AddDiscard(context.Background(), func(v any) { discarded = append(discarded, v) })
	eng := newEngine(ctx, set)
	conn := newConn(Bytes(LengthPrefixed()))
	eng.loops[0].prepare(&conn.core)
	p := &script{c: &conn.core, data: []byte{0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'}, submitted: make(chan struct{}, 100)}
	conn.core.tr = p
	eng.limits.reserve(netip.Addr{})
	require.True(t, eng.loops[0].add(&conn.core))
	b := &book{}
	conn.Inbound().Map(func(m []byte) []byte {
		if m[0] == 'b' {
			panic("no")
		}
		return m
	}).Subscribe(ctx, b)
	b.request(5)
	p.runSubmitted()
	assert.Equal(t, "a", string(b.items))
	assert.Equal(t, 1, b.ends)
	assert.Equal(t, []any{[]byte("b")}, discarded)
	assert.NoError(t, conn.Context().Err(), "it is for the subscriber to end it")
	conn.Close()
	p.runSubmitted()
	eng.live.Wait()
}

// TestTheLastAnswerEndsAShutdown: who ends what the handler has returned, or sends the last answer where that is nothing, has the
// connection ended, for a shutdown waits for it, and nobody looks again.
func TestTheLastAnswerEndsAShutdown(t *testing.T) {
	type conn = Conn[[]byte, []byte]
	type sink = sinks.ManySink[[]byte]
	for name, c := range map[string]struct {
		returns func(*sink) reactor.Publisher[[]byte]
		more    func(*sink)
		last    func(*testing.T, *conn, *sink)
	}{
		"of what it has returned": {
			func(answers *sink) reactor.Publisher[[]byte] { return answers },
			func(answers *sink) { answers.TryEmitNext([]byte("b")) },
			func(t *testing.T, _ *conn, answers *sink) {
				assert.Equal(t, sinks.OK, answers.TryEmitNext([]byte("c")))
				assert.Equal(t, sinks.OK, answers.TryEmitComplete())
			},
		},
		"by Send": {
			func(*sink) reactor.Publisher[[]byte] { return operators.Never[[]byte]() },
			func(*sink) {},
			func(t *testing.T, c *conn, _ *sink) { assert.NoError(t, c.Send([]byte("b, c"))) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := dialSettings(nil)
			require.NoError(t, err)
			racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
				eng := newEngine(context.Background(), set)
				conn := newConn(Bytes(LengthPrefixed()))
				eng.loops[0].prepare(&conn.core)
				p := &script{c: &conn.core, data: []byte{0, 0, 0, 1, 'a'}, submitted: make(chan struct{}, 100)}
				conn.core.tr = p
				eng.limits.reserve(netip.Addr{})
				require.True(t, eng.loops[0].add(&conn.core))
				b := &book{}
				answers := sinks.Many().Unicast().OnBackpressureBuffer[[]byte]()
				set.handler = handlerOf[[]byte, []byte](func(conn *Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
					conn.Inbound().Subscribe(context.Background(), b)
					return c.returns(answers)
				})
				conn.core.look()
				p.runSubmitted()
				b.request(5)
				p.runSubmitted()
				eng.draining.Store(true)
				conn.core.look()
				p.runSubmitted()
				require.Equal(t, 1, b.ends)
				c.more(answers)
				require.NoError(t, conn.Context().Err(), "it waits for the rest of the answer")
				race(
					func() { c.last(t, conn, answers) },
					func() {
						<-p.submitted
						if work, ok := conn.core.own(0); ok {
							conn.core.run(&runner{}, work)
						}
					},
				)
				p.runSubmitted()
				var why *CloseError
				if assert.ErrorAs(t, conn.Context().Err(), &why) {
					assert.Equal(t, ReasonShutdown, why.Reason)
					assert.GreaterOrEqual(t, conn.core.bytesOut.Load(), uint64(8), "all was written")
					eng.live.Wait()
				}
			})
		})
	}
}
