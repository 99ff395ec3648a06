package schedulers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
)

// Work is spread over lanes; a worker keeps its own order.
func Example() {
	var jobs sync.WaitGroup
	w := schedulers.Parallel().NewWorker()
	defer w.Dispose()
	for _, word := range []string{"one", "after", "the", "other"} {
		jobs.Add(1)
		err := w.Execute(func(context.Context) {
			defer jobs.Done()
			fmt.Println(word)
		})
		if err != nil {
			jobs.Done()
			fmt.Println(err)
		}
	}
	jobs.Wait()
	// Output:
	// one
	// after
	// the
	// other
}

func ExampleImmediate() {
	_ = schedulers.Immediate().Execute(func(context.Context) { fmt.Println("first") })
	fmt.Println("second")
	// Output:
	// first
	// second
}

func ExampleSingle() {
	done := make(chan struct{})
	_, err := schedulers.Single().ScheduleAfter(func(context.Context) { close(done) }, time.Millisecond)
	fmt.Println(err)
	<-done
	// Output: <nil>
}

func ExampleParallel() {
	done := make(chan bool)
	_ = schedulers.Parallel().Execute(func(ctx context.Context) {
		done <- strings.HasPrefix(schedulers.WorkerName(ctx), "parallel-")
	})
	fmt.Println(<-done)
	// Output: true
}

func ExampleBoundedElastic() {
	read := make(chan string)
	err := schedulers.BoundedElastic().Execute(func(context.Context) {
		b, err := os.ReadFile("doc.go") // may block
		if err != nil {
			read <- err.Error()
			return
		}
		line, _, _ := strings.Cut(string(b), "\n")
		read <- line
	})
	fmt.Println(err)
	fmt.Println(<-read)
	// Output:
	// <nil>
	// // Package schedulers decides where and when work runs.
}

func ExampleNewSingle() {
	s := schedulers.NewSingle("writer")
	defer s.Dispose()
	done := make(chan struct{})
	_ = s.Execute(func(context.Context) { fmt.Println("first") })
	_ = s.Execute(func(context.Context) { fmt.Println("second"); close(done) })
	<-done
	// Output:
	// first
	// second
}

func ExampleNewParallel() {
	_, err := schedulers.NewParallel("compute", 0)
	fmt.Println(err)
	s, err := schedulers.NewParallel("compute", 4)
	fmt.Println(s, err)
	s.Dispose()
	// Output:
	// schedulers: NewParallel: n > 0 required but it was 0: illegal argument
	// parallel(4,"compute") <nil>
}

