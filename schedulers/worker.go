package schedulers

import (
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// worker is a lane in a slot, which it may share with other workers. Submitters and
// the loop write to it with every task: each has a cache line of its own.
type worker struct {
	slot *slot // immutable

	accepted    int64        // tasks that entered the queue; slot.mu
	removed     int64        // those of them that were withdrawn one by one; slot.mu
	gone        bool         // disposed, for submitters; slot.mu
	counted     bool         // Dispose has counted what was left as removed; slot.mu
	startedThen int64        // the value of started that Dispose has counted with; slot.mu
	timed       *timedHandle // its tasks in slot.timers, linked; slot.mu

	_ [64 - 6*8]byte

	root handle // the context of Execute, above those of the handles; no task of its own; fills a line

	started  atomic.Int64 // tasks whose turn has come; written by the loop
	disposed atomic.Bool  // set once, under slot.mu

	_ [64 - 2*8]byte // a size that keeps the lines apart
}

func newWorker(s *slot) *worker {
	w := &worker{slot: s}
	w.root.w = w
	w.root.id.Store(&s.id)
	w.root.up = &s.ctx
	return w
}

// Execute runs task in the lane.
func (w *worker) Execute(task Task) error { return w.slot.execute(task, w) }

// Schedule runs task in the lane.
func (w *worker) Schedule(task Task) (Disposable, error) { return w.slot.schedule(task, w) }

// ScheduleAfter runs task in the lane after delay.
func (w *worker) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return w.slot.scheduleAfter(task, delay, w)
}

// SchedulePeriodically runs task in the lane again and again.
func (w *worker) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return w.slot.schedulePeriodically(task, initial, period, newPeriodicSettings(opts), w)
}

// Dispose drops the tasks of the worker, at a cost that does not depend on how
// many there are in the queue: the loop drops them when it reaches them, only the
// counts are put right now.
//
// The loop counts a task as started before it looks at disposed, Dispose sets
// disposed before it reads that count. So either the loop sees the disposal, or
// Dispose sees the task as started; and the loop, if it sees the disposal, finds
// out from startedThen whether Dispose has counted the task as removed.
func (w *worker) Dispose() {
	s := w.slot
	s.mu.Lock()
	if w.gone {
		s.mu.Unlock()
		return
	}
	w.gone = true
	w.disposed.Store(true)
	chaos.Yield()
	if !s.killed.Load() { // else what is left was or will be counted one by one
		w.counted = true
		w.startedThen = w.started.Load()
		gone := w.accepted - w.startedThen - w.removed
		s.removed += gone
		s.inFlight -= s.queue.noteCancelled(int(gone))
	}
	for w.timed != nil {
		s.cancelTimed(w.timed)
	}
	s.tellEnd() // unlocks
	chaos.Yield()
	if s.onLoop() {
		s.later = append(s.later, &w.root.taskContext)
	} else {
		w.root.stop()
	}
	if s.pool != nil {
		s.pool.release(s)
	}
}

// IsDisposed reports whether Dispose was called.
func (w *worker) IsDisposed() bool { return w.disposed.Load() }

// Stats returns the figures of the worker: Queued and Delayed are its own tasks,
// the limits are those of the slot that it shares.
func (w *worker) Stats() Stats {
	s := w.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{
		Kind:          "worker",
		Name:          s.id.name,
		Disposed:      w.disposed.Load(),
		QueueCapacity: s.limit,
	}
	s.seen = s.progress.Load() / 2
	waiting, _ := s.waiting()
	st.Remaining = remaining(s.limit, 1, int(waiting))
	if st.Disposed || s.killed.Load() {
		return st
	}
	for h := w.timed; h != nil; h = h.next {
		st.Delayed++
	}
	st.Queued = int(max(0, w.accepted-w.removed-w.started.Load())) + st.Delayed
	return st
}

// dropped reports whether Dispose has counted the n-th task as removed.
func (w *worker) dropped(n int64) bool {
	w.slot.mu.Lock() // until Dispose has read the count
	defer w.slot.mu.Unlock()
	return w.counted && n > w.startedThen
}

// link adds h to the timed tasks of the worker. The caller holds slot.mu.
func (w *worker) link(h *timedHandle) {
	h.prev, h.next = nil, w.timed
	if w.timed != nil {
		w.timed.prev = h
	}
	w.timed = h
}

// unlink takes h off the timed tasks of the worker. The caller holds slot.mu.
func (w *worker) unlink(h *timedHandle) {
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		w.timed = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	h.prev, h.next = nil, nil
}

func (*worker) tellsGoexit() bool { return true }
func (*worker) overtakes() bool   { return false }

func (w *worker) tasksLost() <-chan struct{} { return w.root.Done() }
func (*worker) tellsLoss() bool              { return false }

func (w *worker) executeBare(task Task, _ func(cause error)) error {
	return w.slot.submit(item{task, &w.root})
}
