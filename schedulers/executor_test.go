package schedulers

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goExecutor starts a goroutine for every task.
var goExecutor = executors.Func(func(ctx context.Context, task executors.Task) error {
	go task(ctx)
	return nil
})

// testService is a Timed service with a goroutine per task.
type testService struct {
	mu       sync.Mutex
	shut     bool
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
	timers   map[*time.Timer]executors.Task
	graceful bool
}

var errShut = errors.New("service is shut down")

func newTestService() *testService {
	s := &testService{timers: map[*time.Timer]executors.Task{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func (s *testService) Execute(ctx context.Context, task executors.Task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return errShut
	}
	s.start(ctx, task)
	return nil
}

func (s *testService) start(ctx context.Context, task executors.Task) {
	ctx, stop := context.WithCancel(ctx)
	stopAfter := context.AfterFunc(s.ctx, stop)
	s.running.Go(func() {
		defer stopAfter()
		defer stop()
		task(ctx)
	})
}

func (s *testService) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return nil, errShut
	}
	var timer *time.Timer
	s.running.Add(1)
	timer = time.AfterFunc(d, func() {
		defer s.running.Done()
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, ok := s.timers[timer]; ok {
			delete(s.timers, timer)
			s.start(ctx, task)
		}
	})
	s.timers[timer] = task
	return func() bool { return s.withdraw(timer) }, nil
}

func (s *testService) withdraw(timer *time.Timer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, had := s.timers[timer]
	delete(s.timers, timer)
	if timer.Stop() {
		s.running.Done()
	}
	return had
}

func (s *testService) Shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut, s.graceful = true, true
}

func (s *testService) ShutdownNow() (rest []executors.Task) {
	s.mu.Lock()
	s.shut = true
	var timers []*time.Timer
	for timer, task := range s.timers {
		timers, rest = append(timers, timer), append(rest, task)
	}
	s.mu.Unlock()
	for _, timer := range timers {
		s.withdraw(timer)
	}
	s.stop()
	return rest
}

func (s *testService) AwaitTermination(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *testService) IsShutdown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shut
}

func TestA9_5_FromExecutor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromExecutor(goExecutor, Named("mine"))
		var j journal[string]
		require.NoError(t, s.Execute(j.noting("execute")))
		synctest.Wait()
		d := accept(t)(s.Schedule(j.noting("schedule")))
		synctest.Wait()
		assert.True(t, d.IsDisposed())
		require.NoError(t, s.Execute(func(ctx context.Context) {
			j.note(WorkerName(ctx))
			assert.False(t, IsNonBlocking(ctx))
		}))
		synctest.Wait()
		assert.Equal(t, []string{"execute", "schedule", "mine"}, j.read())
		assert.Equal(t, `fromExecutor("mine")`, s.Stats().Name)

		w := s.NewWorker()
		for _, l := range []lane{s, w} {
			_, err := l.ScheduleAfter(nothing, time.Second)
			assert.ErrorIs(t, err, ErrNotTimeCapable)
			_, err = l.SchedulePeriodically(nothing, 0, time.Second)
			assert.ErrorIs(t, err, ErrNotTimeCapable)
		}

		s.Dispose()
		assert.True(t, s.IsDisposed())
		assert.ErrorIs(t, s.Execute(nothing), ErrUnavailable)
		assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable)
		require.NoError(t, goExecutor.Execute(t.Context(), j.noting("still there")), "the executor is not shut down")
		synctest.Wait()
		assert.Len(t, j.read(), 4)
	})
	assert.Regexp(t, `^fromExecutor\("anonymousExecutor@[0-9a-f]+"\)$`, FromExecutor(goExecutor).Stats().Name)
}

// lateExecutor keeps tasks until the test runs them.
type lateExecutor struct{ tasks []executors.Task }

func (e *lateExecutor) Execute(_ context.Context, task executors.Task) error {
	e.tasks = append(e.tasks, task)
	return nil
}

