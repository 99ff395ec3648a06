package executors_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

func newScheduled(t *testing.T, core int, opts ...executors.Option) *executors.ScheduledPool {
	t.Helper()
	p, err := executors.NewScheduledPool(core, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { end(t, p) })
	return p
}

// runNote notes the milliseconds since the start of the test.
type runNote struct {
	journal[int]
	start time.Time
}

func newRunNote() *runNote { return &runNote{start: time.Now()} }

func (n *runNote) now() { n.note(int(time.Since(n.start) / ms)) }

func (n *runNote) run(context.Context) error { n.now(); return nil }

func noError(context.Context) error { return nil }

func TestC1_PastTasksRunInTheOrderOfSubmission(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		var j journal[time.Duration]
		for _, d := range []time.Duration{-time.Second, -10 * time.Second, 0, math.MinInt64} {
			accept[*executors.Handle](t)(p.After(d, func(context.Context) error { j.note(d); return nil }))
		}
		pass(time.Second)
		g.open()
		synctest.Wait()
		assert.Equal(t, []time.Duration{-time.Second, -10 * time.Second, 0, math.MinInt64}, j.read())
	})
}

// wallClock is a clock whose wall time the test moves; its monotonic time is that of
// the bubble.
type wallClock struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *wallClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Add(c.offset) // no monotonic reading
}

func (c *wallClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

func TestC2_DueTimesAreMonotonic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		n := newRunNote()
		accept[*executors.Handle](t)(p.After(20*ms, n.run))
		accept[*executors.Handle](t)(p.After(10*ms, n.run))
		pass(time.Second)
		assert.Equal(t, []int{10, 20}, n.read(), "from the submission, by the monotonic clock")
		assert.False(t, time.Now().Equal(p.Now().Add(time.Nanosecond)))
	})
}

func TestC3_OrderByDueTimeThenSubmission(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		type planned struct{ due, seq int }
		var j journal[planned]
		rnd := rand.New(rand.NewPCG(4, 4))
		for seq := range 500 {
			due := rnd.IntN(20)
			accept[*executors.Handle](t)(p.After(time.Duration(due)*ms, func(context.Context) error { j.note(planned{due, seq}); return nil }))
		}
		pass(time.Second)
		g.open()
		synctest.Wait()
		got := j.read()
		require.Len(t, got, 500)
		for i := 1; i < len(got); i++ {
			a, b := got[i-1], got[i]
			assert.True(t, a.due < b.due || a.due == b.due && a.seq < b.seq, "%v before %v", a, b)
		}
	})
}

func TestC4_HugeDelays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		var j journal[string]
		note := func(s string) func(context.Context) error {
			return func(context.Context) error { j.note(s); return nil }
		}
		accept[*executors.Handle](t)(p.After(0, note("overdue")))
		pass(time.Hour) // the head of the queue is overdue now
		far := accept[*executors.Handle](t)(p.After(math.MaxInt64, note("far")))
		rate := accept[*executors.Handle](t)(p.AtFixedRate(time.Second, math.MaxInt64, note("rate")))
		delay := accept[*executors.Handle](t)(p.WithFixedDelay(2*time.Second, math.MaxInt64, note("delay")))
		accept[*executors.Handle](t)(p.After(time.Minute, note("near")))
		g.open()
		pass(time.Hour)
		assert.Equal(t, []string{"overdue", "rate", "delay", "near"}, j.read())
		assert.Equal(t, 3, p.Stats().Delayed)
		for _, h := range []*executors.Handle{far, rate, delay} {
			assert.True(t, h.Cancel(nil))
		}
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestC5_AllCallsGoThroughOneQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		var j journal[string]
		task := func(s string) executors.Task { return func(context.Context) { j.note(s) } }
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		accept[*executors.Handle](t)(p.After(ms, func(context.Context) error { j.note("after"); return nil }))
		pass(2 * ms)
		require.NoError(t, p.Execute(background, task("execute")))
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { j.note("submit"); return 4, nil }))
		_, err := p.ExecuteAfter(background, -1, task("execute after"))
		require.NoError(t, err)
		_, err = p.Track(background, task("track"), nil)
		require.NoError(t, err)
		g.open()
		synctest.Wait()
		assert.Equal(t, []string{"after", "execute", "submit", "execute after", "track"}, j.read(), "the overdue one first")
		v, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 4, v)
	})
}

