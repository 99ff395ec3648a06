package operators

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// times subscribes a probe to src throttled, and returns a function that lists when
// the elements came.
func times(h *handScheduler, demand int64, src reactor.Publisher[int], n int, interval time.Duration, opts ...ThrottleOption) (*probe.Probe[int], func() []time.Duration) {
	var got []time.Duration
	p := probeOf[int](demand)
	start := h.Now()
	p.Each = func(int) { got = append(got, h.Now().Sub(start)) }
	Throttle(src, n, interval, append(opts, On(h))...).Subscribe(context.Background(), p)
	return p, func() []time.Duration { return got }
}

// tick moves the clock by steps of one millisecond.
func (h *handScheduler) tick(d time.Duration) {
	h.run()
	for range d / ms {
		h.forward(ms)
	}
}

func every(first, distance time.Duration, n int) (out []time.Duration) {
	for i := range n {
		out = append(out, first+time.Duration(i)*distance)
	}
	return out
}

func TestThrottleEmitsSoManyPerInterval(t *testing.T) {
	h := &handScheduler{}
	p, got := times(h, reactor.Unbounded, Range(0, 1000), 100, time.Second)
	h.run()
	h.tick(1999 * ms)
	assert.Equal(t, every(0, 10*ms, 200), got(), "one each 10 ms, the first at once")
	p.Open(t, numbers(200)...)
	h.tick(7991 * ms)
	p.Done(t, numbers(1000)...)
	assert.Equal(t, 9990*ms, got()[999], "completion does not wait")
	h.assertReleased(t)
	assert.Zero(t, h.pending())
}

// An interval that can't be divided loses nothing by rounding.
func TestThrottleKeepsTheRateOfFractions(t *testing.T) {
	p := newPace(3, time.Second, 1)
	var at []time.Duration
	for now := time.Duration(0); len(at) < 3001; {
		if wait := p.take(now); wait > 0 {
			now += wait
			p.woken(now)
			continue
		}
		at = append(at, now)
	}
	for k := range 1000 {
		require.Equal(t, time.Duration(k)*time.Second, at[3*k])
	}
	assert.Equal(t, time.Second, at[5]-at[2])
}

func TestThrottleAfterAStandstill(t *testing.T) {
	const stop = 500 * ms
	for name, stand := range map[string]func(h *handScheduler) func() []time.Duration{
		"of the source": func(h *handScheduler) func() []time.Duration {
			src := &puppet[int]{}
			_, got := times(h, reactor.Unbounded, src, 100, time.Second)
			src.last().OnNext(0)
			h.tick(stop)
			for i := range 30 {
				src.last().OnNext(i)
			}
			h.run()
			return got
		},
		"of demand": func(h *handScheduler) func() []time.Duration {
			p, got := times(h, 1, Range(0, 1000), 100, time.Second)
			h.run()
			h.tick(stop)
			p.Request(30)
			h.run()
			return got
		},
		"of the subscriber": func(h *handScheduler) func() []time.Duration {
			var got []time.Duration
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(v int) {
				got = append(got, time.Duration(h.Now().UnixNano()))
				if v == 0 {
					h.mu.Lock()
					h.now += stop
					h.mu.Unlock()
				}
			}
			Throttle(Range(0, 1000), 100, time.Second, On(h)).Subscribe(context.Background(), p)
			h.run()
			return func() []time.Duration { return got }
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			got := stand(h)
			h.tick(100 * ms)
			require.GreaterOrEqual(t, len(got()), 12)
			assert.Equal(t, append([]time.Duration{0}, every(stop, 10*ms, 11)...), got()[:12], "no burst")
		})
	}
}