func ExampleNewBoundedElastic() {
	s, err := schedulers.NewBoundedElastic(1, 1, "disk", schedulers.WithTTL(5*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Dispose()
	gate := make(chan struct{})
	for range 3 {
		err := s.Execute(func(context.Context) { <-gate })
		fmt.Println(err)
	}
	close(gate)
	fmt.Println(s)
	// Output:
	// <nil>
	// <nil>
	// task capacity of bounded elastic scheduler reached while scheduling 1 tasks (2/1)
	// boundedElastic("disk",maxThreads=1,maxTaskQueuedPerThread=1,ttl=5s)
}

func ExampleNewPerTaskBoundedElastic() {
	s, err := schedulers.NewPerTaskBoundedElastic(10, schedulers.Unlimited, "plugins")
	fmt.Println(s, err)
	s.Dispose()
	// Output: perTaskBoundedElastic("plugins",maxThreads=10,maxTaskQueuedPerThread=unbounded) <nil>
}

// A handle withdraws a task, or cancels the context of one that runs.
func ExampleDisposable() {
	s := schedulers.NewSingle("t")
	defer s.Dispose()
	running, ended := make(chan struct{}), make(chan struct{})
	d, _ := s.Schedule(func(ctx context.Context) {
		close(running)
		<-ctx.Done()
		fmt.Println(context.Cause(ctx))
		close(ended)
	})
	<-running
	d.Dispose()
	<-ended
	fmt.Println(d.IsDisposed())
	// Output:
	// task disposed
	// true
}

func ExampleScheduler_gracefully() {
	s := schedulers.NewSingle("t")
	_, _ = s.ScheduleAfter(func(context.Context) { fmt.Println("still runs") }, time.Millisecond)
	fmt.Println(s.DisposeGracefully(context.Background()))
	fmt.Println(s.Execute(func(context.Context) {}))
	// Output:
	// still runs
	// <nil>
	// scheduler unavailable
}

func ExampleDropDelayed() {
	s := schedulers.NewSingle("t")
	_, _ = s.ScheduleAfter(func(context.Context) { fmt.Println("never runs") }, time.Hour)
	fmt.Println(s.DisposeGracefully(context.Background(), schedulers.DropDelayed()))
	// Output: <nil>
}

func ExampleStopOnError() {
	defer schedulers.OnHandleError("example", func(_ context.Context, err error) {
		var p *reactor.PanicError
		errors.As(err, &p)
		fmt.Println(p.Value)
	})()
	s := schedulers.NewSingle("t")
	defer s.Dispose()
	runs := 0
	d, _ := s.SchedulePeriodically(func(context.Context) {
		if runs++; runs == 3 {
			panic("third run")
		}
	}, 0, time.Microsecond, schedulers.StopOnError())
	for !d.IsDisposed() {
		time.Sleep(time.Millisecond)
	}
	// Output: third run
}

func ExampleWithTTL() {
	s, _ := schedulers.NewBoundedElastic(4, 100, "t", schedulers.WithTTL(250*time.Millisecond))
	defer s.Dispose()
	fmt.Println(s)
	// Output: boundedElastic("t",maxThreads=4,maxTaskQueuedPerThread=100,ttl=250ms)
}

// A slot that goes on looking for tasks, at the price of a busy processor for some
// milliseconds after each one.
func ExampleWithSpin() {
	s := schedulers.NewSingle("market-data", schedulers.WithSpin(10_000))
	defer s.Dispose()
	fmt.Println(s)
	// Output: single("market-data")
}

// steppedClock is a Clock that moves when it is told to.
type steppedClock struct {
	now    time.Time
	timers map[int]func()
}

func (c *steppedClock) Now() time.Time { return c.now }

func (c *steppedClock) AfterFunc(d time.Duration, f func()) func() bool {
	n := len(c.timers)
	c.timers[n] = f
	return func() bool { delete(c.timers, n); return true }
}

func ExampleWithClock() {
	clock := &steppedClock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), timers: map[int]func(){}}
	s := schedulers.NewSingle("t", schedulers.WithClock(clock))
	defer s.Dispose()
	fmt.Println(s.Now().Year())
	// Output: 2030
}

func ExampleFromExecutor() {
	// Whatever runs functions will do: here, one goroutine for each.
	e := executors.Func(func(ctx context.Context, task executors.Task) error {
		go task(ctx)
		return nil
	})
	s := schedulers.FromExecutor(e, schedulers.Named("goroutines"))
	done := make(chan struct{})
	_ = s.Execute(func(context.Context) { close(done) })
	<-done
	fmt.Println(s)
	// Output: fromExecutor("goroutines")
}

func ExampleTrampoline() {
	e := executors.Func(func(ctx context.Context, task executors.Task) error {
		go task(ctx)
		return nil
	})
	w := schedulers.FromExecutor(e, schedulers.Trampoline()).NewWorker()
	var jobs sync.WaitGroup
	jobs.Add(3)
	for i := range 3 {
		_ = w.Execute(func(context.Context) { fmt.Println(i); jobs.Done() })
	}
	jobs.Wait()
	// Output:
	// 0
	// 1
	// 2
}

func ExampleNamed() {
	e := executors.Func(func(ctx context.Context, task executors.Task) error { task(ctx); return nil })
	s := schedulers.FromExecutor(e, schedulers.Named("inline"))
	_ = s.Execute(func(ctx context.Context) { fmt.Println(schedulers.WorkerName(ctx)) })
	// Output: inline
}

func ExampleSingleWorker() {
	pool, _ := schedulers.NewParallel("pool", 8)
	defer pool.Dispose()
	// Everything on s runs in one lane of the pool, in order.
	s := schedulers.SingleWorker(pool)
	for i := range 3 {
		_ = s.Execute(func(context.Context) { fmt.Println(i) })
	}
	_ = s.DisposeGracefully(context.Background())
	fmt.Println(pool.IsDisposed())
	// Output:
	// 0
	// 1
	// 2
	// false
}

func ExampleWorkerName() {
	s := schedulers.Immediate()
	_ = s.Execute(func(ctx context.Context) { fmt.Println(schedulers.WorkerName(ctx)) })
	// Output: immediate
}

func ExampleCheckBlocking() {
	s := schedulers.NewSingle("t")
	defer s.Dispose()
	done := make(chan error)
	_ = s.Execute(func(context.Context) {
		err := schedulers.CheckBlocking(context.Background(), "mono.Block")
		go func() { done <- err }()
	})
	fmt.Println(errors.Is(<-done, reactor.ErrBlocking))
	fmt.Println(schedulers.CheckBlocking(context.Background(), "mono.Block"))
	// Output:
	// true
	// <nil>
}

