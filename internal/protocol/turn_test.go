package protocol

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// hosted is one guest of a host, as an emitter sees it.
type hosted struct {
	p    probe[int]
	half Half
	gone atomic.Bool
}

// host is one that needs not know who lodges with it.
type host struct{}

func (host) Lodged()    {}
func (host) Tell(*Half) {}

func newHosted() *hosted {
	g := &hosted{}
	g.half.Down = &g.p
	g.half.Lodge(host{})
	return g
}

// end is what ends the stream from elsewhere.
func (g *hosted) end(t *Turn) {
	g.gone.Store(true)
	g.half.End(assert.AnError)
	if g.half.IsLodged() {
		t.Tell(&g.half)
	}
}

// hall is an emitter: a pass hands an element to each guest that is there.
type hall struct {
	turn   Turn
	guests []*hosted
	sent   atomic.Int32
}

func (h *hall) DrainPass() {
	for _, g := range h.guests {
		if !g.gone.Load() {
			g.half.Deliver(&g.p, int(h.sent.Add(1)))
		}
	}
}

func (h *hall) DrainCrashed(Drainer, error) {}

func TestTurnDeliversBetweenElements(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		a, b := newHosted(), newHosted()
		h := &hall{guests: []*hosted{a, b}}
		emit := func() {
			for range 3 {
				h.turn.Run(h)
			}
		}
		return []func(){emit, emit, func() { a.end(&h.turn) }, func() { b.end(&h.turn) }}, func() {
			for _, g := range h.guests {
				assert.Zero(t, g.p.overlaps.Load())
				assert.Equal(t, []error{assert.AnError}, g.p.errs)
			}
		}
	})
}

func TestTurnKeepsAnEndBackForADrain(t *testing.T) {
	a, b := newHosted(), newHosted()
	h := &hall{guests: []*hosted{a, b}}
	a.p.onNext = func(int) {
		a.end(&h.turn)
		b.end(&h.turn)
		assert.Empty(t, a.p.errs)
	}
	h.turn.Run(h)
	for _, g := range h.guests {
		assert.Equal(t, []error{assert.AnError}, g.p.errs)
	}
	assert.Empty(t, b.p.items, "it had gone")
	late := newHosted()
	late.end(&h.turn)
	assert.Len(t, late.p.errs, 1, "nothing is on its way")
}

// One who is told, or who emits, ends the goroutine: the others are told all the same.
func TestTurnGoexit(t *testing.T) {
	for name, emitting := range map[string]bool{"the one who is told": false, "the one who emits": true} {
		t.Run(name, func(t *testing.T) {
			a, b := newHosted(), newHosted()
			h := &hall{guests: []*hosted{a, b}}
			a.p.onNext = func(int) {
				a.end(&h.turn)
				b.end(&h.turn)
				if emitting {
					runtime.Goexit()
				}
			}
			for _, g := range h.guests {
				g.p.onEnd = runtime.Goexit
			}
			var wg sync.WaitGroup
			wg.Go(func() { h.turn.Run(h) })
			wg.Wait()
			for _, g := range h.guests {
				assert.Len(t, g.p.errs, 1)
			}
		})
	}
}

// A source may end what it has in hand itself while an end from elsewhere waits.
func TestTurnAndTheEndOfTheSource(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		g := newHosted()
		h := &ending{g: g}
		return []func(){func() { h.turn.Run(h) }, func() { g.end(&h.turn) }}, func() {
			assert.Zero(t, g.p.overlaps.Load())
			assert.Equal(t, 1, g.p.done+len(g.p.errs))
		}
	})
}

// ending completes its guest.
type ending struct {
	turn Turn
	g    *hosted
}

func (e *ending) DrainPass() {
	if !e.g.gone.Load() {
		e.g.half.SourceEnd(nil)
	}
}
func (e *ending) DrainCrashed(Drainer, error) {}

func TestHostOf(t *testing.T) {
	assert.Nil(t, HostOf(Empty))
	h := &hostSubscription{}
	assert.Same(t, h, HostOf(h))
}

type hostSubscription struct{ reactor.Subscription }

func (h *hostSubscription) Host() Host { return h }
func (h *hostSubscription) Lodged()    {}
func (h *hostSubscription) Tell(*Half) {}
