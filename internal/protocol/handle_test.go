package protocol

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type disposeCount struct{ n atomic.Int32 }

func (d *disposeCount) Dispose()         { d.n.Add(1) }
func (d *disposeCount) IsDisposed() bool { return d.n.Load() > 0 }

func TestHandle(t *testing.T) {
	var h Handle
	var d [6]disposeCount
	disposed := func(n ...int) {
		t.Helper()
		for i := range d {
			want := int32(0)
			for _, k := range n {
				if k == i {
					want = 1
				}
			}
			assert.Equal(t, want, d[i].n.Load(), "the %d-th", i)
		}
	}
	h.Clear(0)
	h.Set(0, &d[0])
	disposed(0)
	h.Set(2, &d[2])
	h.Set(1, &d[1])
	disposed(0, 1)
	h.Set(3, &d[3])
	disposed(0, 1, 2)
	h.Clear(2)
	disposed(0, 1, 2)
	h.Clear(3)
	disposed(0, 1, 2, 3)
	h.Set(4, &d[4])
	assert.False(t, h.IsDisposed())
	h.Dispose()
	h.Dispose()
	assert.True(t, h.IsDisposed())
	h.Set(5, &d[5])
	disposed(0, 1, 2, 3, 4, 5)
}

func TestHandleRaces(t *testing.T) {
	racetest.Rounds(t, 1000, func() ([]func(), func()) {
		var h Handle
		var d [3]disposeCount
		racers := []func(){
			func() { h.Set(0, &d[0]) },
			func() { h.Clear(0); h.Set(1, &d[1]); h.Clear(1); h.Set(2, &d[2]) },
			h.Dispose,
		}
		return racers, func() {
			for i := range d {
				assert.EqualValues(t, 1, d[i].n.Load(), "the %d-th", i)
			}
		}
	})
	racetest.Rounds(t, 1000, func() ([]func(), func()) {
		var h Handle
		var d [2]disposeCount
		racers := []func(){
			func() { h.Set(0, &d[0]) },
			func() { h.Clear(0); h.Set(1, &d[1]) },
		}
		return racers, func() {
			assert.EqualValues(t, 1, d[0].n.Load())
			assert.Zero(t, d[1].n.Load(), "the later one stays")
		}
	})
}
