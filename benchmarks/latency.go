package benchmarks

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/executors"
)

// idleness is what happens around a submission in S2.
type idleness int

const (
	submitterWaits idleness = iota // for the task, on a channel
	afterPause                     // the same, 1 ms after the task before
	submitterBusy                  // it computes until the task runs
)

// latencyOf takes the time from a submission until the task runs.
func latencyOf(p pool, how idleness, percentile int) func() (float64, error) {
	return func() (float64, error) {
		var at atomic.Int64 // when the task ran
		begin := time.Now()
		ran := make(chan struct{}, 1)
		submit, end := p.open(2, func() {
			at.Store(int64(time.Since(begin)))
			if how != submitterBusy {
				ran <- struct{}{}
			}
		})
		defer end()
		samples := map[idleness]int{submitterWaits: 20_000, afterPause: 300, submitterBusy: 300}[how]
		took := make([]float64, samples)
		for i := range took {
			at.Store(0)
			if how == afterPause {
				time.Sleep(time.Millisecond)
			}
			from := int64(time.Since(begin))
			submit()
			if how == submitterBusy {
				for at.Load() == 0 {
				}
			} else {
				<-ran
			}
			took[i] = float64(at.Load() - from)
		}
		slices.Sort(took)
		return took[len(took)*percentile/100], nil
	}
}

// timing is what was measured of delayed tasks: nanoseconds and bytes for each, and how
// late they are.
type timing struct{ schedule, cancel, bytes, late, late99 float64 }

// delayedTask is a task in the forms that the competitors want, so that none of them pays
// for a function around it.
type delayedTask struct {
	plain   func()
	library func(ctx context.Context) error
}

func newDelayedTask(task func()) delayedTask {
	return delayedTask{task, func(context.Context) error { task(); return nil }}
}

// delayer is a way to delay tasks. What after returns is a pointer, which cancel takes.
type delayer func() (after func(d time.Duration, task delayedTask) any, cancel func(handle any) bool, end func())

func afterFunc() (func(time.Duration, delayedTask) any, func(any) bool, func()) {
	return func(d time.Duration, task delayedTask) any { return time.AfterFunc(d, task.plain) },
		func(handle any) bool { return handle.(*time.Timer).Stop() },
		func() {}
}

func scheduledPool() (func(time.Duration, delayedTask) any, func(any) bool, func()) {
	p, err := executors.NewScheduledPool(2)
	fail(err)
	return func(d time.Duration, task delayedTask) any {
			h, err := p.After(d, task.library)
			fail(err)
			return h
		},
		func(handle any) bool { return handle.(*executors.Handle).Cancel(nil) },
		func() { p.ShutdownNow() }
}

// libDelays returns the function that schedules n tasks and cancels them. The pool is made once.
func libDelays() func(n int) int {
	open := sync.OnceValues(func() (func(time.Duration, delayedTask) any, func(any) bool) {
		after, cancel, _ := scheduledPool()
		return after, cancel
	})
	var handles []any
	task := newDelayedTask(func() {})
	return func(n int) int {
		after, cancel := open()
		handles = slices.Grow(handles[:0], n)
		for range n {
			handles = append(handles, after(time.Hour, task))
		}
		for _, handle := range handles {
			cancel(handle)
		}
		return n
	}
}

// delayed is a way to delay tasks and what was measured of it last. One measurement
// serves all figures, each once.
type delayed struct {
	name  string
	by    delayer
	last  timing
	taken map[string]bool
}

var (
	byWheel     = &delayed{name: Hand, by: handWheel}
	byAfterFunc = &delayed{name: AfterFunc, by: afterFunc}
	byLibrary   = &delayed{name: Library, by: scheduledPool}
)

// figure returns the one called name, from a new measurement if it was taken of the last.
func (d *delayed) figure(name string, of func(timing) float64) func() (float64, error) {
	return func() (float64, error) {
		if d.taken == nil || d.taken[name] {
			d.last, d.taken = measureDelayed(d.by), map[string]bool{}
		}
		d.taken[name] = true
		return of(d.last), nil
	}
}

// measureDelayed schedules a million tasks, cancels them, and lets a tenth of as many fire.
func measureDelayed(d delayer) (t timing) {
	after, cancel, end := d()
	defer end()
	rnd := rand.New(rand.NewPCG(1, 1))
	delays := make([]time.Duration, DelayedTasks)
	for i := range delays {
		delays[i] = time.Hour + time.Duration(rnd.Int64N(int64(time.Hour)))
	}
	handles := make([]any, DelayedTasks)
	var before, with runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	task := newDelayedTask(func() {})
	for i, delay := range delays {
		handles[i] = after(delay, task)
	}
	t.schedule = float64(time.Since(begin)) / float64(DelayedTasks)
	runtime.GC()
	runtime.ReadMemStats(&with)
	runtime.KeepAlive(delays)
	t.bytes = float64(with.HeapAlloc-before.HeapAlloc) / float64(DelayedTasks)
	begin = time.Now()
	for _, handle := range handles {
		if !cancel(handle) {
			panic("a task could not be cancelled")
		}
	}
	t.cancel = float64(time.Since(begin)) / float64(DelayedTasks)
	clear(handles)

	firing := DelayedTasks / 10
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
	t.late, t.late99 = float64(late[firing/2]), float64(late[firing*99/100])
	return t
}