func TestC6_CoreWorkersAndOneOnDemand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 3)
		for want := 1; want <= 5; want++ {
			accept[*executors.Handle](t)(p.After(time.Hour, noError))
			assert.Equal(t, min(want, 3), p.Stats().Workers, "started although nothing is due")
		}
		pass(2 * time.Hour)
		assert.Equal(t, 3, p.Stats().Workers)

		none := newScheduled(t, 0)
		accept[*executors.Handle](t)(none.After(time.Hour, noError))
		accept[*executors.Handle](t)(none.After(time.Hour, noError))
		assert.Equal(t, 1, none.Stats().Workers)
		pass(time.Hour)
		assert.EqualValues(t, 2, none.Stats().Completed)
		pass(time.Second)
		assert.Zero(t, none.Stats().Workers)
	})
}

func TestC7_EarlierTaskIsNotLateBehindALongTimer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 2)
		n := newRunNote()
		accept[*executors.Handle](t)(p.After(time.Hour, noError))
		accept[*executors.Handle](t)(p.After(time.Minute, noError))
		pass(time.Millisecond)
		accept[*executors.Handle](t)(p.After(5*ms, n.run))
		pass(time.Second)
		assert.Equal(t, []int{6}, n.read())
	})
}

// The figures of a run on the JVM: period 50, first run 260.
func TestC8_FixedRateMakesUpForMissedRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 3) // more workers don't make runs overlap
		n := newRunNote()
		accept[*executors.Handle](t)(p.AtFixedRate(0, 50*ms, func(context.Context) error {
			n.now()
			if len(n.read()) == 1 {
				time.Sleep(260 * ms)
			}
			return nil
		}))
		pass(360 * ms)
		assert.Equal(t, []int{0, 260, 260, 260, 260, 260, 300, 350}, n.read())
	})
}

func TestC8_OthersKeepTheirPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		var j journal[string]
		accept[*executors.Handle](t)(p.AtFixedRate(0, 20*ms, func(context.Context) error {
			j.note("R")
			if len(j.read()) == 1 {
				time.Sleep(100 * ms)
			}
			return nil
		}))
		accept[*executors.Handle](t)(p.After(50*ms, func(context.Context) error { j.note("X"); return nil }))
		pass(115 * ms)
		assert.Equal(t, []string{"R", "R", "R", "X", "R", "R", "R"}, j.read())
	})
}

func TestC9_FixedDelayCountsFromTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		n := newRunNote()
		accept[*executors.Handle](t)(p.WithFixedDelay(0, 50*ms, func(context.Context) error {
			n.now()
			if len(n.read()) == 1 {
				time.Sleep(261 * ms)
			}
			return nil
		}))
		pass(420 * ms)
		assert.Equal(t, []int{0, 311, 361, 411}, n.read())
	})
}

func TestC10_PeriodMustBePositive(t *testing.T) {
	p := newScheduled(t, 1)
	for _, d := range []time.Duration{0, -time.Second} {
		_, err := p.AtFixedRate(0, d, noError)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, d.String())
		_, err = p.WithFixedDelay(0, d, noError)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
	_, err := p.After(0, nil)
	assert.Equal(t, executors.ErrNilTask, err)
	_, err = p.AtFixedRate(0, 1, nil)
	assert.Equal(t, executors.ErrNilTask, err)
	_, err = executors.NewScheduledPool(-1)
	assert.ErrorContains(t, err, "core ≥ 0 required but it was -1")
}

