package reactortest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// chaosGround is what a ChaosScheduler is tested on: in a bubble, with settle letting everything
// happen that is due within a second.
type chaosGround struct {
	name string
	over func(t *testing.T) (opts []ChaosOption, settle func())
}

var chaosGrounds = []chaosGround{
	{"parallel", func(*testing.T) ([]ChaosOption, func()) {
		return nil, func() { time.Sleep(time.Second); synctest.Wait() }
	}},
	{"elastic", func(t *testing.T) ([]ChaosOption, func()) {
		s, err := schedulers.NewBoundedElastic(3, 1000, "under", schedulers.WithTTL(time.Second))
		require.NoError(t, err)
		t.Cleanup(s.Dispose)
		return []ChaosOption{ChaosOver(s)}, func() { time.Sleep(time.Second); synctest.Wait() }
	}},
	{"virtual time", func(*testing.T) ([]ChaosOption, func()) {
		clock := NewVirtualTime()
		return []ChaosOption{ChaosOver(clock)}, func() { clock.AdvanceBy(time.Second) }
	}},
}

func onChaos(t *testing.T, test func(t *testing.T, c *ChaosScheduler, settle func()), opts ...ChaosOption) {
	for _, g := range chaosGrounds {
		t.Run(g.name, func(t *testing.T) {
			for range 20 {
				synctest.Test(t, func(t *testing.T) {
					more, settle := g.over(t)
					test(t, NewChaosScheduler(t, slices.Concat(more, opts)...), settle)
				})
			}
		})
	}
}

// notes is a list that several goroutines write.
type notes[T any] struct {
	mu   sync.Mutex
	list []T
}

func (n *notes[T]) add(v T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, v)
}

func (n *notes[T]) read() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

func numbersTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestChaosKeepsTheOrderOfAWorker(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		defer w.Dispose()
		var n notes[int]
		inside := false // of this worker; the race detector would tell
		for i := range 50 {
			require.NoError(t, w.Execute(func(context.Context) {
				assert.False(t, inside)
				inside = true
				n.add(i)
				inside = false
			}))
		}
		settle()
		assert.Equal(t, numbersTo(50), n.read())
	}, ChaosDelays(80, 10*time.Millisecond))
}

func TestChaosKeepsTheOrderOfDueTimes(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		defer w.Dispose()
		start := c.Now()
		var n notes[int]
		for _, i := range rand.Perm(30) {
			due := time.Duration(i/2) * time.Millisecond // two are due at the same time
			_, err := w.ScheduleAfter(func(context.Context) {
				n.add(i / 2)
				assert.GreaterOrEqual(t, c.Now().Sub(start), due, "early")
			}, due)
			require.NoError(t, err)
		}
		settle()
		got := n.read()
		assert.Len(t, got, 30)
		assert.True(t, slices.IsSorted(got), "%v", got)
	})
}

func TestChaosReordersWhatHasNoOrder(t *testing.T) {
	sorted, total := 0, 0
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		var n notes[int]
		for i := range 20 {
			if i%2 == 0 {
				require.NoError(t, c.Execute(func(context.Context) { n.add(i) }))
				continue
			}
			w := c.NewWorker()
			defer w.Dispose()
			require.NoError(t, w.Execute(func(context.Context) { n.add(i) }))
		}
		settle()
		got := n.read()
		total++
		if slices.IsSorted(got) {
			sorted++
		}
		slices.Sort(got)
		assert.Equal(t, numbersTo(20), got)
	})
	assert.Less(t, sorted, total/4)
}

func TestChaosNeverRunsEarly(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		start := c.Now()
		var n notes[time.Duration]
		note := func(context.Context) { n.add(c.Now().Sub(start)) }
		_, err := c.ScheduleAfter(note, 10*time.Millisecond)
		require.NoError(t, err)
		_, err = c.Schedule(note)
		require.NoError(t, err)
		settle()
		got := n.read()
		require.Len(t, got, 2)
		slices.Sort(got)
		assert.LessOrEqual(t, got[0], 4*time.Millisecond)
		assert.GreaterOrEqual(t, got[1], 10*time.Millisecond)
		assert.LessOrEqual(t, got[1], 14*time.Millisecond)
	}, ChaosDelays(100, 4*time.Millisecond))
}

