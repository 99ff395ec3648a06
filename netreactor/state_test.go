package netreactor

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// paper is a socket and a session that only keep books.
type paper struct {
	t         testing.TB
	c         *connection
	inside    atomic.Int32
	submitted chan struct{}
	work      uint64 // that full passes began with
	written   int
}

// alone notes a step of a pass, during which there must be no other.
func (p *paper) alone() {
	if p.inside.Add(1) != 1 {
		p.t.Error("two make a pass at a time")
	}
	chaos.Yield()
	p.inside.Add(-1)
}

func (p *paper) submit() { p.submitted <- struct{}{} }

func (p *paper) noted(work uint64) {
	p.alone()
	p.work |= work
}

func (p *paper) write(out *output) (bool, error) {
	p.alone()
	p.written += out.size
	out.wrote(out.size)
	return false, nil
}

func (p *paper) pull(*runner) bool            { return false }
func (p *paper) pulls() bool                  { return false }
func (p *paper) resume(*output) (bool, error) { return false, nil }
func (p *paper) arm(bool)                     { p.alone() }
func (p *paper) interrupt()                   {}
func (p *paper) broken() error                { return nil }
func (p *paper) unread() bool                 { return false }
func (p *paper) finish() bool                 { return false }
func (p *paper) finishes() bool               { return true }
func (p *paper) shut(bool)                    {}
func (p *paper) unacked() (int, bool)         { return 0, false }
func (p *paper) losing() bool                 { return false }
func (p *paper) hurry() bool                  { return false }
func (p *paper) client() netip.Addr           { return netip.Addr{} }
func (p *paper) localAddr() net.Addr          { return nil }
func (p *paper) remoteAddr() net.Addr         { return nil }

func (p *paper) start()          {}
func (p *paper) deliver() bool   { p.alone(); return true }
func (p *paper) leave()          {}
func (p *paper) wants() bool     { return false }
func (p *paper) paused() bool    { return true }
func (p *paper) idle() bool      { return false }
func (p *paper) drained() bool   { return false }
func (p *paper) done() bool      { return false }
func (p *paper) silent() bool    { return false }
func (p *paper) replenish() bool { return false }
func (p *paper) end(*CloseError) {}
func (p *paper) crashed(error)   {}
func (p *paper) close()          {}

// TestTheWordOfAConnection has everything enter at once: no two make a pass at a time, no work
// is lost.
func TestTheWordOfAConnection(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		p := &paper{t: t, submitted: make(chan struct{}, 100)}
		c := &connection{eng: eng, loop: eng.loops[0], tr: p, ses: p}
		p.c = c
		runSubmitted := func() {
			for {
				select {
				case <-p.submitted:
					if work, ok := c.own(0); ok {
						c.run(&runner{}, work)
					}
				default:
					return
				}
			}
		}
		race(
			func() { c.send(append(takeBuffer(1), "one"...)) },
			func() { c.enter(workRequest) },
			func() {
				runSubmitted()
				if work, ok := c.own(workRead); ok { // as the reader of the portable driver does
					c.run(&runner{}, work)
				}
				runSubmitted()
			},
			func() { c.send(append(takeBuffer(1), "two"...)) },
		)
		runSubmitted()
		assert.Zero(t, c.state.Load(), "nothing is left to do")
		assert.Equal(t, 6, p.written)
		assert.Equal(t, workRead|workRequest, p.work&(workRead|workRequest))
	})
}

// TestTheFirstWait has a pass submitted while the goroutine of a connection begins to wait for the
// first time: it does not wait for another one.
func TestTheFirstWait(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		c := &connection{}
		waiting := &netTransport{c: c}
		race(
			waiting.wait,
			func() {
				c.state.Store(queued)
				chaos.Yield()
				waiting.submit()
			},
		)
	})
}
