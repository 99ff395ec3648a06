//go:build linux && (amd64 || arm64)

package netreactor

import (
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// workers are the goroutines that make full passes. Connections wait for a worker in one queue, each
// of them once at most.
type workers struct {
	eng  *engine
	done sync.WaitGroup

	mu          sync.Mutex
	first, last *connection // mu
	queued      int         // mu
	idle        []*worker   // workers that wait, the one that came last at the end; mu
	stopping    bool        // mu

	passes atomic.Uint64
}

type worker struct {
	pool   *workers
	runner runner
	wake   chan struct{} // has room for one
}

func newWorkers(eng *engine) *workers { return &workers{eng: eng} }

func (w *workers) start() {
	for range w.eng.set.Workers {
		w.done.Add(1)
		go (&worker{pool: w, wake: newWake()}).run()
	}
}

// push puts n connections into the queue, which are linked from first to last and marked as queued, and wakes up to n idle
// workers. Any goroutine.
func (w *workers) push(first, last *connection, n int) {
	w.mu.Lock()
	if w.stopping {
		w.mu.Unlock()
		passAfterTheEnd(first) // it is the only one: the selectors, which push several, have ended
		return
	}
	if w.last == nil {
		w.first = first
	} else {
		w.last.next = first
	}
	w.last = last
	w.queued += n
	for ; n > 0 && len(w.idle) > 0; n-- {
		at := len(w.idle) - 1
		w.idle[at].wake <- struct{}{}
		w.idle[at] = nil
		w.idle = w.idle[:at]
	}
	w.mu.Unlock()
}

// take waits until there is a connection in the queue and takes it out, or returns nil at the end. by is the worker that calls it.
func (w *workers) take(by *worker) *connection {
	for {
		w.mu.Lock()
		if c := w.first; c != nil {
			if w.first = c.next; w.first == nil {
				w.last = nil
			}
			c.next = nil
			w.queued--
			w.mu.Unlock()
			return c
		}
		if w.stopping {
			w.mu.Unlock()
			return nil
		}
		w.idle = append(w.idle, by)
		w.mu.Unlock()
		chaos.Yield()
		<-by.wake
	}
}

func (w *workers) stop() {
	w.mu.Lock()
	w.stopping = true
	for _, by := range w.idle {
		by.wake <- struct{}{}
	}
	w.idle = nil
	w.mu.Unlock()
	w.done.Wait()
}

// run is the goroutine of a worker.
func (by *worker) run() {
	clean := false
	defer func() {
		if clean {
			by.pool.done.Done()
			return
		}
		go by.run() // runtime.Goexit in user code
	}()
	defer by.pool.eng.within.join()()
	labelled(by.pool.eng, "worker")
	if by.runner.chunk == nil {
		by.runner.chunk = make([]byte, by.pool.eng.set.ReadChunk)
	}
	for {
		c := by.pool.take(by)
		if c == nil {
			break
		}
		work, _ := c.own(0)
		c.run(&by.runner, work)
		by.pool.passes.Add(1)
	}
	clean = true
}

func (w *workers) stats() WorkerStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return WorkerStats{
		Workers: w.eng.set.Workers, Busy: w.eng.set.Workers - len(w.idle), Queued: w.queued, Passes: w.passes.Load(),
	}
}