func TestC11_FailureEndsTheSeries(t *testing.T) {
	boom := errors.New("boom")
	for name, fail := range map[string]func() error{
		"error": func() error { return boom }, "panic": func() error { panic(boom) }, "goexit": func() error { goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newScheduled(t, 1)
				n := newRunNote()
				h := accept[*executors.Handle](t)(p.AtFixedRate(0, ms, func(context.Context) error {
					n.now()
					if len(n.read()) == 3 {
						return fail()
					}
					return nil
				}))
				err := h.Wait(background)
				if name == "goexit" {
					assert.ErrorIs(t, err, reactor.ErrGoexit)
				} else {
					assert.ErrorIs(t, err, boom)
				}
				assert.True(t, h.IsDone())
				assert.False(t, h.IsCancelled())
				pass(time.Second)
				assert.Equal(t, []int{0, 1, 2}, n.read())
				assert.Zero(t, p.Stats().Queued)
			})
		})
	}
}

func TestC12_SeriesNeverSucceeds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		h := accept[*executors.Handle](t)(p.AtFixedRate(0, ms, noError))
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		assert.ErrorIs(t, h.Wait(ctx), context.DeadlineExceeded)
		p.Shutdown()
		assert.ErrorIs(t, h.Wait(background), executors.ErrCancelled)
	})
}

func TestC13_CancelBeforeDuringBetween(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		before := accept[*executors.Handle](t)(p.After(time.Second, func(context.Context) error { t.Error("must not run"); return nil }))
		assert.True(t, before.Cancel(nil))
		assert.True(t, before.IsCancelled())

		var cause error
		during := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		}))
		synctest.Wait()
		assert.True(t, during.Cancel(nil))
		synctest.Wait()
		assert.ErrorIs(t, cause, executors.ErrCancelled)

		n := newRunNote()
		var self atomic.Pointer[executors.Handle]
		self.Store(accept[*executors.Handle](t)(p.AtFixedRate(ms, ms, func(context.Context) error {
			n.now()
			if len(n.read()) == 2 {
				self.Load().Cancel(nil)
			}
			return nil
		})))
		pass(time.Second)
		assert.Equal(t, []int{1, 2}, n.read())
		between := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Minute, noError))
		synctest.Wait()
		assert.True(t, between.Cancel(nil))
		assert.Zero(t, p.Stats().Queued, "nothing is left")
		balanced(t, p.Stats())
	})
}

// A series that is cancelled during a run has no further one, and does not wait for it.
func TestC13_CancelledDuringARunNothingWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		g := newGate(t)
		h := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Hour, func(context.Context) error { <-g.c; return nil }))
		synctest.Wait()
		assert.True(t, h.Cancel(nil))
		g.open()
		synctest.Wait()
		assert.Zero(t, p.Stats().Queued)
		<-h.Finished()
		balanced(t, p.Stats())
	})
}

// The last task that waits for its time keeps a pool that is shut down, and no longer.
func TestC13_CancelOfTheLastTaskEndsThePool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		h := accept[*executors.Handle](t)(p.After(time.Hour, noError))
		p.Shutdown()
		pass(time.Second)
		assert.False(t, p.IsTerminated())
		assert.True(t, h.Cancel(nil))
		synctest.Wait()
		assert.True(t, p.IsTerminated())
	})
}