func ExampleIsNonBlocking() {
	s := schedulers.NewSingle("t")
	defer s.Dispose()
	done := make(chan bool)
	_ = s.Execute(func(ctx context.Context) { done <- schedulers.IsNonBlocking(ctx) })
	fmt.Println(<-done)
	fmt.Println(schedulers.IsNonBlocking(context.Background()))
	// Output:
	// true
	// false
}

// An event loop of the program itself must not be blocked either.
func ExampleRegisterNonBlocking() {
	type loopKey struct{}
	defer schedulers.RegisterNonBlocking("event-loop", func(ctx context.Context) bool {
		return ctx.Value(loopKey{}) != nil
	})()
	ctx := context.WithValue(context.Background(), loopKey{}, true)
	fmt.Println(schedulers.IsNonBlocking(ctx))
	schedulers.ResetNonBlocking()
	fmt.Println(schedulers.IsNonBlocking(ctx))
	// Output:
	// true
	// false
}

func ExampleOnScheduleHook() {
	remove := schedulers.OnScheduleHook("trace", func(task schedulers.Task) schedulers.Task {
		fmt.Println("scheduled")
		return func(ctx context.Context) {
			fmt.Println("before")
			task(ctx)
			fmt.Println("after")
		}
	})
	defer remove()
	s := schedulers.NewSingle("t")
	_ = s.Execute(func(context.Context) { fmt.Println("task") })
	_ = s.DisposeGracefully(context.Background())
	// Output:
	// scheduled
	// before
	// task
	// after
}

func ExampleOnHandleError() {
	remove := schedulers.OnHandleError("example", func(_ context.Context, err error) {
		var p *reactor.PanicError
		if errors.As(err, &p) {
			fmt.Println("a task panicked:", p.Value)
		}
	})
	defer remove()
	s := schedulers.NewSingle("t")
	_ = s.Execute(func(context.Context) { panic("boom") })
	_ = s.DisposeGracefully(context.Background())
	// Output: a task panicked: boom
}

func ExampleUndecorated() {
	defer schedulers.OnScheduleHook("count", func(task schedulers.Task) schedulers.Task {
		fmt.Println("hook")
		return task
	})()
	s := schedulers.NewSingle("t")
	_ = s.Execute(schedulers.Undecorated(func(context.Context) { fmt.Println("housekeeping") }))
	_ = s.DisposeGracefully(context.Background())
	// Output: housekeeping
}

func ExampleOnSchedule() {
	defer schedulers.OnScheduleHook("count", func(task schedulers.Task) schedulers.Task {
		fmt.Println("hook")
		return task
	})()
	// A Scheduler implemented elsewhere applies the hooks like this.
	task := schedulers.OnSchedule(func(context.Context) { fmt.Println("task") })
	task(context.Background())
	// Output:
	// hook
	// task
}

func ExampleResetOnScheduleHook() {
	schedulers.OnScheduleHook("a", func(task schedulers.Task) schedulers.Task { fmt.Println("a"); return task })
	schedulers.OnScheduleHook("b", func(task schedulers.Task) schedulers.Task { fmt.Println("b"); return task })
	schedulers.ResetOnScheduleHook("a")
	schedulers.OnSchedule(func(context.Context) {})
	schedulers.ResetOnScheduleHooks()
	schedulers.OnSchedule(func(context.Context) {})
	// Output: b
}

// logged wraps the executor of every slot that is made.
type logged struct{}

func (logged) Decorate(_, worker string, e executors.Executor) executors.Executor {
	return executors.Func(func(ctx context.Context, task executors.Task) error {
		fmt.Println("submitted to", strings.TrimRight(worker, "0123456789"))
		return e.Execute(ctx, task)
	})
}

func ExampleAddExecutorDecorator() {
	fmt.Println(schedulers.AddExecutorDecorator("log", logged{}))
	fmt.Println(schedulers.AddExecutorDecorator("log", logged{}), "the first one is kept")
	s := schedulers.NewSingle("io")
	_ = s.Execute(func(context.Context) {})
	_ = s.DisposeGracefully(context.Background())
	schedulers.RemoveExecutorDecorator("log")
	// Output:
	// true
	// false the first one is kept
	// submitted to io-
}

func ExampleSetExecutorDecorator() {
	schedulers.SetExecutorDecorator("log", logged{})
	d, had := schedulers.RemoveExecutorDecorator("log")
	fmt.Println(d, had)
	// Output: {} true
}