func TestThrottleBurst(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	_, got := times(h, reactor.Unbounded, src, 100, time.Second, Burst(3))
	for i := range 10 {
		src.last().OnNext(i)
	}
	h.tick(500 * ms)
	want := append([]time.Duration{0, 0, 0}, every(10*ms, 10*ms, 7)...)
	assert.Equal(t, want, got())
	src.last().OnNext(10)
	h.tick(15 * ms)
	for i := range 5 {
		src.last().OnNext(i)
	}
	h.tick(100 * ms)
	// Two tokens were left, and there was room for one of the one and a half that came.
	want = append(want, 500*ms, 515*ms, 515*ms, 515*ms, 525*ms, 535*ms)
	assert.Equal(t, want, got())
}

// Real timers fire late: that costs nothing of the rate, but what is later than usual is
// a pause of the source.
func TestThrottleMakesUpForLateTimers(t *testing.T) {
	h := &handScheduler{}
	_, got := times(h, reactor.Unbounded, Range(0, 1000), 1000, time.Second)
	h.run()
	for range 10 {
		h.forward(4 * ms)
	}
	assert.Len(t, got(), 41)
	h.forward(500 * ms)
	assert.Len(t, got(), 41+11, "no more than 10 ms are made up for")
	h.forward(10 * ms)
	assert.Len(t, got(), 41+11+10)
}

// What is made up for is the lateness of this timer, not that of one long ago.
func TestPaceForgetsLateTimers(t *testing.T) {
	p := newPace(1, 10*ms, 1)
	require.Zero(t, p.take(0))
	require.Equal(t, 10*ms, p.take(0))
	p.woken(20 * ms)
	require.Zero(t, p.take(20*ms), "due at 10")
	late := p
	require.Zero(t, late.take(20*ms), "due at 20: two of one in each interval come at once")
	require.Zero(t, p.take(600*ms), "due at 20")
	assert.Equal(t, 10*ms, p.take(600*ms))
}

func TestThrottleSetsOneTimer(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	times(h, reactor.Unbounded, src, 1, time.Second)
	for i := range 5 {
		src.last().OnNext(i)
		h.run()
	}
	assert.Equal(t, 1, h.pending())
}

func TestThrottleDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p, got := times(h, 2, src, 1, 10*ms, Prefetch(4))
	up := src.last()
	assert.EqualValues(t, 4, up.requested.Load(), "prefetch, whatever the demand")
	for i := range 4 {
		up.OnNext(i)
	}
	h.tick(100 * ms)
	assert.Equal(t, []time.Duration{0, 10 * ms}, got(), "no more than was requested")
	assert.EqualValues(t, 4, up.requested.Load())
	p.Request(1)
	h.run()
	assert.Equal(t, 100*ms, got()[2], "a late request is served at once")
	assert.EqualValues(t, 7, up.requested.Load(), "replenished")
	up.OnNext(4)
	up.OnNext(5)
	up.OnNext(6)
	up.OnNext(7)
	p.Request(reactor.Unbounded)
	h.tick(100 * ms)
	p.Failed(t, reactor.ErrOverflow, 0, 1, 2, 3, 4, 5, 6)
}

func TestThrottleOfAnUnboundedSourceAsksForLittle(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	times(h, reactor.Unbounded, src, 100, time.Second)
	assert.EqualValues(t, 32, src.last().requested.Load())
}