func TestC14_CancelledTasksLeaveTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		var hs []*executors.Handle
		for i := range 10_000 {
			hs = append(hs, accept[*executors.Handle](t)(p.After(time.Hour+time.Duration(i)*time.Second, noError)))
		}
		rand.Shuffle(len(hs), func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
		for i, h := range hs {
			assert.True(t, h.Cancel(nil))
			if i%1000 == 0 {
				assert.Equal(t, len(hs)-i-1, p.Stats().Queued)
			}
		}
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestC15_WhatOutlivesAShutdown(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []executors.Option
		late func(p *executors.ScheduledPool) // after the shutdown
		want []string
	}{
		{"by default", nil, nil, []string{"due", "delayed"}},
		{"without delayed ones", []executors.Option{executors.DropDelayed()}, nil, []string{"due"}},
		{"with periodic ones", []executors.Option{executors.KeepPeriodic()}, nil, []string{"due", "periodic", "periodic", "delayed", "periodic"}},
		{"changed later", []executors.Option{executors.KeepPeriodic()}, func(p *executors.ScheduledPool) {
			p.SetKeepPeriodic(false)
			p.SetDropDelayed(true)
		}, []string{"due"}},
		{"changed back in time", []executors.Option{executors.DropDelayed()}, nil, []string{"due"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newScheduled(t, 1, c.opts...)
				g := newGate(t)
				require.NoError(t, p.Execute(background, g.task))
				var j journal[string]
				note := func(s string) func(context.Context) error {
					return func(context.Context) error { j.note(s); return nil }
				}
				due := accept[*executors.Handle](t)(p.After(0, note("due")))
				delayed := accept[*executors.Handle](t)(p.After(25*ms, note("delayed")))
				var periodic *executors.Handle
				periodic = accept[*executors.Handle](t)(p.AtFixedRate(10*ms, 10*ms, func(context.Context) error {
					j.note("periodic")
					if len(j.read()) == 5 {
						periodic.Cancel(nil) // so that the test ends
					}
					return nil
				}))
				p.Shutdown()
				_, err := p.After(0, noError)
				assert.ErrorIs(t, err, executors.ErrShutdown)
				if c.late != nil {
					c.late(p)
				}
				g.open()
				require.NoError(t, p.AwaitTermination(background))
				assert.Equal(t, c.want, j.read())
				for _, h := range []*executors.Handle{due, delayed, periodic} {
					assert.True(t, h.IsDone())
				}
				balanced(t, p.Stats())
			})
		})
	}
}

func TestC15_SeriesInFlightFinishesItsRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		finished := false
		h := accept[*executors.Handle](t)(p.AtFixedRate(0, ms, func(ctx context.Context) error {
			time.Sleep(time.Second)
			assert.NoError(t, ctx.Err())
			finished = true
			return nil
		}))
		synctest.Wait()
		p.Shutdown()
		assert.False(t, h.IsDone())
		require.NoError(t, p.AwaitTermination(background))
		assert.True(t, finished)
		assert.True(t, h.IsCancelled())
		assert.ErrorIs(t, h.Err(), executors.ErrShutdown)
	})
}

func TestC16_ShutdownNowCancelsWhatWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		var j journal[int]
		var hs []*executors.Handle
		for _, d := range []int{3, 1, 2} {
			hs = append(hs, accept[*executors.Handle](t)(p.After(time.Duration(d)*time.Hour, func(context.Context) error { j.note(d); return nil })))
		}
		hs = append(hs, accept[*executors.Handle](t)(p.AtFixedRate(4*time.Hour, 1, func(context.Context) error { j.note(4); return nil })))
		tasks := p.ShutdownNow()
		require.Len(t, tasks, 4)
		for _, task := range tasks {
			task(background)
		}
		assert.Equal(t, []int{1, 2, 3, 4}, j.read())
		for _, h := range hs {
			assert.ErrorIs(t, h.Wait(background), executors.ErrCancelled)
			assert.ErrorIs(t, h.Wait(background), executors.ErrShutdown)
		}
		assert.True(t, p.IsTerminated() || p.AwaitTermination(background) == nil)
	})
}

// In Java the hook's error is always nil here. It is not.
func TestC17_AfterGetsTheRealError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		boom := errors.New("boom")
		var j journal[error]
		p := newScheduled(t, 1, executors.WithHooks(executors.Hooks{After: func(_ context.Context, err error) { j.note(err) }}))
		accept[*executors.Handle](t)(p.After(0, func(context.Context) error { return boom }))
		synctest.Wait()
		assert.Equal(t, []error{boom}, j.read())
	})
}

