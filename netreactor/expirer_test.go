package netreactor

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTicksThatComeLate: what happens until a tick is not taken to have happened before, also
// where the machine was too busy for the tick to come in time.
func TestTicksThatComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &expirer{}
		e.init(&engine{set: &settings{shortest: 80 * time.Millisecond}})
		assert.Equal(t, 10*time.Millisecond, e.tick)
		e.n = 1
		e.advance(e.elapsed())
		begun := e.now.Load()
		assert.Equal(t, e.elapsed()+int64(15*time.Millisecond), begun)

		time.Sleep(10 * time.Millisecond)
		e.advance(e.elapsed())
		assert.Equal(t, begun, e.latest(begun), "in time")

		late := e.now.Load()
		time.Sleep(50 * time.Millisecond)
		e.advance(e.elapsed())
		assert.Equal(t, e.elapsed(), e.latest(late), "35 ms late")
		assert.Equal(t, begun, e.latest(begun))

		e.n = 0 // nothing can be noted: there is no connection
		last := e.now.Load()
		time.Sleep(time.Second)
		e.advance(e.elapsed())
		assert.Equal(t, last, e.latest(last))
	})
}

// TestATimeoutOfForEver is not one that is over.
func TestATimeoutOfForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := &settings{}
		set.IdleTimeout = math.MaxInt64
		set.complete()
		c := &connection{eng: newEngine(t.Context(), set)}
		e := &c.eng.expirer
		now := e.now.Load()
		c.watch.touched.Store(now)
		at, why := c.watch.due(c, now)
		assert.Equal(t, reasonNone, why)
		assert.Greater(t, at, now)
	})
}