func ExampleDecorateExecutor() {
	schedulers.SetExecutorDecorator("log", logged{})
	defer schedulers.RemoveExecutorDecorator("log")
	// A Scheduler implemented elsewhere applies the decorators like this.
	e := schedulers.DecorateExecutor("mine", "lane", executors.Func(func(ctx context.Context, task executors.Task) error {
		task(ctx)
		return nil
	}))
	_ = e.Execute(context.Background(), func(context.Context) { fmt.Println("runs") })
	// Output:
	// submitted to lane
	// runs
}

// The settings may come from a file of Java properties.
func ExampleLoadConfig() {
	properties := map[string]string{
		"reactor.schedulers.defaultBoundedElasticSize":      "40",
		"reactor.schedulers.defaultBoundedElasticQueueSize": "many",
	}
	c, err := schedulers.LoadConfig(func(name string) (string, bool) {
		v, ok := properties[name]
		return v, ok
	})
	fmt.Println(c.BoundedElasticSize, c.BoundedElasticQueueSize)
	fmt.Println(err)
	// Output:
	// 40 100000
	// schedulers: reactor.schedulers.defaultBoundedElasticQueueSize="many" is not a decimal number, using 100000
}

func ExampleDefaults() {
	c := schedulers.Defaults()
	fmt.Println(c.PoolSize > 0, c.BoundedElasticQueueSize)
	// Output: true 100000
}

// inline replaces the parallel schedulers, and leaves the others as they are.
type inline struct{ schedulers.DefaultFactory }

func (inline) NewParallel(string, int, ...schedulers.Option) (schedulers.Scheduler, error) {
	return schedulers.Immediate(), nil
}

func ExampleSetFactory() {
	schedulers.SetFactory(inline{})
	_ = schedulers.Parallel().Execute(func(context.Context) { fmt.Println("in the caller") })
	schedulers.ResetFactory()
	// Output: in the caller
}

func ExampleSetFactoryWithSnapshot() {
	before := schedulers.Single()
	snapshot := schedulers.SetFactoryWithSnapshot(inline{})
	fmt.Println(schedulers.Single() == before)
	schedulers.ResetFrom(snapshot)
	fmt.Println(schedulers.Single() == before)
	// Output:
	// false
	// true
}

func ExampleShutdown() {
	_ = schedulers.BoundedElastic().Execute(func(context.Context) {
		time.Sleep(10 * time.Millisecond)
		fmt.Println("written")
	})
	// The last lines of main.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := schedulers.Shutdown(ctx); err != nil {
		fmt.Println("work is left:", err)
	}
	// Output: written
}

func ExampleShutdownNow() {
	old := schedulers.Single()
	schedulers.ShutdownNow()
	fmt.Println(old.Execute(func(context.Context) {}))
	fmt.Println(schedulers.Single().Execute(func(context.Context) {}))
	// Output:
	// scheduler unavailable
	// <nil>
}

// printer is a Meter that prints.
type printer struct{}

func (printer) Counter(name string, tags ...string) func(int64) {
	return func(n int64) { fmt.Println(name, tags, n) }
}
func (printer) Gauge(name string, _ ...string) func(int64) {
	return func(n int64) { fmt.Println(name, n) }
}
func (printer) Timer(name string, _ ...string) func(time.Duration) {
	return func(time.Duration) { fmt.Println(name) }
}
func (printer) Remove(string) {}

func ExampleTimed() {
	s := schedulers.Timed(schedulers.Immediate(), printer{}, "app")
	_ = s.Execute(func(context.Context) { fmt.Println("task") })
	// Output:
	// app.scheduler.tasks.pending 1
	// app.scheduler.tasks.pending -1
	// app.scheduler.tasks.active 1
	// task
	// app.scheduler.tasks.active -1
	// app.scheduler.tasks.completed
	// app.scheduler.tasks.submitted [submission.type direct] 1
}

func ExampleStats() {
	s, _ := schedulers.NewBoundedElastic(2, 10, "t")
	defer s.Dispose()
	gate, running := make(chan struct{}), make(chan struct{})
	w := s.NewWorker()
	_ = w.Execute(func(context.Context) { close(running); <-gate })
	<-running
	_ = w.Execute(func(context.Context) {})
	_, _ = w.ScheduleAfter(func(context.Context) {}, time.Hour)
	st := s.Stats()
	fmt.Println(st.Workers, "of", st.Capacity, "slots;", st.Running, "running,", st.Queued, "queued,", st.Delayed, "of them delayed;", st.Remaining, "places left")
	close(gate)
	w.Dispose()
	// Output: 1 of 2 slots; 1 running, 2 queued, 1 of them delayed; 8 places left
}

