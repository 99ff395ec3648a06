package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The function that hears of evictions ends the goroutine: the element is discarded all the same, those behind it are
// looked at, what comes is kept, and a stream whose source has completed ends.
func TestOnBackpressureBufferTimeoutEvictedEndsGoroutine(t *testing.T) {
	for name, c := range map[string]struct {
		capacity int
		evict    func(h *handScheduler, up *puppetSubscription[int], p *probe.Probe[int])
		want     []any
		over     bool
		left     []int // what there is for a request that comes then
	}{
		"its time is up": {9, func(h *handScheduler, up *puppetSubscription[int], _ *probe.Probe[int]) {
			up.OnComplete()
			h.forward(10)
		}, []any{1, 2}, true, nil},
		"no room":   {2, func(_ *handScheduler, up *puppetSubscription[int], _ *probe.Probe[int]) { up.OnNext(3) }, []any{1}, false, []int{2, 3}},
		"cancelled": {9, func(_ *handScheduler, _ *puppetSubscription[int], p *probe.Probe[int]) { p.Cancel() }, []any{1, 2}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h, src := &handScheduler{}, &puppet[int]{}
			var told []any
			p := probeOf[int](0)
			OnBackpressureBufferTimeout(src, 10, c.capacity, func(v int) { told = append(told, v); runtime.Goexit() }, On(h)).Subscribe(ctx, p)
			src.last().OnNext(1)
			src.last().OnNext(2)
			racetest.Aside(func() { c.evict(h, src.last(), p) })
			assert.Equal(t, c.want, hooks.Discarded)
			assert.Equal(t, c.want, told)
			assert.Equal(t, c.over, p.Over())
			p.Request(9)
			p.Items(t, c.left...)
		})
	}
}
