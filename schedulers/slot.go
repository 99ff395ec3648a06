package schedulers

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/timers"
)

// slot is a serial lane: tasks in, one at a time out, ordered by due time and then
// by submission. All schedulers of this package but the immediate one are made of
// slots.
//
// A slot has no goroutine while it has nothing to do. The first task starts one,
// which runs the loop (loop.go) until the queue is empty and stays so for a few
// rounds of the Go scheduler; that is as fast as waking a parked goroutine, and
// an idle scheduler costs nothing and can't leak. A timer that fires becomes the
// loop itself. At any time there is at most one loop; active says whether.
//
// Immediate tasks go through a queue of chunks, timed ones through a timers.Queue. Where
// both have something, their order is found by stamps: as long as timed tasks are
// about, immediate ones note the time of their submission.
//
// # Counting
//
// How many tasks wait is known without an atomic operation on the submitting side:
//
//	accepted   tasks that entered the queue, by their submitters under mu
//	removed    those of them that will not run, by the disposers under mu
//	progress   2·(tasks ended) + (1 if one runs), by the loop alone
//
// A timed task counts as accepted from the moment it leaves the timers. Every
// accepted task ends up in exactly one of removed and progress; that is decided
// by its state for one with a handle, and for the tasks of a disposed worker by
// the rule in [worker.Dispose].
type slot struct {
	// What all read and hardly anybody writes. A first task finds nothing of this near its processor: what
	// it needs stands together, here and below. The allocator puts 8 bytes before a slot.
	id       identity
	run      func()             // the loop as a goroutine's function
	ref      *slotRef           // immutable
	pool     *elastic           // the scheduler that counts holders, or nil
	outer    executors.Executor // the slot within its decorators, nil if there are none
	limit    int                // most tasks that may wait
	looks    int                // rounds without a task before the loop ends
	killed   atomic.Bool        // queued tasks are dropped; set under mu
	noSeries atomic.Bool        // periodic tasks do not run any more; set under mu
	fresh    bool               // a new goroutine for every task
	ctx      taskContext        // of direct tasks without a handle
	clock    Clock
	base     time.Time // times are nanoseconds since then
	ended    func()    // called once, when the slot is closed and has ended
	onTimer  func()    // immutable

	_ [64 - 24]byte // what follows is written with every submission, and begins a cache line

	mu        sync.Mutex
	active    bool         // there is a loop or a goroutine that is about to run it; mu
	closed    bool         // refuses tasks; mu
	endTold   bool         // ended was called; mu
	givenUp   bool         // its figures are the pool's; mu
	accepted  int64        // mu
	removed   int64        // mu
	inFlight  int          // periodic tasks that run or wait outside of timers; mu
	timers    timers.Queue // begins with their number; mu
	queue     queue        // mu
	withdrawn int64        // tasks withdrawn from timers; mu
	seen      int64        // the number of ended tasks as last read from progress; mu
	rejected  int64        // mu
	stopTimer func() bool  // of the armed timer, nil if none; mu
	armed     int64        // when the armed timer fires; mu

	_ [16]byte // what follows is the pool's, one cache line

	place     place        // pool.mu
	idleSince int64        // pool.mu
	holders   atomic.Int32 // raised under pool.mu, lowered by anybody
	known     int32        // the number of holders that its rank in busySlots is of; pool.mu
	heapAt    int          // index in busySlots.heap; pool.mu
	crowded   bool         // in the list of crowded slots; pool.mu
	nextCrowd *slot        // the next one in that list; pool.mu
	noted     atomic.Bool  // in busySlots.fewer
	nextFewer *slot        // the next one there; written by who has set noted, then by catchUp

	// What follows belongs to the loop, on cache lines of its own; before it starts, to who holds mu.

	loopID               atomic.Uintptr // goroutine of the loop, 0 if there is none
	progress             atomic.Int64   // written by the loop, read by all
	count                int64          // tasks started
	batch                []item         // what the loop runs now
	at                   int            // index in batch
	chunk                *chunk         // taken from the queue, linked
	one                  [1]item        // a task that did not come through the queue, as a batch
	later                []*taskContext // to be stopped when the running task has ended
	rest                 int            // index of the first item of chunk that is not in batch
	untimed              bool           // when the loop last held mu there was no timed task, so that it may go on without mu; never if fresh
	passed               bool           // the goroutine before this one has run tasks, and has not told the pool that the slot went quiet
	emptied, lastEmptied *chunk         // chunks whose tasks have run, linked, to be recycled under mu
	emptiedCount         int
	pace                 pace
}

