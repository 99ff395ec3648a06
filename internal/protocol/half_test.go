package protocol

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
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
	assert.Equal(t, assert.AnError, h.SourceEnd(assert.AnError))
	assert.False(t, Deliver(h, p, 2))
	assert.Equal(t, []int{1}, p.items)
	assert.Equal(t, 1, p.done)
	assert.Empty(t, p.errs)
}

// An end that comes during an element that fails is never delivered: the stages on the way down have
// to hear of the failure.
func TestHalfReplacesAnEndByTheFailureBeforeIt(t *testing.T) {
	for name, end := range map[string]error{"completion": nil, "error": assert.AnError} {
		t.Run(name, func(t *testing.T) {
			p := &probe[int]{}
			h := &Half{Down: p}
			p.onNext = func(int) {
				assert.True(t, h.End(end))
				panic("below")
			}
			var unheard error
			Guard(func() { Deliver(h, p, 1) }, func(err error) { unheard = h.SourceEnd(err) })
			assert.Equal(t, end, unheard)
			assert.Zero(t, p.done)
			require.Len(t, p.errs, 1)
			assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError))
			assert.Equal(t, assert.AnError, h.SourceEnd(assert.AnError), "once")
		})
	}
}

// An element that panics downstream unwinds through Next; the guard above then
// ends the stage while the serialiser is still taken.
func TestHalfDeliversTheFailureThatUnwound(t *testing.T) {
	race(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		h := &Half{Down: p}
		p.onNext = func(int) { panic("below") }
		var unheard error
		delivered, counts := true, false
		racers := []func(){
			func() {
				Guard(func() { delivered = Deliver(h, p, 1) }, func(err error) { unheard = h.SourceEnd(err) })
			},
			func() { counts = h.End(assert.AnError) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			require.Len(t, p.errs, 1)
			if !delivered {
				assert.Equal(t, assert.AnError, p.errs[0], "the end came first")
				return
			}
			assert.ErrorAs(t, p.errs[0], new(*reactor.PanicError), "whenever the other end came")
			assert.Equal(t, counts, unheard == assert.AnError, "an end that counted is replaced")
		}
	})
}
