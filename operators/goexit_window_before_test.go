package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A failure of the next window is told also if a subscriber of the one before, which gets its last element and its end all the same, ends
// the goroutine.
func TestWindowTimeoutFairFailsAndTheWindowBeforeEndsTheGoroutine(t *testing.T) {
	for name, replace := range map[string]func(up *puppetSubscription[int], h *handScheduler){
		"element": func(up *puppetSubscription[int], _ *handScheduler) { up.OnNext(1); up.OnNext(2) },
		"end":     func(up *puppetSubscription[int], h *handScheduler) { up.OnNext(1); h.forward(10) },
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			ctx, _ := probe.Recorded()
			p := probeOf[stream](9)
			var got []int
			ended, n := false, 0
			p.Each = func(w stream) {
				if n++; n == 2 {
					panic(errBoom)
				}
				SubscribeFunc(ctx, w, func(v int) {
					if got = append(got, v); v == 2 {
						runtime.Goexit()
					}
				}, OnComplete(func() { ended = true; runtime.Goexit() }))
			}
			timeoutWindows(src, h, FairBackpressure()).Subscribe(ctx, p)
			src.last().OnNext(0)
			racetest.Aside(func() { replace(src.last(), h) })
			assert.ErrorIs(t, p.Failure(), errBoom)
			assert.Equal(t, name == "end", ended)
			assert.Equal(t, numbers(len(got)), got)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.Zero(t, h.pending())
		})
	}
}

// So it is for a window whose time was over before there was demand for it, and whose subscriber fails.
func TestWindowTimeoutFairFailsAndItsOwnEndEndsTheGoroutine(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	ctx, _ := probe.Recorded()
	p := probeOf[stream](1)
	ended, n := false, 0
	p.Each = func(w stream) {
		if n++; n == 2 {
			SubscribeFunc(ctx, w, func(int) {}, OnComplete(func() { ended = true; runtime.Goexit() }))
			panic(errBoom)
		}
	}
	timeoutWindows(src, h, FairBackpressure()).Subscribe(ctx, p)
	src.last().OnNext(0)
	h.forward(10)
	h.forward(10)
	racetest.Aside(func() { p.Request(1) })
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.True(t, ended)
	assert.Zero(t, h.pending())
}
