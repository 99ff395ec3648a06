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

// handQueue is a slice under a lock: a worker takes all of it at a time.
var handQueue = pool{Hand, func(workers int, task func()) (func(), func()) {
	var mu sync.Mutex
	var tasks []func() // mu
	closed, waiting := false, 0
	some := sync.NewCond(&mu)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			var batch []func()
			for {
				clear(batch)
				mu.Lock()
				for len(tasks) == 0 && !closed {
					waiting++
					some.Wait()
					waiting--
				}
				batch, tasks = tasks, batch[:0]
				mu.Unlock()
				if len(batch) == 0 {
					return
				}
				for _, task := range batch {
					task()
				}
			}
		})
	}
	return func() {
			mu.Lock()
			tasks = append(tasks, task)
			wake := waiting > 0
			mu.Unlock()
			if wake {
				some.Signal()
			}
		}, func() {
			mu.Lock()
			closed = true
			mu.Unlock()
			some.Broadcast()
			all.Wait()
		}
}}

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
func submitTo(p pool, workers, producers int) Run {
	submit := submitting(p, workers, producers)
	return func() int { return submit(Tasks) }
}

// libSubmit is submitTo for a pool of this library.
func libSubmit(p pool, workers, producers int) Competitor {
	return library(ofTasks(submitting(p, workers, producers)), Tasks)
}

// submitting returns the function that submits n tasks to a pool, which is made once.
func submitting(p pool, workers, producers int) func(n int) int {
	var done sync.WaitGroup
	open := sync.OnceValue(func() func() {
		submit, _ := p.open(workers, func() { done.Done() })
		return submit
	})
	return func(n int) int {
		submit := open()
		done.Add(n)
		if producers == 1 {
			for range n {
				submit()
			}
		} else {
			var all sync.WaitGroup
			for range producers {
				all.Go(func() {
					for range n / producers {
						submit()
					}
				})
			}
			all.Wait()
		}
		done.Wait()
		return n
	}
}

// waitingFor returns the function that submits n tasks and waits for each of them. The pool is
// made once.
func waitingFor(p pool) func(n int) int {
	ran := make(chan struct{}, 1)
	open := sync.OnceValue(func() func() {
		submit, _ := p.open(2, func() { ran <- struct{}{} })
		return submit
	})
	return func(n int) int {
		submit := open()
		for range n {
			submit()
			<-ran
		}
		return n
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