func TestC18_NothingIsKept(t *testing.T) {
	type big struct{ data [1 << 10]byte }
	p := newScheduled(t, 1)
	var pointers []weak.Pointer[big]
	func() {
		for _, d := range []time.Duration{0, ms, time.Hour} {
			b := new(big)
			pointers = append(pointers, weak.Make(b))
			h, err := p.After(d, func(context.Context) error { b.data[0]++; return nil })
			require.NoError(t, err)
			if d == time.Hour {
				h.Cancel(nil)
			} else {
				require.NoError(t, h.Wait(background))
			}
		}
	}()
	assert.Eventually(t, func() bool {
		runtime.GC()
		for _, w := range pointers {
			if w.Value() != nil {
				return false
			}
		}
		return true
	}, 5*time.Second, ms)
}

// Who keeps a future keeps its result, not its function.
func TestC18_FuturesForgetTheirFunction(t *testing.T) {
	type big struct{ data [1 << 10]byte }
	p := newPool(t, 1, 1, executors.Unbounded())
	b := new(big)
	pointer := weak.Make(b)
	f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { b.data[0]++; return int(b.data[0]), nil }))
	n, err := f.Get(background)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Eventually(t, func() bool { runtime.GC(); return pointer.Value() == nil }, 5*time.Second, ms)
	runtime.KeepAlive(f)
}

func TestC19_MissedRuns(t *testing.T) {
	for _, c := range []struct {
		missed executors.Missed
		want   []int
	}{
		{executors.MissedAll, []int{0, 255, 255, 255, 255, 255, 300, 350}},
		{executors.MissedOne, []int{0, 255, 300, 350}},
		{executors.MissedSkip, []int{0, 300, 350}},
	} {
		bubble(t, func(t *testing.T) {
			p := newScheduled(t, 1)
			n := newRunNote()
			accept[*executors.Handle](t)(p.AtFixedRate(0, 50*ms, func(context.Context) error {
				n.now()
				if len(n.read()) == 1 {
					time.Sleep(255 * ms)
				}
				return nil
			}, c.missed))
			pass(360 * ms)
			assert.Equal(t, c.want, n.read(), "%d", c.missed)
		})
	}
	bubble(t, func(t *testing.T) { // a run that ends just when the next one is due misses nothing
		p := newScheduled(t, 1)
		n := newRunNote()
		accept[*executors.Handle](t)(p.AtFixedRate(0, 50*ms, func(context.Context) error { n.now(); time.Sleep(50 * ms); return nil }, executors.MissedSkip))
		pass(120 * ms)
		assert.Equal(t, []int{0, 50, 100}, n.read())
	})
}

// Meters and decorators see what happens on both kinds of pool.
func TestMetersAndDecorators(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		wrapped := 0
		wrap := func(task executors.Task) executors.Task { wrapped++; return func(ctx context.Context) { task(ctx) } }
		p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Bounded(2), executors.WithMeter(m, "app."), executors.WithDecorator(wrap))
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		assert.Error(t, p.Execute(background, nothing))
		synctest.Wait()
		assert.Equal(t, []int64{3, 1, 2, 1}, m.values("app.executor.submitted", "app.executor.rejected", "app.executor.queued", "app.executor.active"))
		pass(3 * time.Second)
		assert.Equal(t, []int64{3, 1, 0, 0}, m.values("app.executor.submitted", "app.executor.rejected", "app.executor.queued", "app.executor.active"))
		assert.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, m.times("app.executor.lag"))
		assert.Equal(t, []time.Duration{time.Second, time.Second, time.Second}, m.times("app.executor.completed"))
		assert.Equal(t, 4, wrapped)
		end(t, p)
		assert.Equal(t, 6, m.removed())

		m = newTestMeter()
		s := newScheduled(t, 1, executors.WithMeter(m, "s"), executors.WithDecorator(wrap),
			executors.WithDecorator(func(task executors.Task) executors.Task { return nil }))
		wrapped = 0
		h := accept[*executors.Handle](t)(s.AtFixedRate(time.Second, time.Second, func(context.Context) error { time.Sleep(1500 * ms); return nil }))
		pass(2 * time.Second)
		assert.Equal(t, []int64{1, 0, 1}, m.values("s.executor.submitted", "s.executor.queued", "s.executor.active"))
		pass(time.Second)
		assert.Equal(t, []time.Duration{0, 500 * ms}, m.times("s.executor.lag"))
		assert.Equal(t, 1, wrapped, "once, and not for every run")
		h.Cancel(nil)
		pass(time.Minute)
		assert.Equal(t, []int64{2, 0, 0}, m.values("s.executor.submitted", "s.executor.queued", "s.executor.active"))
	})
	bubble(t, func(t *testing.T) { // a decorator that loses the task
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithDecorator(func(executors.Task) executors.Task { return nothing }))
		require.NoError(t, p.Execute(background, func(context.Context) { assert.Fail(t, "it was exchanged") }))
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		assert.Equal(t, executors.ErrDiscarded, f.Wait(background))
	})
}