func (e *lateExecutor) run() {
	for len(e.tasks) > 0 {
		task := e.tasks[0]
		e.tasks = e.tasks[1:]
		task(context.Background())
	}
}

func TestA9_5_DisposedTaskBecomesANoOp(t *testing.T) {
	e := new(lateExecutor)
	s := FromExecutor(e)
	var j journal[int]
	a := accept(t)(s.Schedule(j.noting(1)))
	accept(t)(s.Schedule(j.noting(2)))
	a.Dispose()
	a.Dispose()
	assert.True(t, a.IsDisposed())
	assert.Len(t, e.tasks, 2, "it stays where it is")
	w := s.NewWorker()
	require.NoError(t, w.Execute(j.noting(3)))
	b := accept(t)(w.Schedule(j.noting(4)))
	w.Dispose()
	assert.True(t, b.IsDisposed())
	e.run()
	assert.Equal(t, []int{2}, j.read())
	assert.EqualValues(t, 3, s.Stats().Dropped)
	assert.EqualValues(t, 1, s.Stats().Completed)
}

func TestA9_5_DisposeCancelsWhatRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromExecutor(goExecutor)
		w := s.NewWorker()
		cause := make(chan error)
		task := func(ctx context.Context) {
			<-ctx.Done()
			cause <- context.Cause(ctx)
		}
		d := accept(t)(s.Schedule(task))
		require.NoError(t, w.Execute(task))
		synctest.Wait()
		d.Dispose()
		assert.ErrorIs(t, <-cause, ErrTaskDisposed)
		w.Dispose()
		assert.ErrorIs(t, <-cause, ErrTaskDisposed)

		var self Disposable
		ready, done := make(chan struct{}), make(chan struct{})
		self = accept(t)(s.Schedule(func(ctx context.Context) {
			defer close(done)
			<-ready
			self.Dispose()
			assert.NoError(t, ctx.Err())
		}))
		close(ready)
		<-done
	})
}

func TestA9_5_FailuresOfTasksAreReported(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		for _, opts := range [][]ExecutorOption{nil, {Trampoline()}} {
			s := FromExecutor(goExecutor, opts...)
			for _, l := range []lane{s, s.NewWorker()} {
				n := len(errs.read())
				d := accept(t)(l.Schedule(func(context.Context) { panic("boom") }))
				synctest.Wait()
				e := accept(t)(l.Schedule(func(context.Context) { runtime.Goexit() }))
				f := accept(t)(l.Schedule(nothing))
				synctest.Wait()
				require.Len(t, errs.read(), n+2)
				var p *reactor.PanicError
				require.ErrorAs(t, errs.read()[n], &p)
				assert.Equal(t, "boom", p.Value)
				assert.ErrorIs(t, errs.read()[n+1], reactor.ErrGoexit)
				for _, d := range []Disposable{d, e, f} {
					assert.True(t, d.IsDisposed())
				}
			}
		}
	})
}

// A handler of errors ends the goroutine: the task has ended all the same, and a series goes on.
func TestA9_5_HandlerThatEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer OnHandleError("exits", func(context.Context, error) { runtime.Goexit() })()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s := FromExecutor(goExecutor)
		require.NoError(t, s.Execute(func(context.Context) { panic("the task") }))
		assert.NoError(t, s.DisposeGracefully(ctx))
		assert.EqualValues(t, 1, s.Stats().Completed)

		pool, err := executors.NewScheduledPool(1)
		require.NoError(t, err)
		s = FromScheduledPool(pool)
		var runs atomic.Int32
		_, err = s.SchedulePeriodically(func(context.Context) { runs.Add(1); panic("the task") }, 0, time.Second)
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		assert.EqualValues(t, 3, runs.Load())
		assert.NoError(t, s.DisposeGracefully(ctx))
	})
}

func TestA9_5_GracefulDisposalWaitsForTheTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromExecutor(goExecutor)
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Minute) }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, s.DisposeGracefully(ctx), context.DeadlineExceeded)
		assert.ErrorIs(t, s.Execute(nothing), ErrUnavailable)
		start := time.Now()
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, 59*time.Second, time.Since(start))
	})
}

// A submission that meets a graceful disposal is refused, or waited for.
func TestA9_5_GracefulDisposalMeetsASubmission(t *testing.T) {
	for name, submit := range map[string]func(s Scheduler, w Worker) error{
		"Execute":          func(s Scheduler, _ Worker) error { return s.Execute(nothing) },
		"Execute, worker":  func(_ Scheduler, w Worker) error { return w.Execute(nothing) },
		"Schedule, worker": func(_ Scheduler, w Worker) error { _, err := w.Schedule(nothing); return err },
	} {
		s := FromExecutor(goExecutor)
		w := s.NewWorker()
		remove := OnScheduleHook("dispose", func(task Task) Task {
			require.NoError(t, s.DisposeGracefully(t.Context()), name) // there is no task yet
			return task
		})
		assert.ErrorIs(t, submit(s, w), ErrUnavailable, "%s: nobody would wait for it", name)
		remove()
		require.NoError(t, s.DisposeGracefully(t.Context()), name)
		assert.EqualValues(t, 1, s.Stats().Rejected, name)
	}
}

func TestA9_6_FromExecutorService(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := newTestService()
		s := FromExecutor(svc, Named("svc"))
		assert.Equal(t, `fromExecutorService("svc")`, s.Stats().Name)
		w := s.NewWorker()
		start := time.Now()
		var j journal[time.Duration]
		note := func(context.Context) { j.note(time.Since(start) / time.Second) }
		for _, l := range []lane{s, w} {
			require.NoError(t, l.Execute(note))
			accept(t)(l.ScheduleAfter(note, 2*time.Second))
			pass(3 * time.Second)
			d := accept(t)(l.SchedulePeriodically(note, time.Second, 2*time.Second))
			pass(6 * time.Second)
			d.Dispose()
			assert.True(t, d.IsDisposed())
			pass(time.Minute)
			assert.Equal(t, []time.Duration{0, 2, 4, 6, 8}, j.read())
			start, j.notes = time.Now(), nil
		}
		var late journal[int]
		queued := accept(t)(s.ScheduleAfter(late.noting(1), time.Hour))
		running := make(chan struct{})
		require.NoError(t, w.Execute(func(ctx context.Context) {
			close(running)
			<-ctx.Done()
		}))
		<-running
		s.Dispose()
		assert.True(t, svc.IsShutdown())
		assert.True(t, queued.IsDisposed())
		assertRefusesAtAll(t, s)
		assertRefusesAtAll(t, w)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Empty(t, late.read())
	})
}

func assertRefusesAtAll(t *testing.T, l lane) {
	t.Helper()
	assert.ErrorIs(t, l.Execute(nothing), ErrUnavailable)
	_, err := l.Schedule(nothing)
	assert.ErrorIs(t, err, ErrUnavailable)
}

func TestA9_6_GracefulShutdownOfTheService(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := newTestService()
		s := FromExecutorService(svc, "")
		var j journal[string]
		accept(t)(s.ScheduleAfter(j.noting("delayed"), time.Hour))
		d := accept(t)(s.SchedulePeriodically(j.noting("series"), time.Second, time.Second))
		start := time.Now()
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, time.Hour, time.Since(start))
		assert.Equal(t, []string{"delayed"}, j.read())
		assert.True(t, d.IsDisposed())
		assert.True(t, svc.graceful)
	})
}

// Shut down by somebody else, the service takes the scheduler with it.
func TestA6_4_ShutDownServiceEndsTheScheduler(t *testing.T) {
	svc := newTestService()
	s := FromExecutorService(svc, "t")
	require.NoError(t, s.Execute(nothing))
	assert.False(t, s.IsDisposed())
	svc.Shutdown()
	assert.True(t, s.IsDisposed())
	assert.ErrorIs(t, s.Execute(nothing), ErrUnavailable)
	require.NoError(t, svc.AwaitTermination(t.Context()))
}