func TestChaosIsNotEarlyHoweverFarAway(t *testing.T) {
	v := NewVirtualTime()
	c := NewChaosScheduler(t, ChaosOver(v), ChaosDelays(100, time.Hour))
	ran := 0
	for range 20 {
		_, err := c.ScheduleAfter(func(context.Context) { ran++ }, math.MaxInt64)
		require.NoError(t, err)
		_, err = c.NewWorker().ScheduleAfter(func(context.Context) { ran++ }, math.MaxInt64)
		require.NoError(t, err)
		_, err = c.SchedulePeriodically(func(context.Context) { ran++ }, 0, math.MaxInt64)
		require.NoError(t, err)
	}
	v.AdvanceBy(2 * time.Hour)
	assert.Equal(t, 20, ran, "the first runs of those that are periodic")
}

func TestChaosRefuses(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		defer w.Dispose()
		nothing := func(context.Context) {}
		var ran notes[int]
		accepted, refused, capacity := 0, 0, 0
		for i := range 200 {
			var err error
			task := func(context.Context) { ran.add(i) }
			switch i % 7 {
			case 0:
				err = c.Execute(task)
			case 1:
				_, err = c.Schedule(task)
			case 2:
				_, err = c.ScheduleAfter(task, time.Millisecond)
			case 3:
				err = w.Execute(task)
			case 4:
				_, err = w.Schedule(task)
			case 5:
				_, err = w.ScheduleAfter(task, time.Millisecond)
			case 6:
				var d schedulers.Disposable
				if d, err = w.SchedulePeriodically(nothing, time.Hour, time.Hour); err == nil {
					d.Dispose()
					ran.add(i)
				}
			}
			if err == nil {
				accepted++
				continue
			}
			refused++
			var rejected *schedulers.RejectedError
			require.ErrorAs(t, err, &rejected)
			require.ErrorIs(t, err, schedulers.ErrRejected)
			require.ErrorIs(t, err, ErrInjected)
			if errors.Is(err, schedulers.ErrCapacity) {
				capacity++
			} else {
				require.ErrorIs(t, err, schedulers.ErrUnavailable)
			}
		}
		settle()
		assert.Len(t, ran.read(), accepted, "a refused task leaves no trace")
		assert.InDelta(t, 60, refused, 40)
		assert.NotZero(t, capacity)
		assert.NotEqual(t, refused, capacity)
		_, injected := c.Injected()
		assert.EqualValues(t, refused, injected)
		assert.EqualValues(t, refused, c.Stats().Rejected)
	}, ChaosRejections(30))
	for _, percent := range []int{0, 100} {
		c := NewChaosScheduler(t, ChaosRejections(percent))
		for range 100 {
			assert.Equal(t, percent == 0, c.Execute(func(context.Context) {}) == nil)
		}
	}
}

// decisions is what a scheduler on a virtual clock makes of some tasks.
func decisions(t testing.TB, opts ...ChaosOption) (trace []string) {
	clock := NewVirtualTime()
	c := NewChaosScheduler(t, append([]ChaosOption{ChaosOver(clock), ChaosRejections(20)}, opts...)...)
	workers := []schedulers.Worker{c.NewWorker(), c.NewWorker()}
	for i := range 30 {
		err := workers[i%2].Execute(func(context.Context) { trace = append(trace, fmt.Sprint(i, " at ", clock.Now())) })
		if err != nil {
			trace = append(trace, fmt.Sprint(i, " ", err))
		}
	}
	clock.AdvanceBy(time.Second)
	return trace
}

