package demand

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestDemandSaturates(t *testing.T) {
	const top = reactor.Unbounded
	for _, c := range []struct{ a, b, sum, product int64 }{
		{0, 0, 0, 0},
		{1, 2, 3, 2},
		{top, 0, top, 0},
		{top, 1, top, top},
		{top - 1, 1, top, top - 1},
		{top - 1, 2, top, top},
		{top / 2, top/2 + 1, top, top},
		{top/2 + 1, 2, top/2 + 3, top},
		{top, top, top, top},
		{math.MaxInt32, math.MaxInt32, 2 * math.MaxInt32, math.MaxInt32 * math.MaxInt32},
	} {
		assert.Equal(t, c.sum, Sum(c.a, c.b), "%d + %d", c.a, c.b)
		assert.Equal(t, c.product, Product(c.a, c.b), "%d * %d", c.a, c.b)
	}
}

func TestUnboundedDemandIsNeverUsedUp(t *testing.T) {
	var r atomic.Int64
	assert.Zero(t, Add(&r, reactor.Unbounded))
	assert.Equal(t, reactor.Unbounded, Produced(&r, 1_000_000))
	assert.Equal(t, reactor.Unbounded, Add(&r, 5))
}

func TestProducedNeverGoesBelowZero(t *testing.T) {
	var r atomic.Int64
	Add(&r, 3)
	assert.Equal(t, int64(1), Produced(&r, 2))
	assert.Zero(t, Produced(&r, 2))
}

func TestDemandAddsUpUnderContention(t *testing.T) {
	racetest.Rounds(t, 500, func() ([]func(), func()) {
		var r atomic.Int64
		Add(&r, 100)
		add := func() {
			for range 10 {
				Add(&r, 3)
			}
		}
		take := func() {
			for range 10 {
				Produced(&r, 2)
			}
		}
		return []func(){add, take, add}, func() { assert.Equal(t, int64(100+60-20), r.Load()) }
	})
}

func TestRefillAsksForThreeQuarters(t *testing.T) {
	for _, c := range []struct{ prefetch, limit int64 }{
		{1, 1}, {2, 2}, {3, 3}, {4, 3}, {5, 4}, {8, 6}, {32, 24}, {256, 192},
	} {
		r := NewRefill(c.prefetch)
		for i := int64(1); i < c.limit; i++ {
			assert.Zero(t, r.Consumed(1), "prefetch %d after %d", c.prefetch, i)
		}
		assert.Equal(t, c.limit, r.Consumed(1), "prefetch %d", c.prefetch)
		assert.Equal(t, c.limit+1, r.Consumed(c.limit+1), "a batch is counted whole")
	}
	r := NewRefill(reactor.Unbounded)
	assert.Zero(t, r.Consumed(1<<40))
}

func TestRefillAtLowTide(t *testing.T) {
	for _, c := range []struct{ prefetch, low, batch int64 }{
		{10, 0, 10}, {10, 3, 3}, {10, 10, 8}, {10, 11, 8}, {1, 1, 1}, {4, 4, 3},
		{reactor.Unbounded, 5, reactor.Unbounded},
	} {
		r := NewRefillAt(c.prefetch, c.low)
		assert.Equal(t, c.batch, r.Left(), "%+v", c)
		if c.batch == reactor.Unbounded {
			assert.Zero(t, r.Consumed(1000))
			continue
		}
		assert.Zero(t, r.Consumed(c.batch-1))
		assert.EqualValues(t, 1, r.Left())
		assert.Equal(t, c.batch, r.Consumed(1))
		assert.Equal(t, c.batch, r.Left())
	}
}