// Periodic tasks over a service: failures, StopOnError, period 0.
func TestA4_6_PeriodicTasksOfAService(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		s := FromExecutorService(newTestService(), "t")
		defer s.Dispose()
		runs := 0
		fail := func(context.Context) {
			runs++
			time.Sleep(time.Second)
			panic("boom")
		}
		d := accept(t)(s.SchedulePeriodically(fail, 0, 0))
		pass(3*time.Second + time.Millisecond)
		d.Dispose()
		pass(time.Minute)
		assert.Equal(t, 4, runs)
		assert.Len(t, errs.read(), 4)
		runs = 0
		d = accept(t)(s.SchedulePeriodically(fail, 0, time.Second, StopOnError()))
		pass(time.Minute)
		assert.Equal(t, 1, runs)
		assert.True(t, d.IsDisposed())
	})
}

func TestA9_7_TrampolineKeepsTheOrder(t *testing.T) {
	for range 20 {
		bursts := 0
		e := executors.Func(func(ctx context.Context, task executors.Task) error {
			bursts++
			go task(ctx)
			return nil
		})
		s := FromExecutor(e, Trampoline())
		w := s.NewWorker()
		gate := make(chan struct{})
		require.NoError(t, w.Execute(func(context.Context) { <-gate }))
		var got []int // plain: the race detector looks at it
		done := make(chan struct{})
		for i := range 200 {
			require.NoError(t, w.Execute(func(context.Context) { got = append(got, i) }))
		}
		require.NoError(t, w.Execute(func(context.Context) { close(done) }))
		close(gate)
		<-done
		require.Len(t, got, 200)
		for i, v := range got {
			require.Equal(t, i, v)
		}
		assert.Equal(t, 1, bursts, "the whole burst is one submission")
		require.NoError(t, s.DisposeGracefully(t.Context()))
	}
}

func TestA9_7_TrampolineDisposesAllPendingHandles(t *testing.T) {
	e := new(lateExecutor)
	s := FromExecutor(e, Trampoline())
	w := s.NewWorker()
	var j journal[int]
	var handles []Disposable
	for i := range 5 {
		handles = append(handles, accept(t)(w.Schedule(j.noting(i))))
	}
	w.Dispose()
	for _, d := range handles {
		assert.True(t, d.IsDisposed())
	}
	e.run()
	assert.Empty(t, j.read())
	assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable)
}

// Tasks that line up while the submission of the first one is being refused were
// accepted: they must not vanish in silence.
func TestA9_7_TrampolineRefusedBehindATask(t *testing.T) {
	errs := catchErrors(t)
	full := errors.New("full")
	var w Worker
	var behind Disposable
	s := FromExecutor(executors.Func(func(context.Context, executors.Task) error {
		behind = accept(t)(w.Schedule(nothing))
		return full
	}), Trampoline())
	w = s.NewWorker()
	assert.ErrorIs(t, w.Execute(nothing), full)
	assert.True(t, behind.IsDisposed())
	require.Len(t, errs.read(), 1)
	assert.ErrorIs(t, errs.read()[0], full)
	assert.ErrorIs(t, errs.read()[0], ErrRejected)
}

func TestA9_8_SingleWorkerPinsOneWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := must(NewParallel("p", 4))
		defer source.Dispose()
		s := SingleWorker(source)
		var names journal[string]
		note := func(ctx context.Context) { names.note(WorkerName(ctx)) }
		start := time.Now()
		for range 10 {
			require.NoError(t, s.Execute(note))
			accept(t)(s.Schedule(note))
			w := s.NewWorker()
			require.NoError(t, w.Execute(note))
		}
		accept(t)(s.ScheduleAfter(func(ctx context.Context) {
			note(ctx)
			assert.Equal(t, time.Second, time.Since(start))
		}, time.Second))
		pass(time.Minute)
		require.Len(t, names.read(), 31)
		for _, n := range names.read() {
			assert.Equal(t, names.read()[0], n)
		}
		w := s.NewWorker()
		_, err := w.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		_, err = w.SchedulePeriodically(nothing, 0, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		assert.Equal(t, `parallel(4,"p")`, s.Stats().Parent)

		var j journal[int]
		d := accept(t)(s.ScheduleAfter(j.noting(1), time.Second))
		s.Dispose()
		assert.True(t, d.IsDisposed())
		assert.True(t, s.IsDisposed())
		assert.False(t, source.IsDisposed())
		assertRefusesAtAll(t, s)
		assertRefusesAtAll(t, w)
		require.NoError(t, source.Execute(j.noting(2)))
		pass(time.Minute)
		assert.Equal(t, []int{2}, j.read())
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

func TestA9_8_SingleWorkerIsFIFO(t *testing.T) {
	source := must(NewBoundedElastic(4, 10_000, "t"))
	defer source.Dispose()
	s := SingleWorker(source)
	a, b := s.NewWorker(), s.NewWorker()
	var got []int
	for i := range 999 {
		require.NoError(t, []lane{s, a, b}[i%3].Execute(func(context.Context) { got = append(got, i) }))
	}
	require.NoError(t, s.DisposeGracefully(t.Context()))
	require.Len(t, got, 999)
	for i, v := range got {
		require.Equal(t, i, v)
	}
	assert.Equal(t, 0, source.Stats().Slots[0].Holders, "the worker is given back")
}

func TestA9_8_SingleWorkerGraceful(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("t")
		defer source.Dispose()
		s := SingleWorker(source)
		var j journal[string]
		accept(t)(s.ScheduleAfter(j.noting("delayed"), time.Hour))
		d := accept(t)(s.SchedulePeriodically(j.noting("series"), time.Second, time.Second))
		start := time.Now()
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, time.Hour, time.Since(start))
		assert.Equal(t, []string{"delayed"}, j.read())
		assert.True(t, d.IsDisposed())
	})
}

func TestExecutorsMustBeThere(t *testing.T) {
	assert.PanicsWithValue(t, "schedulers: FromExecutor: executor is nil", func() { FromExecutor(nil) })
	assert.PanicsWithValue(t, "schedulers: FromExecutorService: service is nil", func() { FromExecutorService(nil, "") })
	assert.PanicsWithValue(t, "schedulers: SingleWorker: scheduler is nil", func() { SingleWorker(nil) })
}

// steps is a scheduler whose only worker runs a task when the test says so.
type steps struct {
	Scheduler
	worker stepsWorker
}

func (s *steps) NewWorker() Worker { return &s.worker }

type stepsWorker struct {
	Worker
	mu    sync.Mutex
	tasks []Task // guarded by mu
}

func (w *stepsWorker) put(tasks []Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tasks = tasks
}

func (w *stepsWorker) Execute(task Task) error { w.put(append(w.tasks, task)); return nil }
func (w *stepsWorker) Dispose()                { w.put(nil) }

// Each of several who wait has a task that comes last; that of the first one disposes the
// worker, and drops those of the others.
func TestA9_8_SingleWorkerGracefulTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := &steps{Scheduler: Immediate()}
		s := SingleWorker(source)
		ran := 0
		require.NoError(t, s.Execute(func(context.Context) { ran++ }))
		ended := 0
		var mu sync.Mutex
		for range 3 {
			go func() {
				assert.NoError(t, s.DisposeGracefully(context.Background()))
				mu.Lock()
				ended++
				mu.Unlock()
			}()
			synctest.Wait()
		}
		for _, task := range source.worker.tasks[:2] {
			task(t.Context())
		}
		synctest.Wait()
		assert.Equal(t, 1, ran)
		assert.Equal(t, 3, ended, "nobody waits for what was dropped")
		assert.NoError(t, s.DisposeGracefully(context.Background()))
	})
}