func TestChaosCanBeRepeated(t *testing.T) {
	assert.Equal(t, decisions(t, ChaosSeed(7)), decisions(t, ChaosSeed(7)))
	assert.NotEqual(t, decisions(t, ChaosSeed(7)), decisions(t, ChaosSeed(8)))
	assert.NotEqual(t, decisions(t), decisions(t), "two in one test differ")

	// Who has given the seed is told of no other one, which would repeat nothing.
	seeded := &fakeT{failed: true}
	decisions(seeded, ChaosSeed(7))
	for _, fn := range slices.Backward(seeded.cleanups) {
		fn()
	}
	require.Empty(t, seeded.reports)

	// What a failure prints repeats all schedulers of the test.
	broken := &fakeT{failed: true}
	first, second := decisions(broken), decisions(broken)
	for _, fn := range slices.Backward(broken.cleanups) {
		fn()
	}
	require.Len(t, broken.reports, 1)
	var seed uint64
	_, err := fmt.Sscanf(broken.reports[0], "reactortest: REACTOR_CHAOS_SEED=%d repeats what the ChaosSchedulers of this test decided", &seed)
	require.NoError(t, err, broken.reports[0])
	t.Setenv("REACTOR_CHAOS_SEED", strconv.FormatUint(seed, 10))
	again := &fakeT{}
	assert.Equal(t, first, decisions(again))
	assert.Equal(t, second, decisions(again))
	for _, fn := range slices.Backward(again.cleanups) {
		fn()
	}
	assert.Empty(t, again.reports, "a test that passes prints nothing")
	t.Setenv("REACTOR_CHAOS_SEED", "x")
	assert.PanicsWithValue(t, `racetest: REACTOR_CHAOS_SEED="x" is not an unsigned decimal number`, func() { NewChaosScheduler(&fakeT{}) })
}

func TestChaosEndsWithTheTest(t *testing.T) {
	for _, g := range chaosGrounds {
		synctest.Test(t, func(t *testing.T) {
			over, settle := g.over(t)
			f := &fakeT{}
			c := NewChaosScheduler(f, over...)
			w := c.NewWorker()
			var n notes[int]
			note := func(context.Context) { n.add(1) }
			_, err := c.ScheduleAfter(note, time.Hour)
			require.NoError(t, err)
			_, err = w.SchedulePeriodically(note, time.Hour, time.Hour)
			require.NoError(t, err)
			for _, fn := range slices.Backward(f.cleanups) {
				fn()
			}
			assert.Empty(t, f.reports)
			assert.True(t, c.IsDisposed())
			assert.Empty(t, c.all(), "no lane is kept")
			assert.ErrorIs(t, c.Execute(note), schedulers.ErrRejected)
			assert.ErrorIs(t, w.Execute(note), schedulers.ErrRejected)
			if !c.owned {
				assert.False(t, c.inner.IsDisposed(), "it belongs to somebody else")
			}
			settle()
			assert.Empty(t, n.read())
		}) // a timer or goroutine that is left would hang here
	}
}

func TestChaosFindsATaskThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeT{}
		c := NewChaosScheduler(f)
		release := make(chan struct{})
		require.NoError(t, c.Execute(func(context.Context) { <-release }))
		time.Sleep(time.Second)
		for _, fn := range slices.Backward(f.cleanups) {
			fn()
		}
		close(release)
		require.Len(t, f.reports, 2)
		assert.Equal(t, "reactortest: a task on a ChaosScheduler has not ended 5s after the test", f.reports[0])
	})
}

func TestChaosHandles(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		var n notes[int]
		var kept []int
		for i := range 40 {
			var l chaosEngine = c
			if i%2 == 0 {
				l = w
			}
			d, err := l.ScheduleAfter(func(context.Context) { n.add(i) }, time.Duration(1+i%5)*time.Millisecond)
			require.NoError(t, err)
			assert.False(t, d.IsDisposed())
			if i%3 == 0 {
				d.Dispose()
				d.Dispose()
				assert.True(t, d.IsDisposed())
			} else {
				kept = append(kept, i)
			}
		}
		settle()
		got := n.read()
		slices.Sort(got)
		assert.Equal(t, kept, got)
		d, err := w.Schedule(func(context.Context) {})
		require.NoError(t, err)
		settle()
		assert.True(t, d.IsDisposed(), "it has run")
		d.Dispose()

		_, err = w.ScheduleAfter(func(context.Context) { n.add(-1) }, time.Millisecond)
		require.NoError(t, err)
		w.Dispose()
		w.Dispose()
		assert.True(t, w.IsDisposed())
		assert.False(t, c.IsDisposed())
		_, err = w.Schedule(func(context.Context) {})
		var refused *schedulers.RejectedError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, schedulers.WorkerDisposed, refused.Reason)
		settle()
		assert.NotContains(t, n.read(), -1)
		assert.Empty(t, c.all(), "no lane is kept")
	})
}

