package netreactor

import (
	"context"
	"log/slog"
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// played returns a connection of an engine of its own, with a handler, whose socket is read by the test.
func played(t *testing.T, handler func(*Conn[[]byte, []byte]) reactor.Publisher[[]byte], p *script, opts ...BindOption) *Conn[[]byte, []byte] {
	eng := engineFor(t, append(opts, FirstFrameTimeout(0), WithLogger(slog.New(slog.DiscardHandler)))...)
	if handler != nil {
		eng.set.handler = handlerOf[[]byte, []byte](handler)
	}
	conn := newConn(Bytes(LengthPrefixed()))
	eng.loops[0].prepare(&conn.core)
	p.c, p.submitted = &conn.core, make(chan struct{}, 100)
	conn.core.tr = p
	eng.limits.reserve(netip.Addr{})
	require.True(t, eng.loops[0].add(&conn.core))
	return conn
}

// settled makes the passes that are submitted, on goroutines that may be ended.
func (p *script) settled() {
	for len(p.submitted) > 0 {
		racetest.Aside(p.runSubmitted)
	}
}

// ways to fail.
var waysToFail = map[string]func(){"panic": func() { panic("not today") }, "Goexit": runtime.Goexit}

// TestWhoComesAfterACrash: who subscribes to the inbound when the handler has failed hears of the end, as anybody does.
func TestWhoComesAfterACrash(t *testing.T) {
	for name, fail := range waysToFail {
		t.Run(name, func(t *testing.T) {
			p, b := &script{}, &book{}
			conn := played(t, func(*Conn[[]byte, []byte]) reactor.Publisher[[]byte] { fail(); return nil }, p)
			conn.core.look()
			p.settled()
			require.ErrorIs(t, conn.Context().Err(), ErrClosed)
			conn.Inbound().Subscribe(context.Background(), b)
			p.settled()
			assert.Equal(t, 1, b.ends)
			assert.Equal(t, conn.Context().Err(), b.err)
		})
	}
}

// TestACrashAsSomebodySubscribes: the handler, which has given the connection to somebody else, fails while that subscribes.
func TestACrashAsSomebodySubscribes(t *testing.T) {
	racetest.Repeat(racetest.Iterations(3000), func(race func(...func())) {
		p, b := &script{}, &book{}
		conn := played(t, func(*Conn[[]byte, []byte]) reactor.Publisher[[]byte] { panic("not today") }, p)
		conn.core.look()
		race(
			func() {
				conn.Inbound().Map(func(m []byte) []byte { return m }).Subscribe(context.Background(), b)
			},
			p.settled,
		)
		p.settled()
		assert.NotNil(t, b.up)
		assert.Equal(t, 1, b.ends)
		assert.Error(t, b.err)
		conn.core.eng.live.Wait()
	})
}

// TestWhoHearsOfACrashEndsTheGoroutine: the connection ends nevertheless, and is counted, for its next pass is made.
func TestWhoHearsOfACrashEndsTheGoroutine(t *testing.T) {
	bad := func([]byte) []byte { panic("not this") }
	for name, hear := range map[string]func(*Conn[[]byte, []byte], *book){
		"the end of the inbound": func(c *Conn[[]byte, []byte], b *book) {
			c.Inbound().Map(bad).DoOnError(func(error) { runtime.Goexit() }).Subscribe(context.Background(), b)
		},
		"the message that is discarded": func(c *Conn[[]byte, []byte], b *book) {
			ctx := reactor.AddDiscard(context.Background(), func(any) { runtime.Goexit() })
			c.Inbound().Map(bad).Subscribe(ctx, b)
		},
		"an error that is dropped": func(c *Conn[[]byte, []byte], b *book) {
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) { runtime.Goexit() }})
			c.inbound().Subscribe(ctx, &unprepared{book: b})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, b := &script{data: []byte{0, 0, 0, 1, 'a'}, ends: true}, &book{}
			cancelled := 0
			conn := played(t, func(c *Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
				hear(c, b)
				return operators.DoOnCancel(operators.Never[[]byte](), func() { cancelled++ })
			}, p)
			conn.core.look()
			p.settled()
			b.request(2)
			<-p.submitted
			ended := true
			racetest.Aside(func() {
				if work, ok := conn.core.own(0); ok {
					conn.core.run(&runner{chunk: make([]byte, 64)}, work)
				}
				ended = false
			})
			require.True(t, ended, "the goroutine")
			assert.Zero(t, conn.core.maker(), "nobody makes a pass")
			assert.Len(t, p.submitted, 1, "the next one is due")
			p.settled()
			var why *CloseError
			require.ErrorAs(t, conn.Context().Err(), &why)
			assert.Equal(t, ReasonHandlerFailed, why.Reason)
			assert.Equal(t, 1, cancelled, "what the handler has returned")
			assert.EqualValues(t, 1, conn.core.loop.past.reasons[ReasonHandlerFailed])
			conn.core.eng.live.Wait()
		})
	}
}

// unprepared is a stage that fails at the end.
type unprepared struct {
	protocol.Inner
	*book
}

func (*unprepared) OnComplete() { panic("not today") }