type testMeter struct {
	mu     sync.Mutex
	ints   map[string]*atomic.Int64
	timers map[string][]time.Duration
	gone   int
}

func newTestMeter() *testMeter {
	return &testMeter{ints: map[string]*atomic.Int64{}, timers: map[string][]time.Duration{}}
}

func (m *testMeter) Counter(name string, _ ...string) func(int64) {
	n := new(atomic.Int64)
	m.ints[name] = n
	return func(d int64) { n.Add(d) }
}

func (m *testMeter) Gauge(name string, tags ...string) func(int64) { return m.Counter(name, tags...) }

func (m *testMeter) Timer(name string, _ ...string) func(time.Duration) {
	return func(d time.Duration) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.timers[name] = append(m.timers[name], d)
	}
}

func (m *testMeter) Remove(string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone++
}

func (m *testMeter) removed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone
}

func (m *testMeter) values(names ...string) (list []int64) {
	for _, n := range names {
		list = append(list, m.ints[n].Load())
	}
	return list
}

func (m *testMeter) times(name string) []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]time.Duration(nil), m.timers[name]...)
}

// Cancel against the end of a run, and against the timer: nothing is left, nothing
// runs afterwards.
func TestRaceCancelAgainstASeries(t *testing.T) {
	p := newScheduled(t, 2)
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		var over atomic.Bool
		h, err := p.AtFixedRate(0, 1, func(context.Context) error {
			assert.False(t, over.Load())
			return nil
		})
		require.NoError(t, err)
		once, err := p.After(time.Microsecond, noError)
		require.NoError(t, err)
		race(func() { h.Cancel(nil) }, func() { once.Cancel(nil) }, func() { p.Stats() })
		<-h.Finished()
		over.Store(true)
		<-once.Finished()
		balanced(t, p.Stats())
	})
	assert.Zero(t, p.Stats().Queued)
}

// Cancel against the end of a run that plans the next one, far away.
func TestRaceCancelAgainstTheNextRun(t *testing.T) {
	p := newScheduled(t, 1)
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		begun, hold := make(chan struct{}), make(chan struct{})
		h, err := p.AtFixedRate(0, time.Hour, func(context.Context) error { close(begun); <-hold; return nil })
		require.NoError(t, err)
		<-begun
		race(func() { close(hold) }, func() { h.Cancel(nil) })
		for p.Stats().Active > 0 {
			runtime.Gosched()
		}
		require.Zero(t, p.Stats().Queued)
		<-h.Finished()
	})
}

