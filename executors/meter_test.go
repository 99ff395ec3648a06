package executors_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

type brokenMeter struct{}

func (brokenMeter) Counter(string, ...string) func(int64) { return func(int64) { panic("counter") } }
func (brokenMeter) Gauge(string, ...string) func(int64)   { return func(int64) { panic("gauge") } }
func (brokenMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) { panic("timer") }
}
func (brokenMeter) Remove(string) { panic("remove") }

// A meter that fails loses no task and no worker: it is reported.
func TestAMeterThatFails(t *testing.T) {
	var dropped atomic.Int64
	defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(context.Context, error) { dropped.Add(1) }})()
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithMeter(brokenMeter{}, "app"))
		for i := range 3 {
			f := accept[*executors.Future[int]](t)(p.Submit(background, value(i)))
			v, err := f.Get(background)
			require.NoError(t, err)
			assert.Equal(t, i, v)
		}
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(background))
	})
	assert.NotZero(t, dropped.Load())
}

// A meter that makes no instrument is told of at once.
func TestAMeterWithoutFunctions(t *testing.T) {
	assert.PanicsWithValue(t, `reactor: the meter executors_test.emptyMeter returned no function for the counter "app.executor.submitted"`,
		func() {
			_, _ = executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithMeter(emptyMeter{}, "app"))
		})
}

type emptyMeter struct{ brokenMeter }

func (emptyMeter) Counter(string, ...string) func(int64) { return nil }

// A key without a value is refused, and the slice stays the caller's.
func TestAMeterNeedsPairsOfTags(t *testing.T) {
	_, err := executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithMeter(tagMeter{}, "app", "zone"))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.EqualError(t, err, "executors: WithMeter: tags are pairs of key and value, got 1 strings: illegal argument")

	tags := []string{"zone", "eu"}
	option := executors.WithMeter(tagMeter{t: t}, "app", tags...)
	tags[1] = "us"
	p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithName("p"), option)
	require.NoError(t, err)
	p.Shutdown()
}

// tagMeter looks at the tags.
type tagMeter struct {
	brokenMeter
	t *testing.T
}

func (m tagMeter) Counter(_ string, tags ...string) func(int64) {
	assert.Equal(m.t, []string{"executor", "p", "zone", "eu"}, tags)
	return func(int64) {}
}
func (tagMeter) Remove(string) {}

// waitingOn returns a pool of one worker that is busy until the gate is opened, with a meter of its own.
func waitingOn(t *testing.T, queue executors.Queue, opts ...executors.Option) (*executors.ThreadPool, *gate, *testMeter) {
	m, g := newTestMeter(), newGate(t)
	p := newPool(t, 1, 1, queue, append(opts, executors.WithMeter(m, "app"))...)
	require.NoError(t, p.Execute(background, func(context.Context) { <-g.c }))
	return p, g, m
}

// What waits and will not run is not counted as waiting any more, whoever has withdrawn it.
func TestAMeterOfWhatIsWithdrawn(t *testing.T) {
	for name, withdraw := range map[string]func(p *executors.ThreadPool, f *executors.Future[int]){
		"Cancel":      func(_ *executors.ThreadPool, f *executors.Future[int]) { f.Cancel(nil) },
		"Remove":      func(p *executors.ThreadPool, f *executors.Future[int]) { p.Remove(&f.Handle) },
		"ShutdownNow": func(p *executors.ThreadPool, _ *executors.Future[int]) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, g, m := waitingOn(t, executors.Unbounded())
				f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
				synctest.Wait()
				assert.Equal(t, []int64{1, 1}, m.values("app.executor.queued", "app.executor.active"))
				withdraw(p, f)
				assert.Equal(t, []int64{0, 1}, m.values("app.executor.queued", "app.executor.active"))
				g.open()
				synctest.Wait()
				assert.Equal(t, []int64{0, 0}, m.values("app.executor.queued", "app.executor.active"))
			})
		})
	}
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		p := newScheduled(t, 1, executors.WithMeter(m, "app"), executors.DropDelayed())
		g := newGate(t)
		require.NoError(t, p.Execute(background, func(context.Context) { <-g.c }))
		accept[*executors.Handle](t)(p.After(time.Hour, noError))
		synctest.Wait()
		assert.Equal(t, []int64{1}, m.values("app.executor.queued"))
		p.Shutdown()
		assert.Equal(t, []int64{0}, m.values("app.executor.queued"))
	})
	bubble(t, func(t *testing.T) { // in the last moment
		m := newTestMeter()
		var begin func()
		p := newPool(t, 0, 1, executors.Direct(), executors.WithMeter(m, "app"),
			executors.WithSpawn(func(_ string, run func()) error { begin = run; return nil }))
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		assert.True(t, f.Cancel(nil))
		go begin()
		<-f.Finished()
		synctest.Wait()
		assert.Equal(t, []int64{0, 0}, m.values("app.executor.queued", "app.executor.active"))
	})
}

// The lag is the time from the acceptance: who waits for room is not accepted yet.
func TestAMeterOfThoseWhoWaitForRoom(t *testing.T) {
	for want, queue := range map[time.Duration]executors.Queue{0: executors.Direct(), time.Second: executors.Bounded(1)} {
		bubble(t, func(t *testing.T) {
			p, g, m := waitingOn(t, queue)
			task := func(context.Context) { time.Sleep(time.Second) }
			if queue.Capacity() > 0 {
				require.NoError(t, p.Execute(background, task))
			}
			go func() { assert.NoError(t, p.ExecuteWait(background, task)) }()
			pass(time.Minute)
			g.open()
			pass(time.Minute)
			lags := m.times("app.executor.lag")
			assert.Equal(t, want, lags[len(lags)-1])
		})
	}
}

// A task that was withdrawn by a shutdown, and is told so in a moment, can't be cancelled for another reason in between.
func TestAMeterThatCancels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &cancellingMeter{testMeter: newTestMeter()}
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithMeter(m, "app"))
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		synctest.Wait()
		cancel := func() { assert.False(t, f.Cancel(assert.AnError)) }
		m.cancel.Store(&cancel)
		p.ShutdownNow()
		assert.ErrorIs(t, f.Err(), executors.ErrShutdown)
	})
}

// cancellingMeter calls a function when a task does not wait any more.
type cancellingMeter struct {
	*testMeter
	cancel atomic.Pointer[func()]
}

func (m *cancellingMeter) Gauge(name string, tags ...string) func(int64) {
	add := m.testMeter.Gauge(name, tags...)
	return func(n int64) {
		add(n)
		if n < 0 {
			if cancel := m.cancel.Swap(nil); cancel != nil {
				(*cancel)()
			}
		}
	}
}
