package schedulers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingFactory counts what it makes and how much of that is alive.
type countingFactory struct {
	DefaultFactory
	made, alive atomic.Int64
}

type counted struct {
	Scheduler
	f    *countingFactory
	once sync.Once
}

func (c *counted) Dispose() {
	c.Scheduler.Dispose()
	c.once.Do(func() { c.f.alive.Add(-1) })
}

func (f *countingFactory) count(s Scheduler, err error) (Scheduler, error) {
	if err != nil {
		return nil, err
	}
	f.made.Add(1)
	f.alive.Add(1)
	return &counted{Scheduler: s, f: f}, nil
}

func (f *countingFactory) NewSingle(name string, opts ...Option) Scheduler {
	return must(f.count(f.DefaultFactory.NewSingle(name, opts...), nil))
}

func (f *countingFactory) NewParallel(name string, n int, opts ...Option) (Scheduler, error) {
	return f.count(f.DefaultFactory.NewParallel(name, n, opts...))
}

func (f *countingFactory) NewBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error) {
	return f.count(f.DefaultFactory.NewBoundedElastic(max, queue, name, opts...))
}

var sharedOnes = map[string]func() Scheduler{
	"schedulers.Single()":         Single,
	"schedulers.Parallel()":       Parallel,
	"schedulers.BoundedElastic()": BoundedElastic,
}

func TestA3_1_RacingFirstCallsGetOneInstance(t *testing.T) {
	defer ResetFactory()
	for name, get := range sharedOnes {
		for range 20 {
			f := new(countingFactory)
			SetFactory(f)
			got := make([]Scheduler, 100)
			var ready, wg sync.WaitGroup
			ready.Add(len(got))
			for i := range got {
				wg.Go(func() {
					ready.Done()
					ready.Wait()
					got[i] = get()
				})
			}
			wg.Wait()
			for _, s := range got {
				require.Same(t, got[0], s)
			}
			assert.EqualValues(t, 1, f.alive.Load(), "%s: of %d made", name, f.made.Load())
		}
	}
}

func TestA3_2_SharedOnesCannotBeDisposed(t *testing.T) {
	defer ShutdownNow()
	for name, get := range sharedOnes {
		s := get()
		assert.Same(t, s, get())
		s.Dispose()
		err := s.DisposeGracefully(context.Background())
		require.ErrorIs(t, err, ErrShared)
		assert.EqualError(t, err, name+": a shared scheduler can't be disposed, schedulers.Shutdown lets them run out")
		assert.False(t, s.IsDisposed())
		ran := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { close(ran) }))
		<-ran
		assert.Same(t, s, get(), name)
	}
}

func TestA3_3_ShutdownNow(t *testing.T) {
	defer ShutdownNow()
	ShutdownNow() // nothing there
	for name, get := range sharedOnes {
		old := get()
		w := old.NewWorker()
		ShutdownNow()
		assert.True(t, old.IsDisposed(), name)
		assert.ErrorIs(t, old.Execute(nothing), ErrUnavailable)
		assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable)
		fresh := get()
		assert.NotSame(t, old, fresh)
		require.NoError(t, fresh.Execute(nothing))
	}
}

func TestShutdownLetsTheSharedOnesRunOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		defer ShutdownNow()
		require.NoError(t, Shutdown(t.Context()), "nothing there")
		for name, get := range sharedOnes {
			var ran []string
			s := get()
			w := s.NewWorker()
			require.NoError(t, w.Execute(func(context.Context) { time.Sleep(time.Second); ran = append(ran, "busy") }))
			require.NoError(t, w.Execute(func(context.Context) { ran = append(ran, "queued") }))
			accept(t)(w.ScheduleAfter(func(context.Context) { ran = append(ran, "delayed") }, time.Minute))
			accept(t)(w.SchedulePeriodically(func(context.Context) { ran = append(ran, "periodic") }, 2*time.Minute, time.Minute))
			began := time.Now()
			require.NoError(t, Shutdown(t.Context()), name)
			assert.Equal(t, time.Minute, time.Since(began))
			assert.Equal(t, []string{"busy", "queued", "delayed"}, ran, name)
			assert.True(t, s.IsDisposed())
			assert.NoError(t, s.DisposeGracefully(t.Context()), "it has ended")
			assert.ErrorIs(t, s.Execute(nothing), ErrUnavailable)
			assert.NotSame(t, s, get())
		}
	})
}

func TestShutdownWithoutDelayedTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		accept(t)(Parallel().ScheduleAfter(func(context.Context) { t.Error("dropped") }, time.Minute))
		began := time.Now()
		require.NoError(t, Shutdown(t.Context(), DropDelayed()))
		assert.Zero(t, time.Since(began))
	})
}

// A scheduler that a task makes while the others run out is waited for too.
func TestShutdownWaitsForWhatComesInBetween(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ran []string
		require.NoError(t, BoundedElastic().Execute(func(context.Context) {
			time.Sleep(time.Second)
			assert.NoError(t, Parallel().Execute(func(context.Context) {
				time.Sleep(time.Second)
				ran = append(ran, "next")
			}))
		}))
		require.NoError(t, Shutdown(t.Context()))
		assert.Equal(t, []string{"next"}, ran)
	})
}

func TestShutdownWithinItsContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ran atomic.Bool
		hour := func(context.Context) { time.Sleep(time.Hour); ran.Store(true) }
		s := Single()
		require.NoError(t, s.Execute(hour))
		require.NoError(t, Parallel().Execute(nothing))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualError(t, err, "schedulers: Shutdown: schedulers.Single(): context deadline exceeded")
		assert.False(t, ran.Load())
		assert.ErrorIs(t, s.DisposeGracefully(ctx), context.DeadlineExceeded)

		require.NoError(t, Shutdown(t.Context()), "another call waits again")
		assert.True(t, ran.Load())
	})
}

// What is being drained is still there for ShutdownNow.
func TestShutdownNowCutsShutdownShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cause := make(chan error, 1)
		require.NoError(t, Single().Execute(func(ctx context.Context) {
			<-ctx.Done()
			cause <- context.Cause(ctx)
		}))
		time.AfterFunc(time.Minute, ShutdownNow)
		began := time.Now()
		require.NoError(t, Shutdown(t.Context()))
		assert.Equal(t, time.Minute, time.Since(began))
		assert.ErrorIs(t, <-cause, ErrTaskDisposed)
	})
}

func TestA3_4_SetFactory(t *testing.T) {
	defer ResetFactory()
	mine := NewSingle("mine")
	defer mine.Dispose()
	old := Parallel()
	f := new(countingFactory)
	SetFactory(f)
	assert.True(t, old.IsDisposed())
	assert.False(t, mine.IsDisposed(), "what a program has made is its own")
	Single()
	Parallel()
	BoundedElastic()
	NewSingle("x").Dispose()
	assert.EqualValues(t, 4, f.made.Load(), "the New functions use it too")
	assert.EqualValues(t, 3, f.alive.Load())
	ResetFactory()
	assert.Zero(t, f.alive.Load())
	Single()
	assert.EqualValues(t, 4, f.made.Load())
	assert.Panics(t, func() { SetFactory(nil) })
	assert.Panics(t, func() { SetFactoryWithSnapshot(nil) })
}