func TestThrottleEnds(t *testing.T) {
	t.Run("an empty source", func(t *testing.T) {
		h := &handScheduler{}
		p, _ := times(h, 0, Empty[int](), 1, time.Hour)
		h.run()
		p.Done(t)
		h.assertReleased(t)
	})
	t.Run("an error waits until everything was delivered", func(t *testing.T) {
		h := &handScheduler{}
		src := &puppet[int]{}
		p, got := times(h, reactor.Unbounded, src, 1, 10*ms)
		src.last().OnNext(1)
		src.last().OnNext(2)
		src.last().OnError(errBoom)
		h.tick(9 * ms)
		p.Open(t, 1)
		h.tick(ms)
		p.Failed(t, errBoom, 1, 2)
		assert.Equal(t, []time.Duration{0, 10 * ms}, got())
		assert.Zero(t, src.last().cancels.Load())
	})
	t.Run("a cancellation discards what waits and stops the timer", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{}
		src := &puppet[int]{}
		p := runWith(ctx, Throttle(src, 1, 10*ms, On(h)))
		for i := range 3 {
			src.last().OnNext(i)
		}
		h.run()
		assert.Equal(t, 1, h.pending())
		p.Cancel()
		assert.Zero(t, h.pending())
		assert.EqualValues(t, 1, src.last().cancels.Load())
		src.last().OnNext(3)
		src.last().OnError(errBoom)
		p.Open(t, 0)
		accounted(t, p, hooks, 0, 1, 2, 3)
		h.assertReleased(t)
	})
	t.Run("the timer is refused", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{onOffer: func(n int) error {
			if n > 1 {
				return schedulers.ErrUnavailable
			}
			return nil
		}}
		src := &puppet[int]{}
		p := runWith(ctx, Throttle(src, 1, 10*ms, On(h)))
		src.last().OnNext(0)
		src.last().OnNext(1)
		src.last().OnError(errBoom)
		h.run()
		p.Failed(t, reactor.ErrRejected, 0)
		assert.ErrorContains(t, p.Failure(), "throttle")
		accounted(t, p, hooks, 0, 1)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
		h.assertReleased(t)
	})
	t.Run("downstream fails", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{}
		src := &puppet[int]{}
		p := runWith(ctx, Map(Throttle(src, 1, 10*ms, On(h)), func(v int) int {
			if v == 1 {
				panic(errBoom)
			}
			return v
		}))
		for i := range 3 {
			src.last().OnNext(i)
		}
		h.tick(10 * ms)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		accounted(t, p, hooks, 0, 1, 2)
		assert.Zero(t, h.pending())
		h.assertReleased(t)
	})
}

func TestThrottleArguments(t *testing.T) {
	for want, call := range map[string]func(){
		"reactor: throttle: n must be positive, got 0":         func() { Throttle(Empty[int](), 0, 1) },
		"reactor: throttle: interval must be positive, got 0s": func() { Throttle(Empty[int](), 1, 0) },
		"reactor: throttle: burst must be positive, got 0":     func() { Throttle(Empty[int](), 1, 1, Burst(0)) },
		"reactor: throttle: prefetch must be positive, got 0":  func() { Throttle(Empty[int](), 1, 1, Prefetch(0)) },
	} {
		assert.PanicsWithValue(t, want, call)
	}
}

// Numbers at the end of their range do not overflow.
func TestPaceOfExtremes(t *testing.T) {
	p := newPace(1, time.Hour, math.MaxInt)
	for range 1000 {
		require.Zero(t, p.take(1), "a burst of as many as there are")
	}
	p = newPace(1, math.MaxInt64, 1)
	require.Zero(t, p.take(math.MaxInt64-1))
	assert.EqualValues(t, 1, p.take(math.MaxInt64-1))
	p = newPace(math.MaxInt, 1, 1)
	for range 1000 {
		require.Zero(t, p.take(0), "more than one in a nanosecond")
	}
}

// A clock in a bubble is the real one's code: so many in ten seconds, and no goroutine and no
// timer after that.
func TestThrottleOnRealWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := schedulers.NewParallel("bubble", 2)
		require.NoError(t, err)
		start := time.Now()
		count := map[time.Duration]int{}
		assert.NoError(t, ForEach(context.Background(), Throttle(Range(0, 1000), 100, time.Second, On(s)), func(int) {
			count[time.Since(start)/time.Second]++
		}))
		for second := range 10 {
			assert.Equal(t, 100, count[time.Duration(second)], fmt.Sprint("second ", second))
		}
		assert.Len(t, count, 10)
		assert.NoError(t, s.DisposeGracefully(context.Background()))
		runtime.Gosched()
	})
}

func TestThrottleRaces(t *testing.T) {
	raceStage(t, 300, func(src elements, h *handScheduler) reactor.Publisher[element] {
		return Throttle(src, 1, time.Second, Prefetch(4), On(h))
	})
}
