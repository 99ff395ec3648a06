package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// halfClosed is a socket that nothing can be written to once its peer was told that this was all.
type halfClosed struct {
	*script
	over, late bool
}

func (p *halfClosed) finish() bool { p.over = true; return true }

func (p *halfClosed) write(out *output) (bool, error) {
	p.late = p.late || p.over
	return p.script.write(out)
}

// TestCloseWriteAndAnswers: answers that are computed while CloseWrite is called are written before the peer is told that this was all, or
// not at all.
func TestCloseWriteAndAnswers(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		p := &script{most: 5}
		conn := played(t, func(c *Conn[[]byte, []byte]) reactor.Publisher[[]byte] {
			return flux.Merge(c.Inbound(), flux.Never[[]byte]())
		}, p)
		q := &halfClosed{script: p}
		conn.core.tr = q
		conn.core.look()
		p.runSubmitted()
		for range 40 {
			p.data = append(p.data, 0, 0, 0, 1, 'a')
		}
		conn.core.enter(workRead)
		race(
			func() { assert.NoError(t, conn.CloseWrite()) },
			p.runSubmitted,
		)
		p.runSubmitted()
		require.True(t, q.over)
		assert.False(t, q.late, "it was told before")
		conn.Abort()
		p.runSubmitted()
	})
}