// slotConfig is what the schedulers differ in.
type slotConfig struct {
	kind, name  string
	nonBlocking bool
	limit       int
	fresh       bool
	looks       int
	clock       Clock
	pool        *elastic
	ended       func()
}

func newSlot(c slotConfig) *slot {
	s := &slot{
		clock: c.clock,
		base:  c.clock.Now(),
		pool:  c.pool,
		limit: c.limit,
		fresh: c.fresh,
		looks: c.looks,
		ended: c.ended,
	}
	labels := pprof.Labels("scheduler", c.kind, "worker", c.name)
	s.id = identity{
		name:        c.name,
		nonBlocking: c.nonBlocking,
		base:        pprof.WithLabels(context.Background(), labels),
		slot:        s,
	}
	s.ctx.id.Store(&s.id)
	s.ref = &slotRef{weak.Make(s)}
	s.run = s.loop
	if c.nonBlocking {
		s.run = func() { nonBlockingRoot(s) }
	}
	s.onTimer = s.timerFired
	return s
}

func (s *slot) now() int64 {
	if s.clock == (systemClock{}) {
		return int64(time.Since(s.base)) // half the price
	}
	return int64(s.clock.Now().Sub(s.base))
}

// onLoop reports whether the caller runs on the goroutine of the loop, hence in a task of this slot.
func (s *slot) onLoop() bool { return s.loopID.Load() == goid.Current() }

// submit accepts a task for as soon as possible.
func (s *slot) submit(it item) error {
	w := it.worker()
	s.mu.Lock()
	if c := s.queue.tail; s.active && c != nil && c.n < chunkSize && s.timed() == 0 &&
		!s.closed && s.accepted-s.removed-s.seen <= int64(s.limit) && (w == nil || !w.gone) {
		// What follows below, for the case that most tasks meet, without a call.
		s.note(it)
		c.items[c.n] = it
		c.n++
		s.mu.Unlock()
		return nil
	}
	if s.closed || s.limit != Unlimited || w != nil && w.gone {
		if err := s.admit(w, false); err != nil {
			s.mu.Unlock()
			return err
		}
	}
	start := s.take(it)
	s.mu.Unlock()
	if start {
		go s.run()
	}
	return nil
}

// submitTimed accepts a task for a later time.
func (s *slot) submitTimed(h *timedHandle, delay time.Duration) error {
	s.mu.Lock()
	if err := s.admit(h.w, true); err != nil {
		s.mu.Unlock()
		return err
	}
	now := s.now()
	h.node.Due = timers.Later(now, delay)
	s.plant(h, now)
	if !s.active {
		s.arm()
	}
	s.mu.Unlock()
	return nil
}

// submitSeries accepts a periodic task.
func (s *slot) submitSeries(h *timedHandle, initial time.Duration) error {
	if initial > 0 {
		return s.submitTimed(h, initial)
	}
	s.mu.Lock()
	if err := s.admit(h.w, false); err != nil {
		s.mu.Unlock()
		return err
	}
	h.node.Due = s.now()
	s.accept(item{h: &h.handle})
	s.inFlight++
	start := !s.active
	s.active = true
	s.mu.Unlock()
	if start {
		go s.run()
	}
	return nil
}

