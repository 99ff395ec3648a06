package netreactor

import (
	"encoding/binary"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// onePass makes the pass that is due, and returns how many messages it was about and how long it took.
func (p *script) onePass(t *testing.T, r *runner) (messages int, took time.Duration) {
	t.Helper()
	require.NotEmpty(t, p.submitted)
	<-p.submitted
	answered, delivered, start := p.c.answered.Load(), p.c.delivered.Load(), time.Now()
	work, ok := p.c.own(0)
	require.True(t, ok)
	p.c.run(r, work)
	p.c.count()
	return int(max(p.c.answered.Load()-answered, p.c.delivered.Load()-delivered)), time.Since(start)
}

// rows is a stream without an end, each element of which takes so long to compute.
func rows(each time.Duration) flux.Flux[[]byte] {
	return flux.Range(0, math.MaxInt32).Map(func(int) []byte { time.Sleep(each); return []byte("row") })
}

// TestAPassTakesItsTime: then others have their turn, whatever one message costs.
func TestAPassTakesItsTime(t *testing.T) {
	for name, handler := range map[string]func(c *Conn[[]byte, []byte], each time.Duration) reactor.Publisher[[]byte]{
		"the stream of the handler": func(_ *Conn[[]byte, []byte], each time.Duration) reactor.Publisher[[]byte] { return rows(each) },
		"a stream for a message": func(c *Conn[[]byte, []byte], each time.Duration) reactor.Publisher[[]byte] {
			return c.Inbound().ConcatMap(func([]byte) flux.Flux[[]byte] { return rows(each) })
		},
		"messages": func(c *Conn[[]byte, []byte], each time.Duration) reactor.Publisher[[]byte] {
			return c.Inbound().Map(func(m []byte) []byte { time.Sleep(each); return m })
		},
		"messages without an answer": func(c *Conn[[]byte, []byte], each time.Duration) reactor.Publisher[[]byte] {
			return c.Inbound().Filter(func([]byte) bool { time.Sleep(each); return false })
		},
	} {
		for _, each := range []time.Duration{time.Microsecond, 5 * time.Microsecond, 50 * time.Microsecond, 200 * time.Microsecond, 10 * time.Millisecond} {
			t.Run(name+", "+each.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					frame := append(binary.BigEndian.AppendUint32(nil, 1), 'x')
					var data []byte
					for range 100_000 {
						data = append(data, frame...)
					}
					p := &script{data: data, most: 1 << 20}
					conn := played(t, func(c *Conn[[]byte, []byte]) reactor.Publisher[[]byte] { return handler(c, each) }, p)
					defer p.settled()
					defer conn.Abort()
					conn.core.look()
					r := &runner{chunk: make([]byte, 1<<20)}
					var messages int
					var took time.Duration
					for range 10 {
						messages, took = p.onePass(t, r)
						assert.Less(t, took, 3*widest*max(each, 10*time.Microsecond), "also the first one")
					}
					assert.LessOrEqual(t, took, max(passTime*3/2, 2*each))
					assert.GreaterOrEqual(t, took, passTime)
					assert.GreaterOrEqual(t, messages, int(passTime/each))
				})
			})
		}
	}
}

// TestAPassOfAQuickHandler: the clock is not what ends it, nor how many messages are asked for at a time, and one slow pass is forgotten.
func TestAPassOfAQuickHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := true
		p := &script{}
		conn := played(t, func(*Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
			return flux.Range(0, math.MaxInt32).Map(func(int) []byte {
				if slow {
					time.Sleep(200 * time.Microsecond)
				}
				return []byte("row")
			})
		}, p)
		defer p.settled()
		defer conn.Abort()
		conn.core.look()
		r := &runner{chunk: make([]byte, 64)}
		for range 10 {
			p.onePass(t, r)
		}
		assert.EqualValues(t, finest, conn.core.pace.fine)
		slow = false
		for range finest {
			p.onePass(t, r)
		}
		messages, _ := p.onePass(t, r)
		assert.Zero(t, conn.core.pace.fine)
		assert.Greater(t, messages, passRounds*inlineWindow)
	})
}

// TestNobodyWaitsForAStreamThatComputes: it is asked for nothing more when the connections are cut.
func TestNobodyWaitsForAStreamThatComputes(t *testing.T) {
	made, cut := 0, 0
	p := &script{}
	var conn *Conn[[]byte, []byte]
	conn = played(t, func(*Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
		return flux.Range(0, math.MaxInt32).Map(func(int) []byte {
			if made++; made == 1000 {
				cut = made
				conn.core.eng.cutting.Store(&CloseError{Reason: ReasonCut})
				conn.core.eng.draining.Store(true)
				conn.core.look()
			}
			return []byte("row")
		})
	}, p)
	conn.core.look()
	p.settled()
	assert.Equal(t, 1000, cut)
	assert.LessOrEqual(t, made-cut, window)
	assert.Equal(t, ReasonCut, conn.core.err().(*CloseError).Reason)
}
