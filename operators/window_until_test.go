package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestWindowUntilDemand(t *testing.T) {
	src := &puppet[int]{}
	r := readWindows(t.Context(), WindowUntil(src, func(v int) bool { return v%3 == 0 }, bare[int], Prefetch(8)), 1, 0)
	up := src.last()
	assert.EqualValues(t, 8, up.requested.Load())
	up.OnNext(1)
	assert.EqualValues(t, 9, up.requested.Load(), "one for the window")
	r.windows[0].Request(9)
	assert.EqualValues(t, 10, up.requested.Load())
	up.OnNext(2)
	up.OnNext(3)
	assert.EqualValues(t, 13, up.requested.Load(), "one for the end of the window")
	up.OnNext(4)
	assert.Len(t, r.windows, 1, "no demand")
	assert.EqualValues(t, 13, up.requested.Load())
	r.Request(1)
	assert.Len(t, r.windows, 2)
	assert.EqualValues(t, 14, up.requested.Load())
}

// TestWindowUntilSupply reads windows when they have long ended: the supplier must
// neither run dry nor grow.
func TestWindowUntilSupply(t *testing.T) {
	for name, size := range map[string]int{"short": 1, "long": 100} {
		for prefetch, late := range map[int]int{1: 0, 4: 1, 16: 3, 256: 2} {
			src := &puppet[int]{}
			p := probeOf[stream](reactor.Unbounded)
			WindowUntil(src, func(v int) bool { return v%size == size-1 }, bare[int], Prefetch(prefetch)).Subscribe(t.Context(), p)
			up := src.last()
			var windows []stream
			p.Each = func(w stream) { windows = append(windows, w) }
			sent, read, delivered := int64(0), 0, int64(0)
			for sent < 20_000 {
				for sent < up.requested.Load() {
					up.OnNext(int(sent))
					sent++
				}
				if read+late >= len(windows) && sent == up.requested.Load() && read == len(windows) {
					t.Fatalf("%s, prefetch %d: nothing moves after %d elements", name, prefetch, sent)
				}
				for ; read < len(windows); read++ {
					s := run(windows[read])
					s.Each = func(int) { delivered++ }
				}
				if ahead := up.requested.Load() - sent; ahead >= int64(3*prefetch+4) {
					t.Fatalf("%s, prefetch %d: %d requested beyond what was sent", name, prefetch, ahead)
				}
			}
		}
	}
}

// TestWindowUntilCancelledUnread cancels a window that a source could fill at once: after the
// stream of windows, nobody wants anything more; before it, the source is read up to the end of
// the window, but not on through the windows that come after that.
func TestWindowUntilCancelledUnread(t *testing.T) {
	const end = 5000
	for name, c := range map[string]struct {
		flatten  func(reactor.Publisher[stream]) stream
		min, max int
	}{
		"flatMap":   {func(ws reactor.Publisher[stream]) stream { return FlatMap(ws, bare[int]) }, 0, 300},
		"concatMap": {func(ws reactor.Publisher[stream]) stream { return ConcatMap(ws, bare[int]) }, end, end + 300},
		"one by one": {func(ws reactor.Publisher[stream]) stream {
			return ConcatMap(ws, bare[int], Prefetch(0))
		}, end, end + 300},
		"switchMap": {func(ws reactor.Publisher[stream]) stream { return SwitchMap(ws, bare[int]) }, end, end + 300},
	} {
		sent := 0
		src := DoOnNext(Range(1, 3*end), func(int) { sent++ })
		p := probeOf[int](1)
		c.flatten(WindowUntil(src, func(v int) bool { return v%end == 0 }, bare[int])).Subscribe(t.Context(), p)
		assert.Less(t, sent, 300, name)
		p.Cancel()
		assert.GreaterOrEqual(t, sent, c.min, name)
		assert.Less(t, sent, c.max, name)
	}
}