// admit says whether a task may enter. The caller holds mu.
func (s *slot) admit(w *worker, timed bool) error {
	switch {
	case s.closed:
		s.refused()
		return errDisposed
	case w != nil && w.gone:
		s.refused()
		return errWorkerDisposed
	case s.limit == Unlimited:
		return nil
	}
	waiting, _ := s.waiting()
	if waiting < int64(s.limit) {
		return nil // seen is an old count: by the present one no more tasks wait
	}
	s.seen = s.progress.Load() / 2
	waiting, idle := s.waiting()
	if waiting < int64(s.limit) || idle && !timed {
		return nil
	}
	s.refused()
	return &RejectedError{Reason: Capacity, Pending: int(waiting) + 1, Capacity: s.limit, perTask: s.fresh}
}

// refused counts a refusal; if the slot was given up, among those of the pool. The caller holds mu.
func (s *slot) refused() {
	if s.givenUp {
		s.pool.rejected.Add(1)
		return
	}
	s.rejected++
}

// waiting counts what takes a place in the queue, with s.seen for the number of
// ended tasks. A task that runs, or that is handed to an idle slot, does not wait.
// The caller holds mu.
func (s *slot) waiting() (n int64, idle bool) {
	inside := s.accepted - s.removed - s.seen
	return max(0, inside-1) + int64(s.timers.Len()), inside == 0
}

// accept puts an immediate task into the queue. The caller holds mu.
func (s *slot) accept(it item) {
	s.note(it)
	c := s.queue.push(it)
	if s.timed() > 0 {
		c.stamp(s.now())
	} // else a stamp that an earlier use of the chunk has left is in the past, and the item comes before all timed tasks
}

// note counts an immediate task that enters. The caller holds mu.
func (s *slot) note(it item) {
	s.accepted++
	if w := it.worker(); w != nil {
		w.accepted++
	}
}

// take accepts an immediate task, and reports whether the caller has to start the loop, once it has
// released mu. The caller holds mu. A loop that has to be started gets the task as its first batch: it would be
// alone in the queue.
func (s *slot) take(it item) (start bool) {
	if s.active {
		s.accept(it)
		return false
	}
	s.active = true
	if s.timed() > 0 { // one may be due before it
		s.accept(it)
		return true
	}
	s.note(it)
	s.one[0] = it
	s.at, s.batch = 0, s.one[:]
	return true
}

// timed returns the number of tasks that an immediate one must be compared with.
// The caller holds mu.
func (s *slot) timed() int { return s.timers.Len() + s.inFlight }

// plant puts a timed task where it waits. The caller holds mu.
func (s *slot) plant(h *timedHandle, now int64) {
	s.timers.Push(&h.node, now)
	if h.w != nil {
		h.w.link(h)
	}
}

// uproot takes a timed task out of timers. The caller holds mu.
func (s *slot) uproot(h *timedHandle) {
	s.timers.Remove(&h.node)
	if h.w != nil {
		h.w.unlink(h)
	}
	if s.timers.Len() == 0 {
		s.disarm()
	}
}

// arm sets the timer to the first timed task. The caller holds mu. A timer that is
// set too early is left: it costs one empty round of the loop.
func (s *slot) arm() {
	if s.timers.Len() == 0 {
		return
	}
	due := s.timers.WakeAt()
	if s.stopTimer != nil {
		if s.armed <= due {
			return
		}
		s.stopTimer()
	}
	s.armed = due
	// A new timer each time: one that is reset would tie the slot to the
	// synctest bubble in which it was made.
	s.stopTimer = s.clock.AfterFunc(time.Duration(due-s.now()), s.onTimer)
}

// disarm stops the timer. The caller holds mu.
func (s *slot) disarm() {
	if s.stopTimer != nil {
		s.stopTimer()
		s.stopTimer = nil
	}
}

// timerFired makes the goroutine of the timer the loop, unless there is one.
func (s *slot) timerFired() {
	s.mu.Lock()
	s.disarm() // the timer that has called, or one that was set after that had gone off
	switch {
	case s.active || s.timers.Len() == 0:
		s.mu.Unlock()
		return
	case s.timers.Overdue(s.now()) == nil:
		s.arm() // the wheel has turned, nothing else
		s.mu.Unlock()
		return
	}
	s.active = true
	s.mu.Unlock()
	s.run()
}
