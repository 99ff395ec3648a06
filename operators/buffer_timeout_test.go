package operators

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// bufferTimeouts are the two ways to deal with a lack of demand.
func bufferTimeouts(h *handScheduler) map[string][]BufferTimeoutOption {
	return map[string][]BufferTimeoutOption{"classic": {On(h)}, "fair": {On(h), FairBackpressure()}}
}

func eachBufferTimeout(t *testing.T, fn func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption)) {
	for name := range bufferTimeouts(nil) {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			fn(t, h, bufferTimeouts(h)[name])
		})
	}
}

func TestBufferTimeout(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &puppet[int]{}
		p := run(BufferTimeout(src, 3, 10, opts...))
		up := src.last()
		up.OnNext(1)
		h.forward(6)
		up.OnNext(2)
		h.forward(3)
		p.Open(t)
		h.forward(1)
		p.Open(t, []int{1, 2})
		assert.Zero(t, h.pending())
		h.forward(50)
		up.OnNext(3)
		up.OnNext(4)
		up.OnNext(5)
		assert.Zero(t, h.pending(), "a full buffer needs no timer")
		up.OnNext(6)
		h.forward(9)
		p.Open(t, []int{1, 2}, []int{3, 4, 5})
		h.forward(1)
		up.OnNext(7)
		up.OnComplete()
		p.Done(t, []int{1, 2}, []int{3, 4, 5}, []int{6}, []int{7})
		assert.Zero(t, h.pending())
		assert.Zero(t, up.cancels.Load())
	})
}

// TestBufferTimeoutIgnoresOldTimers has a timer go off that was too late to be taken
// back.
func TestBufferTimeoutIgnoresOldTimers(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &puppet[int]{}
		p := run(BufferTimeout(src, 2, 10, opts...))
		src.last().OnNext(1)
		old := h.waiting[0].run
		src.last().OnNext(2)
		src.last().OnNext(3)
		old(context.Background())
		p.Open(t, []int{1, 2})
		h.forward(10)
		p.Open(t, []int{1, 2}, []int{3})
	})
}

// An old timer may even be told of after the one that has followed it has gone off.
func TestBufferTimeoutOldTimerComesLast(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &puppet[int]{}
		p := run(BufferTimeout(src, 2, 10, append(opts, On(&tellingLate{handScheduler: h, at: 2}))...))
		src.last().OnNext(1)
		src.last().OnNext(2)
		src.last().OnNext(3)
		p.Open(t, []int{1, 2}, []int{3})
	})
}

// tellingLate runs the task with the number at, and then those before, while that is being scheduled.
type tellingLate struct {
	*handScheduler
	at    int
	tasks []schedulers.Task
}

func (s *tellingLate) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	timer, err := s.handScheduler.ScheduleAfter(task, d)
	if s.tasks = append(s.tasks, task); len(s.tasks) == s.at {
		for i := s.at - 1; i >= 0; i-- {
			s.tasks[i](context.Background())
		}
	}
	return timer, err
}

func TestBufferTimeoutOfOne(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		run(BufferTimeout(Range(1, 2), 1, 10, opts...)).Done(t, []int{1}, []int{2})
		assert.Zero(t, h.pending())
	})
}

func TestBufferTimeoutFails(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &puppet[int]{}
		p := run(BufferTimeout(src, 3, 10, opts...))
		src.last().OnNext(1)
		src.last().OnError(errBoom)
		assert.Zero(t, h.pending())
		assert.ErrorIs(t, p.Failure(), errBoom)
		p.Faultless(t)

		h.refuse(schedulers.ErrUnavailable)
		ctx, hooks := probe.Recorded()
		p = runWith(ctx, BufferTimeout(src, 3, 10, opts...))
		src.last().OnNext(2)
		p.Failed(t, reactor.ErrRejected)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		src.last().OnNext(3)
		accountedIn(t, p, hooks, 2, 3)
	})
}

func TestBufferTimeoutCancel(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, BufferTimeout(src, 3, 10, opts...))
		for i := 1; i <= 4; i++ {
			src.last().OnNext(i)
		}
		p.Cancel()
		p.Cancel()
		assert.Zero(t, h.pending())
		src.last().OnNext(5)
		src.last().OnComplete()
		p.Open(t, []int{1, 2, 3})
		assert.EqualValues(t, 1, src.last().cancels.Load())
		accountedIn(t, p, hooks, 1, 2, 3, 4, 5)
	})
}

func TestBufferTimeoutDownstreamPanics(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		for name, act := range map[string]func(*puppetSubscription[int]){
			"full":      func(up *puppetSubscription[int]) { up.OnNext(3) },
			"timed out": func(*puppetSubscription[int]) { h.forward(10) },
			"completed": func(up *puppetSubscription[int]) { up.OnComplete() },
		} {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := runWith(ctx, Map(BufferTimeout(src, 3, 10, opts...), func([]int) int { panic(errBoom) }))
			src.last().OnNext(1)
			src.last().OnNext(2)
			act(src.last())
			p.Failed(t, errBoom)
			assert.Zero(t, h.pending())
			want := []any{1, 2}
			if name == "full" {
				want = []any{1, 2, 3}
			}
			assert.Equal(t, want, hooks.Discarded, name)
		}
	})
}

func TestBufferTimeoutBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: bufferTimeout: size must be positive, got 0", func() { BufferTimeout(Empty[int](), 0, 1) })
	assert.PanicsWithValue(t, "reactor: bufferTimeout: duration must be positive, got 0s", func() { BufferTimeout(Empty[int](), 1, 0) })
	assert.PanicsWithValue(t, "reactor: bufferTimeout: the scheduler is nil", func() { BufferTimeout(Empty[int](), 1, 1, On(nil)) })
}

func TestBufferTimeoutDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[[]int](0)
	BufferTimeout(src, 3, 10, On(h)).Subscribe(context.Background(), p)
	up := src.last()
	assert.Zero(t, up.requested.Load())
	p.Request(2)
	assert.EqualValues(t, 6, up.requested.Load())
	up.OnNext(1)
	h.forward(10)
	p.Open(t, []int{1})
	p.Request(1)
	assert.EqualValues(t, 7, up.requested.Load(), "5 are on their way, 6 are wanted")
	p.Request(math.MaxInt64 / 2)
	p.Request(math.MaxInt64 / 2)
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
}

func TestBufferTimeoutOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[[]int](1)
	BufferTimeout(src, 3, 10, On(h)).Subscribe(ctx, p)
	src.last().OnNext(1)
	h.forward(10)
	src.last().OnNext(2)
	p.Open(t, []int{1})
	h.forward(10)
	p.Failed(t, reactor.ErrOverflow, []int{1})
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accountedIn(t, p, hooks, 1, 2)

	p = probeOf[[]int](1)
	BufferTimeout(src, 3, 10, On(h)).Subscribe(ctx, p)
	src.last().OnNext(3)
	h.forward(10)
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Failed(t, reactor.ErrOverflow, []int{3})
}

func TestBufferTimeoutUnrequested(t *testing.T) {
	for _, fair := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{}
		src := &puppet[int]{}
		p := probeOf[[]int](0)
		opts := []BufferTimeoutOption{On(h)}
		if fair {
			opts = append(opts, FairBackpressure())
		}
		BufferTimeout(src, 1, 10, opts...).Subscribe(ctx, p)
		for i := range 5 {
			src.last().OnNext(i)
		}
		if fair {
			p.Request(9)
			p.Failed(t, reactor.ErrOverflow, []int{0}, []int{1}, []int{2}, []int{3})
		} else {
			p.Failed(t, reactor.ErrOverflow)
		}
		assert.EqualValues(t, 1, src.last().cancels.Load())
		accountedIn(t, p, hooks, 0, 1, 2, 3, 4)
	}
}

func TestBufferTimeoutFairDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[[]int](0)
	BufferTimeout(src, 2, 10, On(h), FairBackpressure()).Subscribe(context.Background(), p)
	up := src.last()
	assert.Zero(t, up.requested.Load(), "not before somebody asks")
	p.Request(3)
	assert.EqualValues(t, 8, up.requested.Load())
	for i := range 4 {
		up.OnNext(i)
	}
	p.Open(t, []int{0, 1}, []int{2, 3})
	assert.EqualValues(t, 8, up.requested.Load(), "4 are still to come")
	up.OnNext(4)
	h.forward(10)
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4})
	assert.EqualValues(t, 8, up.requested.Load(), "there is no demand")
	p.Request(1)
	assert.EqualValues(t, 13, up.requested.Load())
	p.Faultless(t)
}

func TestBufferTimeoutFairWaitsForDemand(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[[]int](1)
	BufferTimeout(src, 2, 10, On(h), FairBackpressure()).Subscribe(ctx, p)
	up := src.last()
	for i := range 5 {
		up.OnNext(i)
	}
	h.forward(50)
	p.Open(t, []int{0, 1})
	p.Request(1)
	p.Open(t, []int{0, 1}, []int{2, 3})
	p.Request(1)
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4})
	up.OnNext(5)
	up.OnError(errBoom)
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4})
	p.Request(1)
	p.Failed(t, errBoom, []int{0, 1}, []int{2, 3}, []int{4}, []int{5})
	assert.Zero(t, h.pending())
	up.OnNext(6)
	up.OnError(errOther)
	assert.Equal(t, []any{6}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)
}

// TestBufferTimeoutFairTimesWhatComesAtOnce has elements come from within the request
// for more: they have the same time as all others.
func TestBufferTimeoutFairTimesWhatComesAtOnce(t *testing.T) {
	h := &handScheduler{}
	src := OnBackpressureBuffer(Concat(Range(0, 9), Never[int]()))
	p := run(BufferTimeout(src, 2, 10, On(h), FairBackpressure()))
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4, 5}, []int{6, 7})
	h.forward(9)
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4, 5}, []int{6, 7})
	h.forward(1)
	p.Open(t, []int{0, 1}, []int{2, 3}, []int{4, 5}, []int{6, 7}, []int{8})
	p.Cancel()
	assert.Zero(t, h.pending())
}