func TestA3_5_Snapshot(t *testing.T) {
	defer ResetFactory()
	outer := new(countingFactory)
	SetFactory(outer)
	single, parallel := Single(), Parallel()
	inner := new(countingFactory)
	snap := SetFactoryWithSnapshot(inner)
	assert.False(t, single.IsDisposed(), "put aside, not disposed")
	assert.NotSame(t, single, Single())
	BoundedElastic()
	assert.EqualValues(t, 2, inner.alive.Load())
	ResetFrom(snap)
	assert.Zero(t, inner.alive.Load(), "what came in between is disposed")
	assert.Same(t, single, Single())
	assert.Same(t, parallel, Parallel())
	assert.False(t, single.IsDisposed())
	BoundedElastic()
	assert.EqualValues(t, 3, outer.made.Load(), "the factory is back")

	snap = SetFactoryWithSnapshot(inner)
	assert.False(t, snap.IsDisposed())
	snap.Dispose()
	assert.True(t, snap.IsDisposed())
	assert.True(t, single.IsDisposed(), "a snapshot that is not wanted back")
	ResetFrom(nil)
	assert.Equal(t, DefaultFactory{}, currentFactory())
}

// pausingFactory calls a function before it makes a parallel scheduler, and another one when one is disposed.
type pausingFactory struct {
	countingFactory
	before, disposed func()
}

func (f *pausingFactory) NewParallel(name string, n int, opts ...Option) (Scheduler, error) {
	if f.before != nil {
		f.before()
	}
	s, err := f.countingFactory.NewParallel(name, n, opts...)
	return &pausing{s, f}, err
}

type pausing struct {
	Scheduler
	f *pausingFactory
}

func (p *pausing) Dispose() {
	p.Scheduler.Dispose()
	if disposed := p.f.disposed; disposed != nil {
		p.f.disposed = nil
		disposed()
	}
}

// Who asks for a shared scheduler while the factory is replaced does not bring one of the old factory in.
func TestA3_5_FactoryIsReplacedMeanwhile(t *testing.T) {
	replace := map[string]func(f Factory) (back func()){
		"set":      func(f Factory) func() { SetFactory(f); return func() {} },
		"snapshot": func(f Factory) func() { snap := SetFactoryWithSnapshot(f); return func() { ResetFrom(snap) } },
		"reset":    func(Factory) func() { ResetFactory(); return func() {} },
	}
	for name, replace := range replace {
		t.Run(name, func(t *testing.T) {
			defer ResetFactory()
			old, f := new(pausingFactory), new(countingFactory)
			SetFactory(old)
			back := func() {}
			old.before = func() {
				old.before = nil
				back = replace(f)
			}
			got := Parallel()
			assert.Zero(t, old.alive.Load(), "what was made too late is disposed")
			assert.False(t, got.IsDisposed())
			assert.Same(t, got, Parallel())
			if name != "reset" {
				assert.EqualValues(t, 1, f.alive.Load())
			}
			back()
			assert.Zero(t, old.alive.Load())
			assert.False(t, Parallel().IsDisposed())
		})
	}
}

// So it is where who disposes of the old ones asks.
func TestA3_5_FactoryIsReplacedFirst(t *testing.T) {
	for name, replace := range map[string]func(f Factory){
		"set":   SetFactory,
		"reset": func(Factory) { ResetFactory() },
		"back":  func(f Factory) { ResetFrom(&Snapshot{factory: &f}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer ResetFactory()
			old, f := new(pausingFactory), new(countingFactory)
			SetFactory(old)
			Parallel()
			var got Scheduler
			old.disposed = func() { got = Parallel() }
			replace(f)
			require.NotNil(t, got)
			assert.EqualValues(t, 1, old.made.Load())
			assert.Zero(t, old.alive.Load())
			assert.Same(t, got, Parallel())
			assert.False(t, got.IsDisposed())
		})
	}
}

// What the new factory has made by the time that the shared ones are put aside stays, and is not put aside.
func TestA3_5_SnapshotHasNothingOfTheNewFactory(t *testing.T) {
	defer ResetFactory()
	before := Single()
	f := Factory(new(countingFactory))
	by := &f
	made := &shared{Scheduler: NewSingle("new"), by: by}
	assert.Nil(t, takeOther(&cached.single, nil), "it is of the default factory")
	cached.single.Store(made)
	assert.Nil(t, takeOther(&cached.single, by))
	assert.Same(t, made, cached.single.Load())
	assert.Same(t, made, takeOther(&cached.single, nil))
	made.Scheduler.Dispose()
	before.(*shared).Scheduler.Dispose()
}

