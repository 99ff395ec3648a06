package schedulers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// looks tells p of looks, each of which found n tasks.
func (p *pace) looks(times, n int) {
	for range times {
		p.found(n)
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p *pace)
		want int32
	}{
		{"a loop that has just begun", func(p *pace) {}, 0},
		{"little, not often enough", func(p *pace) { p.looks(leanLooks-1, 1) }, 0},
		{"little, again and again", func(p *pace) { p.looks(leanLooks, 1) }, firstPause},
		{"the most that is little", func(p *pace) { p.looks(leanLooks, chunkSize/8) }, firstPause},
		{"more than little", func(p *pace) { p.looks(1000, chunkSize/8+1) }, 0},
		{"more than little in between", func(p *pace) { p.looks(leanLooks-1, 1); p.found(chunkSize); p.looks(leanLooks-1, 1) }, 0},
		{"nothing in between", func(p *pace) { p.looks(leanLooks-1, 1); p.nothing(); p.looks(leanLooks-1, 1) }, 0},
		{"a try in vain", func(p *pace) { p.looks(leanLooks, 1); p.found(chunkSize / 16) }, 0},
		{"no other try soon", func(p *pace) { p.looks(leanLooks, 1); p.found(1); p.looks(vainLooks+leanLooks-1, 1) }, 0},
		{"another try later", func(p *pace) { p.looks(leanLooks, 1); p.found(1); p.looks(vainLooks+leanLooks, 1) }, firstPause},
		{"nothing after a try in vain is no reason to try", func(p *pace) {
			p.looks(leanLooks, 1)
			p.found(1)
			p.nothing()
			p.looks(vainLooks+leanLooks-1, 1)
		}, 0},
		{"a try that was of use", func(p *pace) { p.looks(leanLooks, 1); p.found(chunkSize/16 + 1) }, 2 * firstPause},
		{"as long as it takes", func(p *pace) { p.looks(leanLooks, 1); p.looks(9, chunkSize/2-1) }, longestPause},
		{"no longer", func(p *pace) { p.looks(leanLooks, 1); p.looks(9, chunkSize/2) }, firstPause},
		{"nothing after a pause", func(p *pace) { p.looks(leanLooks, 1); p.looks(9, 20); p.nothing() }, 0},
	} {
		var p pace
		c.do(&p)
		assert.Equal(t, c.want, p.pause, c.name)
	}
}

// Who kills a slot waits for no pause.
func TestAKilledSlotDoesNotLinger(t *testing.T) {
	s := &slot{pace: pace{pause: longestPause}}
	assert.Zero(t, s.linger())
	s.killed.Store(true)
	assert.EqualValues(t, longestPause, s.linger())
}

func TestALoopThatKeepsUpLingers(t *testing.T) {
	s := newSlot(slotConfig{limit: Unlimited, clock: systemClock{}})
	s.active = true // the loop is this test
	for range leanLooks {
		require.Zero(t, s.pace.pause)
		require.NoError(t, s.submit(item{fn: nothing}))
		require.True(t, s.more(false))
		s.runBatch()
	}
	assert.EqualValues(t, firstPause, s.pace.pause)
	assert.False(t, s.more(false))
	assert.Zero(t, s.pace.pause, "there was nothing")
}