func ExampleRejectedError() {
	s := schedulers.NewSingle("t")
	s.Dispose()
	err := s.Execute(func(context.Context) {})
	var r *schedulers.RejectedError
	fmt.Println(errors.As(err, &r) && r.Reason == schedulers.Disposed)
	fmt.Println(errors.Is(err, schedulers.ErrRejected), errors.Is(err, schedulers.ErrCapacity))
	// Output:
	// true
	// true false
}

// pool is a small Service: one goroutine per task.
type pool struct {
	mu   sync.Mutex
	shut bool
	busy sync.WaitGroup
}

func (p *pool) Execute(ctx context.Context, task executors.Task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return errors.New("the pool is shut down")
	}
	p.busy.Go(func() { task(ctx) })
	return nil
}

func (p *pool) Shutdown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = true
}

func (p *pool) ShutdownNow() []executors.Task { p.Shutdown(); return nil }

func (p *pool) AwaitTermination(context.Context) error { p.busy.Wait(); return nil }

func (p *pool) IsShutdown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shut
}

func ExampleFromExecutorService() {
	p := new(pool)
	s := schedulers.FromExecutorService(p, "pool")
	_ = s.Execute(func(context.Context) { fmt.Println("runs") })
	fmt.Println(s.DisposeGracefully(context.Background()))
	fmt.Println(p.IsShutdown())
	fmt.Println(s.Execute(func(context.Context) {}))
	// Output:
	// runs
	// <nil>
	// true
	// scheduler unavailable
}

func ExampleRemoveExecutorDecorator() {
	schedulers.AddExecutorDecorator("log", logged{})
	_, had := schedulers.RemoveExecutorDecorator("log")
	fmt.Println(had)
	_, had = schedulers.RemoveExecutorDecorator("log")
	fmt.Println(had)
	// Output:
	// true
	// false
}

func ExampleResetFactory() {
	schedulers.SetFactory(inline{})
	schedulers.ResetFactory()
	fmt.Println(schedulers.Single())
	// Output: schedulers.Single()
}

func ExampleResetFrom() {
	snapshot := schedulers.SetFactoryWithSnapshot(inline{})
	defer schedulers.ResetFrom(snapshot)
	_ = schedulers.Parallel().Execute(func(context.Context) { fmt.Println("in the caller") })
	// Output: in the caller
}

func ExampleResetNonBlocking() {
	schedulers.RegisterNonBlocking("everything", func(context.Context) bool { return true })
	schedulers.ResetNonBlocking()
	fmt.Println(schedulers.CheckBlocking(context.Background(), "read"))
	// Output: <nil>
}

func ExampleResetOnScheduleHooks() {
	schedulers.OnScheduleHook("a", func(schedulers.Task) schedulers.Task { panic("not called") })
	schedulers.ResetOnScheduleHooks()
	schedulers.OnSchedule(func(context.Context) { fmt.Println("task") })(context.Background())
	// Output: task
}

func ExampleResetOnHandleError() {
	schedulers.OnHandleError("a", func(context.Context, error) { fmt.Println("a") })
	schedulers.OnHandleError("b", func(context.Context, error) { fmt.Println("b") })
	schedulers.ResetOnHandleError("a")
	schedulers.HandleError(context.Background(), errors.New("boom"))
	schedulers.ResetOnHandleErrors()
	// Output: b
}

func ExampleResetOnHandleErrors() {
	schedulers.OnHandleError("a", func(context.Context, error) { fmt.Println("a") })
	schedulers.ResetOnHandleErrors()
	schedulers.OnHandleError("b", func(context.Context, error) { fmt.Println("b") })
	schedulers.HandleError(context.Background(), errors.New("boom"))
	schedulers.ResetOnHandleErrors()
	// Output: b
}

func ExampleHandleError() {
	defer schedulers.OnHandleError("example", func(_ context.Context, err error) { fmt.Println(err) })()
	// A Scheduler implemented elsewhere reports what its tasks throw like this.
	schedulers.HandleError(context.Background(), errors.New("boom"))
	// Output: boom
}

func ExampleStopsOnError() {
	fmt.Println(schedulers.StopsOnError(), schedulers.StopsOnError(schedulers.StopOnError()))
	// Output: false true
}

func ExampleDropsDelayed() {
	fmt.Println(schedulers.DropsDelayed(), schedulers.DropsDelayed(schedulers.DropDelayed()))
	// Output: false true
}