// A snapshot may be brought back twice, as by a test and by its cleanup, and what was disposed meanwhile does not
// come back: it would refuse for ever.
func TestA3_5_SnapshotBroughtBackTwice(t *testing.T) {
	defer ResetFactory()
	outer, inner := new(countingFactory), new(countingFactory)
	SetFactory(outer)
	single := Single()
	snap := SetFactoryWithSnapshot(inner)
	Single()
	ResetFrom(snap)
	assert.Same(t, single, Single())
	ResetFrom(snap)
	assert.Same(t, single, Single())
	assert.False(t, single.IsDisposed())
	require.NoError(t, Single().Execute(nothing))
	assert.Zero(t, inner.alive.Load())

	ShutdownNow()
	assert.True(t, single.IsDisposed())
	ResetFrom(snap)
	require.NoError(t, Single().Execute(nothing))
	assert.NotSame(t, single, Single())
}

func TestA3_6_Names(t *testing.T) {
	defer ShutdownNow()
	for name, get := range sharedOnes {
		assert.Equal(t, name, nameOf(get()))
		assert.Equal(t, name, get().Stats().Name)
	}
	assert.Equal(t, "single", Single().Stats().Kind)
	assert.Equal(t, Defaults().PoolSize, Parallel().Stats().Capacity)
	assert.Equal(t, Defaults().BoundedElasticSize, BoundedElastic().Stats().Capacity)
	assert.Equal(t, Defaults().BoundedElasticQueueSize, BoundedElastic().Stats().QueueCapacity)
}

// The shared schedulers work in a synctest bubble, one after the other and outside
// again, as long as nothing of one is left in the next.
func TestA16_2_SharedOnesInBubbles(t *testing.T) {
	defer ShutdownNow()
	use := func() {
		for _, get := range sharedOnes {
			ran := make(chan struct{}, 2)
			require.NoError(t, get().Execute(func(context.Context) { ran <- struct{}{} }))
			_, err := get().ScheduleAfter(func(context.Context) { ran <- struct{}{} }, time.Millisecond)
			require.NoError(t, err)
			d, err := get().ScheduleAfter(nothing, time.Hour)
			require.NoError(t, err)
			<-ran
			<-ran
			d.Dispose()
		}
	}
	for range 3 {
		use()
		for _, get := range sharedOnes {
			settle(get())
		}
		bubble(t, func(t *testing.T) {
			use()
			time.Sleep(24 * time.Hour)
			use()
			synctest.Wait()
		})
	}
}

// settle waits until no slot of s has a goroutine.
func settle(s Scheduler) {
	var slots []*slot
	switch s := s.(*shared).Scheduler.(type) {
	case *fixed:
		slots = s.slots
	case *elastic:
		s.mu.Lock()
		slots = append(s.busy.all(), s.idle...)
		s.mu.Unlock()
	}
	for _, sl := range slots {
		for active := true; active; runtime.Gosched() {
			sl.mu.Lock()
			active = sl.active
			sl.mu.Unlock()
		}
	}
}

func TestA16_2_SchedulersOfABubble(t *testing.T) {
	// The end of a bubble panics if a goroutine is left: none of these is disposed.
	for _, k := range kinds {
		bubble(t, func(t *testing.T) {
			s := k.make(WithTTL(time.Second))
			w := s.NewWorker()
			ran := make(chan struct{}, 2)
			require.NoError(t, s.Execute(func(context.Context) { ran <- struct{}{} }))
			accept(t)(w.ScheduleAfter(func(context.Context) { ran <- struct{}{} }, 24*time.Hour))
			<-ran
			<-ran
		})
	}
}