func TestBufferTimeoutFairWithoutLimit(t *testing.T) {
	h := &handScheduler{}
	p := run(BufferTimeout(Range(0, 5), math.MaxInt, 10, On(h), FairBackpressure()))
	p.Done(t, numbers(5))
}

func TestBufferTimeoutRaces(t *testing.T) {
	raceStage(t, 40, func(src elements, h *handScheduler) reactor.Publisher[[]element] {
		return BufferTimeout(src, 2, time.Second, On(h))
	})
	raceStage(t, 40, func(src elements, h *handScheduler) reactor.Publisher[[]element] {
		return BufferTimeout(src, 2, time.Second, On(h), FairBackpressure())
	})
}

// TestBufferTimeoutElementsAgainstTimers has each element come in some buffer, in
// order, and no buffer empty or too long.
func TestBufferTimeoutElementsAgainstTimers(t *testing.T) {
	for round := range racetest.Iterations(300) {
		h := &handScheduler{}
		opts := []BufferTimeoutOption{On(h)}
		if round%2 == 0 {
			opts = append(opts, FairBackpressure())
		}
		src := &puppet[int]{}
		p := run(BufferTimeout(src, 3, 1, opts...))
		racetest.Race(func() {
			for i := range 12 {
				src.last().OnNext(i)
			}
		}, func() {
			for range 12 {
				h.forward(1)
			}
		})
		h.forward(1)
		var all []int
		for _, b := range p.Got() {
			assert.NotEmpty(t, b)
			assert.LessOrEqual(t, len(b), 3)
			all = append(all, b...)
		}
		assert.Equal(t, numbers(12), all)
		p.Faultless(t)
	}
}

// TestBuffersOnRealWorkers runs the timed buffers on a real scheduler, in fake time.
func TestBuffersOnRealWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		stage func(src reactor.Publisher[int64], on SchedulerOption) reactor.Publisher[[]int64]
		want  []string // buffer@milliseconds, of 0, 1, 2, … every 10 ms for 75 ms
	}{
		"for": {
			func(src reactor.Publisher[int64], on SchedulerOption) reactor.Publisher[[]int64] {
				return BufferFor(src, 26*time.Millisecond, on)
			},
			[]string{"[0 1]@26", "[2 3 4]@52", "[5 6]@75"},
		},
		"for, every": {
			func(src reactor.Publisher[int64], on SchedulerOption) reactor.Publisher[[]int64] {
				return BufferFor(src, 25*time.Millisecond, OpenEvery(47*time.Millisecond), on)
			},
			[]string{"[0 1]@25", "[4 5 6]@72"},
		},
		"timeout": {
			func(src reactor.Publisher[int64], on SchedulerOption) reactor.Publisher[[]int64] {
				return BufferTimeout(src, 10, 15*time.Millisecond, on)
			},
			[]string{"[0 1]@25", "[2 3]@45", "[4 5]@65", "[6]@75"},
		},
		"fair": {
			func(src reactor.Publisher[int64], on SchedulerOption) reactor.Publisher[[]int64] {
				return BufferTimeout(src, 2, 15*time.Millisecond, on, FairBackpressure())
			},
			[]string{"[0 1]@20", "[2 3]@40", "[4 5]@60", "[6]@75"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := schedulers.NewParallel("bubble", 2)
				require.NoError(t, err)
				start := time.Now()
				var got []string
				src := TakeFor(Interval(10*time.Millisecond, On(s)), 74*time.Millisecond, On(s))
				src = Concat(src, IgnoreElements(Delay(time.Millisecond, On(s))))
				require.NoError(t, ForEach(context.Background(), c.stage(src, On(s)), func(v []int64) {
					got = append(got, fmt.Sprintf("%v@%d", v, time.Since(start).Milliseconds()))
				}))
				assert.Equal(t, c.want, got)
				ended := time.Now()
				require.NoError(t, s.DisposeGracefully(context.Background()))
				assert.Equal(t, ended, time.Now(), "no timer was left to wait for")
			})
		})
	}
}

// TestBufferTimeoutFairWhileTheSourceWorks: buffers come although the source works where it was asked, and has not returned.
func TestBufferTimeoutFairWhileTheSourceWorks(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[[]int](reactor.Unbounded)
	src := FromSeq(func(yield func(int) bool) {
		for v := range 30 {
			yield(v)
			assert.Len(t, p.Got(), v)
			h.forward(10)
			assert.Len(t, p.Got(), v+1)
		}
	})
	BufferTimeout(src, 4, 10, FairBackpressure(), On(h)).Subscribe(t.Context(), p)
	assert.Len(t, p.Got(), 30)
	h.assertReleased(t)
}
