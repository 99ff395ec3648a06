package schedulers

import (
	"context"
	"slices"

	"github.com/goreactor/reactor/internal/timers"
)

// turns is how many tasks a trampoline runs in a row on a pool with timed tasks; then it lines up again
// behind the other tasks of the pool.
const turns = 64

// since returns the due time of t in nanoseconds since base, as the queues of workers have it.
func (t *executorTask) since() int64 { return int64(t.due.Sub(t.x.base)) }

// await puts t among the timed tasks of the worker. At its time the executor calls wake; a trampoline that runs then
// may take t before that.
func (w *executorWorker) await(t *executorTask) {
	now := int64(w.x.now().Sub(w.x.base))
	w.mu.Lock()
	defer w.mu.Unlock()
	t.node.Due = t.since()
	w.timed.Push(&t.node, now)
}

// takeOut takes t off the timed tasks, if it is there. The caller holds mu.
func (w *executorWorker) takeOut(t *executorTask) {
	if t.node.Waits() {
		w.timed.Remove(&t.node)
	}
}

// wake is what the executor calls when the time of a timed task has come. It becomes the trampoline, unless there is
// one, which then finds the task.
func (w *executorWorker) wake(ctx context.Context) {
	w.mu.Lock()
	busy := w.bouncing
	w.bouncing = true
	w.mu.Unlock()
	if !busy {
		w.trampoline(ctx)
	}
}

// bounce adds t to the line of the worker, and hands the trampoline to the executor
// unless it has that already. If the executor refuses, t is refused, and what has lined up behind t is lost.
func (w *executorWorker) bounce(t *executorTask) error {
	w.mu.Lock()
	if w.x.later != nil {
		t.due = w.x.now() // timed tasks have their places before it or behind it
	}
	w.line = append(w.line, t)
	if w.bouncing {
		w.mu.Unlock()
		return nil
	}
	w.bouncing = true
	w.mu.Unlock()
	err := w.jump()
	if err == nil {
		return nil
	}
	w.mu.Lock()
	w.line = slices.DeleteFunc(w.line, func(q *executorTask) bool { return q == t })
	w.mu.Unlock()
	w.lost(err)
	return err
}

// jump hands the trampoline to the executor.
func (w *executorWorker) jump() error {
	before := w.bounces.Load()
	_, err := w.x.offer(w.trampoline, func(cause error) {
		if w.bounces.Load() == before { // else the trampoline has begun and sees to what waits, also if a task ends the goroutine
			w.lost(cause)
		}
	})
	return err
}

// next takes out the task that is to run next, nil if there is none: the first timed task if it was due when the first
// one of the line was submitted, or the line is empty; else the first one of the line. The caller holds mu.
func (w *executorWorker) next() *executorTask {
	if n := w.overdue(); n != nil && (len(w.line) == 0 || n.Due <= w.line[0].since()) {
		w.timed.Remove(n)
		return timers.Owner[executorTask](n)
	}
	if len(w.line) == 0 {
		w.line = nil
		return nil
	}
	t := w.line[0]
	w.line[0] = nil
	w.line = w.line[1:]
	return t
}

// overdue returns the timed task whose time came first, if it has. The caller holds mu.
func (w *executorWorker) overdue() *timers.Node {
	if w.timed.Len() == 0 {
		return nil
	}
	return w.timed.Overdue(int64(w.x.now().Sub(w.x.base)))
}

// lost drops all tasks that wait for the trampoline, because the executor does not run the trampoline. They were accepted,
// so the handlers of errors are told.
func (w *executorWorker) lost(cause error) {
	var others []*executorTask
	w.mu.Lock()
	for t := w.next(); t != nil; t = w.next() {
		others = append(others, t)
	}
	w.bouncing = false
	w.mu.Unlock()
	for _, t := range others {
		w.drop(t, cause)
	}
}

// drop ends a task that was accepted and will not run, and tells the handlers of errors unless Dispose was called.
func (w *executorWorker) drop(t *executorTask, cause error) {
	if t.lose(cause) && !w.x.forced.Load() {
		handleError(w.x.ctx, &RejectedError{Reason: ExecutorFailed, Cause: cause})
	}
}

// trampoline runs the tasks that wait for it, on a goroutine of the executor, until there are none or it is the turn of other tasks.
func (w *executorWorker) trampoline(ctx context.Context) {
	w.bounces.Add(1)
	returned := false
	defer func() {
		if !returned { // Goexit in a task: the others go on in a submission of their own
			w.goOn(ctx)
		}
	}()
	for n := 1; ; n++ {
		w.mu.Lock()
		t := w.next()
		if t == nil {
			w.bouncing = false
		}
		w.mu.Unlock()
		if t == nil {
			returned = true
			return
		}
		t.run(ctx)
		if n%turns == 0 && w.x.later != nil && (!w.waits() || w.jump() == nil) {
			returned = true
			return
		}
	}
}

// goOn hands the trampoline to the executor again when a task has ended the goroutine. The tasks that wait keep their places.
// Each time that the executor refuses the trampoline, the next task is dropped. But a service that is shut down
// gracefully has to run what it has accepted: then the trampoline goes on here, while the goroutine ends.
func (w *executorWorker) goOn(ctx context.Context) {
	for w.waits() {
		err := w.jump()
		if err == nil {
			return
		}
		if w.x.service != nil && w.x.IsDisposed() && !w.x.forced.Load() {
			w.trampoline(ctx) // on the goroutine that ends
			return
		}
		w.mu.Lock()
		t := w.next()
		w.mu.Unlock()
		if t != nil {
			w.drop(t, err)
		}
	}
}

// waits reports whether there is a task for the trampoline now. If not, the trampoline counts as ended.
func (w *executorWorker) waits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bouncing = len(w.line) > 0 || w.overdue() != nil
	return w.bouncing
}