func TestChaosCancelsARunningTask(t *testing.T) {
	for _, how := range []string{"handle", "worker", "scheduler"} {
		synctest.Test(t, func(t *testing.T) {
			c := NewChaosScheduler(t)
			w := c.NewWorker()
			causes := make(chan error, 2)
			wait := func(ctx context.Context) { <-ctx.Done(); causes <- context.Cause(ctx) }
			d, err := w.Schedule(wait)
			require.NoError(t, err)
			direct, err := c.Schedule(wait)
			require.NoError(t, err)
			time.Sleep(time.Second)
			assert.False(t, d.IsDisposed())
			switch how {
			case "handle":
				d.Dispose()
				direct.Dispose()
			case "worker":
				w.Dispose()
				direct.Dispose()
			case "scheduler":
				c.Dispose()
			}
			assert.Equal(t, schedulers.ErrTaskDisposed, <-causes)
			assert.Equal(t, schedulers.ErrTaskDisposed, <-causes)
			assert.True(t, d.IsDisposed())
			assert.True(t, direct.IsDisposed())
		})
	}
}

func TestChaosPeriodicTasks(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		defer w.Dispose()
		type submit func(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error)
		for _, schedule := range []submit{c.SchedulePeriodically, w.SchedulePeriodically} {
			start := c.Now()
			var n notes[time.Duration]
			var d schedulers.Disposable
			ready := make(chan struct{})
			d, err := schedule(func(context.Context) {
				<-ready
				n.add(c.Now().Sub(start))
				if len(n.read()) == 5 {
					d.Dispose() // by itself
				}
			}, 10*time.Millisecond, 20*time.Millisecond)
			close(ready)
			require.NoError(t, err)
			settle()
			got := n.read()
			require.Len(t, got, 5)
			for k, at := range got {
				due := time.Duration(10+20*k) * time.Millisecond
				assert.True(t, at >= due && at <= due+time.Millisecond, "run %d at %v", k, at)
			}
			assert.True(t, d.IsDisposed())

			for _, stop := range []bool{true, false} {
				runs := 0
				var failures atomic.Int64 // reported after the run, which the next one need not wait for
				remove := schedulers.OnHandleError(t.Name(), func(context.Context, error) { failures.Add(1) })
				var opts []schedulers.PeriodicOption
				if stop {
					opts = append(opts, schedulers.StopOnError())
				}
				d, err := schedule(func(context.Context) { runs++; panic("boom") }, time.Millisecond, 300*time.Millisecond, opts...)
				require.NoError(t, err)
				settle()
				d.Dispose()
				settle()
				remove()
				if stop {
					assert.Equal(t, 1, runs)
				} else {
					assert.Equal(t, 4, runs)
				}
				assert.EqualValues(t, runs, failures.Load())
			}
		}
	})
}

