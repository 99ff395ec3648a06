package benchmarks

import (
	"context"
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
	"github.com/panjf2000/ants/v2"
	concpool "github.com/sourcegraph/conc/pool"
)

// pool is a way to run tasks on a number of workers. Each gets the function in the form
// that it wants, so that none pays for a function around it.
type pool struct {
	name string
	open func(workers int, task func()) (submit, end func())
}

var goFunc = pool{GoFunc, func(_ int, task func()) (func(), func()) {
	return func() { go task() }, func() {}
}}

var channelWorkers = pool{Channel, func(workers int, task func()) (func(), func()) {
	tasks := make(chan func(), 1024)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for task := range tasks {
				task()
			}
		})
	}
	return func() { tasks <- task }, func() { close(tasks); all.Wait() }
}}

var antsPool = pool{Ants, func(workers int, task func()) (func(), func()) {
	p, err := ants.NewPool(workers)
	fail(err)
	return func() { fail(p.Submit(task)) }, p.Release
}}

var pondPool = pool{Pond, func(workers int, task func()) (func(), func()) {
	p := pond.NewPool(workers)
	return func() { fail(p.Go(task)) }, p.StopAndWait
}}

var concPool = pool{Conc, func(workers int, task func()) (func(), func()) {
	p := concpool.New().WithMaxGoroutines(workers)
	return func() { p.Go(task) }, p.Wait
}}

func onScheduler(open func(workers int) schedulers.Scheduler, worker bool) func(int, func()) (func(), func()) {
	return func(workers int, task func()) (func(), func()) {
		s := open(workers)
		run := func(context.Context) { task() }
		if worker {
			w := s.NewWorker()
			return func() { fail(w.Execute(run)) }, func() { w.Dispose(); s.Dispose() }
		}
		return func() { fail(s.Execute(run)) }, s.Dispose
	}
}

func openParallel(workers int) schedulers.Scheduler {
	s, err := schedulers.NewParallel("bench", workers)
	fail(err)
	return s
}

func openElastic(workers int) schedulers.Scheduler {
	s, err := schedulers.NewBoundedElastic(workers, 10*Tasks, "bench")
	fail(err)
	return s
}

var (
	parallelDirect = pool{Library, onScheduler(openParallel, false)}
	parallelWorker = pool{Library, onScheduler(openParallel, true)}
	elasticDirect  = pool{Library, onScheduler(openElastic, false)}
	elasticWorker  = pool{Library, onScheduler(openElastic, true)}
)

// The thread pool of package executors: a task that is executed, and one that is submitted
// for a result.
var (
	threadPool = pool{Library, func(workers int, task func()) (func(), func()) {
		p, end := newThreadPool(workers)
		ctx, run := context.Background(), func(context.Context) { task() }
		return func() { fail(p.Execute(ctx, run)) }, end
	}}
	threadPoolSubmit = pool{Library, func(workers int, task func()) (func(), func()) {
		p, end := newThreadPool(workers)
		ctx, run := context.Background(), func(context.Context) (struct{}, error) { task(); return struct{}{}, nil }
		return func() {
			_, err := p.Submit(ctx, run)
			fail(err)
		}, end
	}}
	pondSubmit = pool{Pond, func(workers int, task func()) (func(), func()) {
		p := pond.NewPool(workers)
		return func() { p.Submit(task) }, p.StopAndWait
	}}
)

func newThreadPool(workers int) (*executors.ThreadPool, func()) {
	p, err := executors.NewThreadPool(workers, workers, time.Minute, executors.Unbounded())
	fail(err)
	return p, func() { fail(p.Close(context.Background())) }
}

func fail(err error) {
	if err != nil {
		panic(err)
	}
}

// submitTo submits empty tasks from a number of producers and waits until they have run.
// The pool is made once.
func submitTo(p pool, workers, producers int) Run {
	var done sync.WaitGroup
	open := sync.OnceValue(func() func() {
		submit, _ := p.open(workers, func() { done.Done() })
		return submit
	})
	return func() int {
		submit := open()
		done.Add(Tasks)
		if producers == 1 {
			for range Tasks {
				submit()
			}
		} else {
			var all sync.WaitGroup
			for range producers {
				all.Go(func() {
					for range Tasks / producers {
						submit()
					}
				})
			}
			all.Wait()
		}
		done.Wait()
		return Tasks
	}
}

// sleepOn runs the tasks of S4 on a pool that is made for them.
func sleepOn(p pool) Run {
	return func() int {
		var done sync.WaitGroup
		submit, end := p.open(SleepWorkers, func() { time.Sleep(time.Millisecond); done.Done() })
		defer end()
		done.Add(SleepTasks)
		for range SleepTasks {
			submit()
		}
		done.Wait()
		return SleepTasks
	}
}
