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

// watched returns a connection that is watched over, and that notes are made of in the time of a bubble.
func watched(t *testing.T, opts ...BindOption) *connection {
	c := bookkept(t, engineFor(t, opts...))
	c.eng.expirer.add(c)
	return c
}

// TestWhatIsWrittenDoesNotStall: a peer that has taken all is not waited for, whatever was before.
func TestWhatIsWrittenDoesNotStall(t *testing.T) {
	c := watched(t, WriteTimeout(time.Second))
	defer c.eng.expirer.remove(c)
	c.out.size = 10
	c.watch.wrote(c, false)
	since := c.watch.stalled.Load()
	assert.NotZero(t, since)
	c.eng.expirer.now.Add(5)
	c.watch.wrote(c, false)
	assert.Equal(t, since, c.watch.stalled.Load())
	c.watch.wrote(c, true)
	assert.Equal(t, since+5, c.watch.stalled.Load(), "it has taken something")
	c.out.size = 0
	c.watch.wrote(c, true)
	assert.Zero(t, c.watch.stalled.Load())
}

// TestWhatComesIsActivity: a connection that only reads is as idle as its last bytes are old.
func TestWhatComesIsActivity(t *testing.T) {
	c := watched(t, FirstFrameTimeout(0), IdleTimeout(time.Second))
	defer c.eng.expirer.remove(c)
	e := &c.eng.expirer
	e.now.Add(int64(time.Minute))
	e.mu.Lock()
	defer e.mu.Unlock() // before it is removed
	_, why := c.watch.due(c, e.now.Load())
	assert.Equal(t, ReasonIdleTimeout, why)
	c.watch.touch(c)
	_, why = c.watch.due(c, e.now.Load())
	assert.Equal(t, reasonNone, why)
}

// TestAMessageThatHasBegun counts from its own bytes, and only if somebody wants them.
func TestAMessageThatHasBegun(t *testing.T) {
	c := watched(t, ReadTimeout(time.Second))
	defer c.eng.expirer.remove(c)
	c.in.data = []byte("a part")
	c.watch.note(c, true, false)
	since := c.watch.begun.Load()
	assert.NotZero(t, since)
	c.eng.expirer.now.Add(5)
	c.watch.note(c, true, false)
	assert.Equal(t, since, c.watch.begun.Load())
	c.delivered.Add(1)
	c.watch.note(c, true, false)
	assert.Equal(t, since+5, c.watch.begun.Load(), "it is the next one")
	c.watch.note(c, false, false)
	assert.Zero(t, c.watch.begun.Load(), "nobody reads it")
}

// TestNoPauseInADrain: nobody can ask for more then.
func TestNoPauseInADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := watched(t, PausedTimeout(time.Second))
		defer c.eng.expirer.remove(c)
		c.watch.begin(c)
		c.delivered.Add(1)
		now := c.watch.paused.Load() + int64(time.Hour)
		_, why := c.watch.due(c, now)
		assert.Equal(t, ReasonPausedTimeout, why)
		c.eng.draining.Store(true)
		_, why = c.watch.due(c, now)
		assert.Equal(t, reasonNone, why)
	})
}

// TestWhatLingers is counted as long as it does.
func TestWhatLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := watched(t)
		e := &c.eng.expirer
		e.linger(c)
		assert.Equal(t, 1, e.lingering)
		e.remove(c)
		assert.Zero(t, e.lingering)
	})
}

// TestHowLongASocketLingers: half a second, whatever the time-outs are.
func TestHowLongASocketLingers(t *testing.T) {
	for name, opts := range map[string][]BindOption{"none": {FirstFrameTimeout(0)}, "long": nil, "short": {IdleTimeout(80 * time.Millisecond)}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := watched(t, opts...)
				defer c.eng.expirer.remove(c)
				c.eng.expirer.linger(c)
				time.Sleep(lingerTime - 1)
				synctest.Wait()
				assert.EqualValues(t, lingering, c.watch.linger.Load())
				time.Sleep(2 * shortTick)
				synctest.Wait()
				assert.EqualValues(t, lingered, c.watch.linger.Load())
			})
		})
	}
}

// TestWhatIsWrittenIsActivity, if the peer takes it.
func TestWhatIsWrittenIsActivity(t *testing.T) {
	c := watched(t, IdleTimeout(time.Second))
	defer c.eng.expirer.remove(c)
	since := c.watch.touched.Load()
	c.eng.expirer.now.Add(5)
	c.watch.wrote(c, false)
	assert.Equal(t, since, c.watch.touched.Load())
	c.watch.wrote(c, true)
	assert.Equal(t, since+5, c.watch.touched.Load())
}

// acknowledging is a socket whose kernel says how much its peer has not acknowledged.
type acknowledging struct {
	*paper
	left int
}

func (p *acknowledging) unacked() (int, bool) { return p.left, true }

// TestWhatArrives is seen once, to the last byte.
func TestWhatArrives(t *testing.T) {
	c := bookkept(t, engineFor(t))
	p := &acknowledging{c.tr.(*paper), 0}
	c.tr = p
	for _, step := range []struct {
		written, left int
		arrives       bool
	}{{0, 0, false}, {10, 10, false}, {10, 4, true}, {10, 4, false}, {10, 0, true}, {10, 0, false}, {15, 2, true}, {15, 0, true}, {15, 0, false}} {
		c.bytesOut.Store(uint64(step.written))
		p.left = step.left
		assert.Equal(t, step.arrives, c.watch.arrives(c), step)
	}
}

// TestTheShortestTimeout says how often somebody looks, wherever it stands among the others.
func TestTheShortestTimeout(t *testing.T) {
	for want, opts := range map[time.Duration][]BindOption{
		0:           {FirstFrameTimeout(0)},
		time.Second: {FirstFrameTimeout(time.Minute), ReadTimeout(time.Second), WriteTimeout(time.Hour)},
		time.Minute: {FirstFrameTimeout(time.Minute), PausedTimeout(time.Hour)},
	} {
		assert.Equal(t, want, engineFor(t, opts...).set.shortest)
	}
}