func TestChaosDisposedGracefully(t *testing.T) {
	onChaos(t, func(t *testing.T, c *ChaosScheduler, settle func()) {
		w := c.NewWorker()
		var n notes[string]
		note := func(s string) schedulers.Task { return func(context.Context) { n.add(s) } }
		_, err := w.SchedulePeriodically(note("periodic"), time.Millisecond, time.Millisecond)
		require.NoError(t, err)
		_, err = c.ScheduleAfter(note("delayed"), 100*time.Millisecond)
		require.NoError(t, err)
		require.NoError(t, w.Execute(note("now")))
		ended := make(chan error)
		go func() { ended <- c.DisposeGracefully(context.Background()) }()
		synctest.Wait()
		assert.True(t, c.IsDisposed())
		err = c.Execute(note("late"))
		assert.ErrorIs(t, err, schedulers.ErrUnavailable)
		assert.NotErrorIs(t, err, ErrInjected)
		settle()
		assert.NoError(t, <-ended)
		assert.ElementsMatch(t, []string{"now", "delayed"}, n.read())

		over, _ := chaosGrounds[0].over(t)
		other := NewChaosScheduler(t, over...)
		_, err = other.ScheduleAfter(note("dropped"), time.Hour)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errors.New("too long"))
		defer cancel()
		assert.EqualError(t, other.DisposeGracefully(ctx), "too long")
		assert.NoError(t, other.DisposeGracefully(context.Background(), schedulers.DropDelayed()))
	})
}

func TestChaosOverWhatCanNotWait(t *testing.T) {
	c := NewChaosScheduler(t, ChaosOver(schedulers.Immediate()), ChaosDelays(100, time.Hour))
	ran := 0
	assert.NoError(t, c.Execute(func(context.Context) { ran++ }))
	assert.Equal(t, 1, ran)
	_, err := c.ScheduleAfter(func(context.Context) { ran++ }, time.Second)
	assert.ErrorIs(t, err, schedulers.ErrNotTimeCapable)
	assert.Equal(t, "chaos(immediate)", c.String())
}

func TestChaosAppliesHooksOnce(t *testing.T) {
	wrapped := 0
	defer schedulers.OnScheduleHook(t.Name(), func(task schedulers.Task) schedulers.Task { wrapped++; return task })()
	clock := NewVirtualTime()
	c := NewChaosScheduler(t, ChaosOver(clock))
	_, err := c.SchedulePeriodically(func(context.Context) {}, 0, time.Millisecond)
	require.NoError(t, err)
	clock.AdvanceBy(time.Second)
	assert.Equal(t, 1, wrapped)
}

// Many goroutines submit to, dispose and close lanes, on real threads.
func TestChaosUnderRace(t *testing.T) {
	RepeatRace(100, func(race func(...func())) {
		c := NewChaosScheduler(t, ChaosDelays(50, 20*time.Microsecond))
		w := c.NewWorker()
		var n notes[int]
		var last schedulers.Disposable
		race(func() {
			for i := range 20 {
				_, _ = w.Schedule(func(context.Context) { n.add(i) })
			}
		}, func() {
			for range 10 {
				last, _ = c.SchedulePeriodically(func(context.Context) {}, 0, 10*time.Microsecond)
				last.Dispose()
			}
		}, func() {
			other := c.NewWorker()
			_ = other.Execute(func(context.Context) {})
			other.Dispose()
		})
		if err := c.DisposeGracefully(t.Context()); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, numbersTo(20), n.read())
		assert.Empty(t, c.all())
	})
}

func TestChaosOptionsRefuse(t *testing.T) {
	assert.PanicsWithValue(t, "reactortest: ChaosOver: the scheduler is nil", func() { ChaosOver(nil) })
	assert.PanicsWithValue(t, "reactortest: ChaosDelays: 101 is not between 0 and 100", func() { ChaosDelays(101, 0) })
	assert.PanicsWithValue(t, "reactortest: ChaosDelays: -1ns is negative", func() { ChaosDelays(1, -1) })
	assert.PanicsWithValue(t, "reactortest: ChaosRejections: -1 is not between 0 and 100", func() { ChaosRejections(-1) })
	assert.PanicsWithValue(t, "reactortest: Schedule: task is nil", func() { _, _ = NewChaosScheduler(t).Schedule(nil) })
	assert.ErrorIs(t, fmt.Errorf("x: %w", ErrInjected), ErrInjected)
	assert.ErrorIs(t, reactor.ErrRejected, schedulers.ErrRejected)
}