func TestA9_8_SingleWorkerDisposeCutsItShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("source")
		defer source.Dispose()
		s := SingleWorker(source)
		require.NoError(t, s.Execute(func(ctx context.Context) { <-ctx.Done() }))
		require.NoError(t, s.Execute(func(context.Context) { t.Error("dropped") }))
		accept(t)(s.ScheduleAfter(func(context.Context) { t.Error("dropped") }, time.Hour))
		time.AfterFunc(time.Minute, s.Dispose)
		began := time.Now()
		assert.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, time.Minute, time.Since(began))
	})
}

// disposedByItsClock is a scheduler that does something else when it is asked for the time.
type disposedByItsClock struct {
	Scheduler
	dispose func()
}

func (d *disposedByItsClock) Now() time.Time {
	if dispose := d.dispose; dispose != nil {
		d.dispose = nil
		dispose()
	}
	return d.Scheduler.Now()
}

// A graceful disposal that comes while a task is on its way in has ended it: a series, and what is delayed if that is to be dropped.
func TestA9_8_SingleWorkerDisposedMeanwhile(t *testing.T) {
	for _, opts := range [][]DisposeOption{nil, {DropDelayed()}} {
		bubble(t, func(t *testing.T) {
			below := NewSingle("t")
			defer below.Dispose()
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for _, submit := range []func(s Scheduler) (Disposable, error){
				func(s Scheduler) (Disposable, error) {
					return s.SchedulePeriodically(nothing, time.Second, time.Second)
				},
				func(s Scheduler) (Disposable, error) { return s.ScheduleAfter(nothing, time.Hour) },
			} {
				source := &disposedByItsClock{Scheduler: below}
				s := SingleWorker(source)
				accept(t)(s.Schedule(func(context.Context) { time.Sleep(time.Second) }))
				source.dispose = func() { assert.Error(t, s.DisposeGracefully(ended, opts...)) }
				_, err := submit(s)
				assert.Nil(t, source.dispose, "it has happened")
				start := time.Now()
				require.NoError(t, s.DisposeGracefully(t.Context()))
				if err == nil {
					assert.Empty(t, opts)
					assert.Equal(t, time.Hour, time.Since(start), "what is delayed is waited for")
				} else {
					assert.ErrorIs(t, err, ErrRejected)
					assert.Equal(t, time.Second, time.Since(start))
				}
			}
		})
	}
}

// gated is a scheduler whose only worker takes its first task when that is disposed, and drops what waits then.
type gated struct {
	Scheduler
	worker gatedWorker
}

func (g *gated) NewWorker() Worker { return &g.worker }

type gatedWorker struct {
	stepsWorker
	calls atomic.Int32
	once  sync.Once
	open  chan struct{}
	taken chan struct{}
}

func (w *gatedWorker) Execute(task Task) error {
	if w.calls.Add(1) == 1 {
		defer close(w.taken)
		<-w.open
		return w.stepsWorker.Execute(task)
	}
	go task(context.Background())
	return nil
}

func (w *gatedWorker) Dispose() {
	w.once.Do(func() { close(w.open) })
	<-w.taken
	w.stepsWorker.Dispose()
}

// A task whose submission is under way is waited for: it would be dropped with the worker, though it was accepted.
func TestA9_8_SingleWorkerGracefulDropsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := &gated{Scheduler: Immediate()}
		source.worker.open, source.worker.taken = make(chan struct{}), make(chan struct{})
		s := SingleWorker(source)
		accepted := make(chan error, 1)
		go func() { accepted <- s.Execute(nothing) }()
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- s.DisposeGracefully(context.Background()) }()
		synctest.Wait()
		assert.Empty(t, ended)
		assert.EqualValues(t, 1, source.worker.calls.Load(), "the last task comes behind it")
		s.Dispose() // which drops
		assert.NoError(t, <-accepted)
		assert.NoError(t, <-ended)
	})
}
