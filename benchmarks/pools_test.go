package benchmarks

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/goreactor/reactor/executors"
	"github.com/panjf2000/ants/v2"
)

// The pools: what a submission costs beside a goroutine per task and other pools.
//
//	go test -run - -bench 'Submit|Delayed' -count 5

// poolWorkers is how many workers the pools have.
const poolWorkers = 2

// rival is a way to run tasks that are done and nothing else. Each makes the function
// that it wants, one object, so that none of them pays for a function around it.
type rival struct {
	name string
	open func(b *testing.B) (submit func(done *sync.WaitGroup), close func())
}

func must[T any](v T, err error) func(b *testing.B) T {
	return func(b *testing.B) T {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
}

var rivals = []rival{
	{"go-func", func(*testing.B) (func(*sync.WaitGroup), func()) {
		return func(done *sync.WaitGroup) { go func() { done.Done() }() }, func() {}
	}},
	{"channel-workers", func(*testing.B) (func(*sync.WaitGroup), func()) {
		tasks := make(chan func(), 1024)
		var all sync.WaitGroup
		for range poolWorkers {
			all.Go(func() {
				for task := range tasks {
					task()
				}
			})
		}
		return func(done *sync.WaitGroup) { tasks <- func() { done.Done() } }, func() { close(tasks); all.Wait() }
	}},
	{"ants", func(b *testing.B) (func(*sync.WaitGroup), func()) {
		p := must(ants.NewPool(poolWorkers))(b)
		return func(done *sync.WaitGroup) {
			if err := p.Submit(func() { done.Done() }); err != nil {
				b.Error(err)
			}
		}, p.Release
	}},
	{"pond.Go", func(b *testing.B) (func(*sync.WaitGroup), func()) {
		p := pond.NewPool(poolWorkers)
		return func(done *sync.WaitGroup) {
			if err := p.Go(func() { done.Done() }); err != nil {
				b.Error(err)
			}
		}, p.StopAndWait
	}},
	{"pond.Submit", func(*testing.B) (func(*sync.WaitGroup), func()) {
		p := pond.NewPool(poolWorkers)
		return func(done *sync.WaitGroup) { p.Submit(func() { done.Done() }) }, p.StopAndWait
	}},
	{"this-library.Execute", func(b *testing.B) (func(*sync.WaitGroup), func()) {
		p, end := newBenchPool(b)
		ctx := context.Background()
		return func(done *sync.WaitGroup) {
			if err := p.Execute(ctx, func(context.Context) { done.Done() }); err != nil {
				b.Error(err)
			}
		}, end
	}},
	{"this-library.Submit", func(b *testing.B) (func(*sync.WaitGroup), func()) {
		p, end := newBenchPool(b)
		ctx := context.Background()
		return func(done *sync.WaitGroup) {
			if _, err := p.Submit(ctx, func(context.Context) (struct{}, error) { done.Done(); return struct{}{}, nil }); err != nil {
				b.Error(err)
			}
		}, end
	}},
}

func newBenchPool(b *testing.B) (*executors.ThreadPool, func()) {
	p := must(executors.NewThreadPool(poolWorkers, poolWorkers, time.Minute, executors.Unbounded()))(b)
	return p, func() {
		if err := p.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkSubmit submits empty tasks and waits until they have run.
func BenchmarkSubmit(b *testing.B) {
	for _, producers := range []int{1, 8} {
		for _, r := range rivals {
			b.Run(r.name+"/producers="+string(rune('0'+producers)), func(b *testing.B) {
				submit, end := r.open(b)
				defer end()
				var done sync.WaitGroup
				done.Add(b.N)
				b.ReportAllocs()
				b.ResetTimer()
				var all sync.WaitGroup
				for p := range producers {
					n := b.N / producers
					if p == 0 {
						n += b.N % producers
					}
					all.Go(func() {
						for range n {
							submit(&done)
						}
					})
				}
				all.Wait()
				done.Wait()
			})
		}
	}
}

// delayedTasks is how many tasks wait at the same time.
const delayedTasks = 1_000_000

// delayedTask is a task in the forms that the rivals want, so that none of them pays for a
// function around it.
type delayedTask struct {
	plain   func()
	library func(ctx context.Context) error
}

func newDelayedTask(task func()) delayedTask {
	return delayedTask{task, func(context.Context) error { task(); return nil }}
}

// delayer is a way to delay tasks. What after returns is a pointer, which cancel takes.
type delayer struct {
	name string
	open func(b *testing.B) (after func(d time.Duration, task delayedTask) any, cancel func(handle any) bool, close func())
}

var delayers = []delayer{
	{"time.AfterFunc", func(*testing.B) (func(time.Duration, delayedTask) any, func(any) bool, func()) {
		return func(d time.Duration, task delayedTask) any { return time.AfterFunc(d, task.plain) },
			func(handle any) bool { return handle.(*time.Timer).Stop() },
			func() {}
	}},
	{"this-library", func(b *testing.B) (func(time.Duration, delayedTask) any, func(any) bool, func()) {
		p := must(executors.NewScheduledPool(poolWorkers))(b)
		return func(d time.Duration, task delayedTask) any {
				h, err := p.After(d, task.library) // no Helper here: it walks the stack
				if err != nil {
					b.Error(err)
				}
				return h
			},
			func(handle any) bool { return handle.(*executors.Handle).Cancel(nil) },
			func() { p.ShutdownNow() }
	}},
}

// BenchmarkDelayed schedules a million tasks, cancels half of them in their order and the
// others in random order, where each is a miss of the cache, and lets a tenth of as many
// fire: nanoseconds and bytes for each, and how late they are.
func BenchmarkDelayed(b *testing.B) {
	for _, d := range delayers {
		b.Run(d.name, func(b *testing.B) {
			for b.Loop() {
				delayed(b, d)
			}
		})
	}
}

func delayed(b *testing.B, d delayer) {
	after, cancel, end := d.open(b)
	defer end()
	rnd := rand.New(rand.NewPCG(1, 1))
	delays := make([]time.Duration, delayedTasks)
	for i := range delays {
		delays[i] = time.Hour + time.Duration(rnd.Int64N(int64(time.Hour)))
	}
	handles := make([]any, delayedTasks)
	var before, with runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	task := newDelayedTask(func() {})
	for i, delay := range delays {
		handles[i] = after(delay, task)
	}
	scheduled := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&with)
	runtime.KeepAlive(delays)
	const half = delayedTasks / 2
	inOrder, anywhere := handles[:half], handles[half:]
	rnd.Shuffle(half, func(i, j int) { anywhere[i], anywhere[j] = anywhere[j], anywhere[i] })
	perCancel := func(handles []any) float64 {
		start := time.Now()
		for _, handle := range handles {
			if !cancel(handle) {
				b.Fatal("could not be cancelled")
			}
		}
		return float64(time.Since(start).Nanoseconds()) / half
	}
	b.ReportMetric(perCancel(inOrder), "cancel-ns/task")
	b.ReportMetric(perCancel(anywhere), "cancel-anywhere-ns/task")
	clear(handles)

	const firing = delayedTasks / 10
	late := make([]time.Duration, firing)
	var at atomic.Int64
	var fired sync.WaitGroup
	fired.Add(firing)
	for range firing {
		delay := time.Second + time.Duration(rnd.Int64N(int64(time.Second)))
		due := time.Now().Add(delay)
		after(delay, newDelayedTask(func() {
			late[at.Add(1)-1] = time.Since(due)
			fired.Done()
		}))
	}
	fired.Wait()
	slices.SortFunc(late, cmp.Compare)
	b.ReportMetric(float64(scheduled.Nanoseconds())/delayedTasks, "schedule-ns/task")
	b.ReportMetric(float64(with.HeapAlloc-before.HeapAlloc)/delayedTasks, "B/task")
	b.ReportMetric(float64(late[firing/2].Microseconds()), "late-median-µs")
	b.ReportMetric(float64(late[firing*99/100].Microseconds()), "late-p99-µs")
}

func TestPoolsDoTheSameWork(t *testing.T) {
	for _, r := range rivals {
		t.Run(r.name, func(t *testing.T) {
			submit, end := r.open(new(testing.B))
			var done sync.WaitGroup
			done.Add(100)
			for range 100 {
				submit(&done)
			}
			done.Wait()
			end()
		})
	}
}