func TestStressScheduleAgainstCancelAndShutdown(t *testing.T) {
	for _, force := range []bool{false, true} {
		per := submissions()
		p, err := executors.NewScheduledPool(4)
		require.NoError(t, err)
		handles := make([][]*executors.Handle, 100)
		var accepted, offered, runs atomic.Int64
		var all sync.WaitGroup
		for g := range handles {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 2))
				for range per {
					delay := time.Duration(rnd.IntN(2000)) * time.Microsecond
					run := func(context.Context) error { runs.Add(1); return nil }
					var h *executors.Handle
					var err error
					if rnd.IntN(50) == 0 {
						h, err = p.AtFixedRate(delay, time.Duration(per)*100*time.Microsecond, run, executors.MissedSkip)
					} else {
						h, err = p.After(delay, run)
					}
					offered.Add(1)
					if err != nil {
						assert.ErrorIs(t, err, executors.ErrShutdown)
						continue
					}
					accepted.Add(1)
					handles[g] = append(handles[g], h)
					if rnd.IntN(3) == 0 {
						handles[g][rnd.IntN(len(handles[g]))].Cancel(nil)
					}
				}
			})
		}
		all.Go(func() {
			for offered.Load() < int64(70*per) {
				balanced(t, p.Stats())
				time.Sleep(time.Millisecond)
			}
			if force {
				p.ShutdownNow()
			}
			p.Shutdown()
		})
		all.Wait()
		limit, cancel := context.WithTimeout(background, stressLimit)
		require.NoError(t, p.AwaitTermination(limit))
		cancel()
		for _, hs := range handles {
			for _, h := range hs {
				require.True(t, h.IsDone())
				<-h.Finished()
			}
		}
		s := p.Stats()
		balanced(t, s)
		assert.Zero(t, s.Active+s.Queued+s.Workers)
		assert.EqualValues(t, runs.Load(), s.Completed)
	}
}

// What java.util.concurrent has for all pools, this one has, too.
func TestScheduledPoolHasWhatThreadPoolHas(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 2)
		value := func(n int, after time.Duration) func(context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				select {
				case <-time.After(after):
					return n, nil
				case <-ctx.Done():
					return 0, context.Cause(ctx)
				}
			}
		}
		futures, err := p.InvokeAll(background, []func(context.Context) (int, error){value(1, time.Second), value(2, 0), value(3, 0)})
		require.NoError(t, err)
		for i, f := range futures {
			assert.True(t, f.IsDone())
			v, err := f.Get(background)
			require.NoError(t, err)
			assert.Equal(t, i+1, v)
		}
		first, err := p.InvokeAny(background, []func(context.Context) (int, error){value(1, time.Hour), value(2, time.Second)})
		require.NoError(t, err)
		assert.Equal(t, 2, first)
		_, err = p.InvokeAny[int](background, nil)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)

		runs := 0
		series := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Minute, func(context.Context) error { runs++; return nil }))
		once := accept[*executors.Handle](t)(p.After(time.Minute, func(context.Context) error { runs++; return nil }))
		pass(time.Second)
		assert.True(t, p.Remove(series), "between its runs it waits")
		assert.True(t, p.Remove(once))
		assert.False(t, p.Remove(once), "it is over")
		assert.True(t, series.IsCancelled())
		assert.Zero(t, p.Stats().Queued)
		assert.Zero(t, p.Purge())
		pass(time.Hour)
		assert.Equal(t, 1, runs)
	})
}

// A periodic task is the exception to the rule that what was accepted is run or returned, and never both.
func TestC12_PeriodicTasksAtTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		h := accept[*executors.Handle](t)(p.AtFixedRate(time.Hour, time.Hour, noError))
		p.Shutdown()
		assert.ErrorIs(t, h.Err(), executors.ErrShutdown)
		assert.Empty(t, p.ShutdownNow(), "neither run nor returned")

		p = newScheduled(t, 1)
		n := newRunNote()
		h = accept[*executors.Handle](t)(p.AtFixedRate(0, time.Hour, n.run))
		synctest.Wait()
		assert.Len(t, p.ShutdownNow(), 1, "returned, and was run")
		assert.Equal(t, []int{0}, n.read())
		assert.ErrorIs(t, h.Err(), executors.ErrShutdown)
	})
}
