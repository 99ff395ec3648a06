package protocol

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// main stands for a stage whose elements go through a Half.
func TestHalfKeepsSignalsSerial(t *testing.T) {
	race(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		var refused atomic.Int32
		racers := []func(){
			func() {
				for i := range 4 {
					if !Deliver(h, p, i) {
						refused.Add(1)
					}
				}
				h.SourceEnd(nil)
			},
			func() { h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, 1, p.done+len(p.errs), "one terminal signal")
			assert.Equal(t, 4, len(p.items)+int(refused.Load()))
			if p.done == 1 {
				assert.Len(t, p.items, 4)
			}
			assert.True(t, h.Ended())
		}
	})
}

func TestHalfFirstEndWins(t *testing.T) {
	p := &probe[int]{}
	h := &Half{Down: p}
	assert.True(t, Deliver(h, p, 1))
	assert.True(t, h.End(nil))
	assert.False(t, h.End(assert.AnError))
	assert.False(t, h.SourceEnd(assert.AnError))
	assert.False(t, Deliver(h, p, 2))
	assert.Equal(t, []int{1}, p.items)
	assert.Equal(t, 1, p.done)
	assert.Empty(t, p.errs)
}

// An element that panics downstream unwinds through Next; the guard above then
// ends the stage while the serialiser is still taken.
func TestHalfDeliversTheFailureThatUnwound(t *testing.T) {
	race(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		p.onNext = func(int) { panic("below") }
		var first [2]bool
		racers := []func(){
			func() {
				Guard(func() { Deliver(h, p, 1) }, func(err error) { first[0] = h.SourceEnd(err) })
			},
			func() { first[1] = h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Len(t, p.errs, 1)
			assert.NotEqual(t, first[0], first[1], "one of them counts")
		}
	})
}
