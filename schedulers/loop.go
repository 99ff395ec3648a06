package schedulers

import (
	"runtime"
	"runtime/debug"
	"runtime/pprof"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/timers"
)

const (
	// defaultLooks is how often the loop lets other goroutines run and looks
	// again before it ends. A task that comes in the meantime saves the start of
	// a goroutine.
	defaultLooks = 3
	// patience is how often the loop tries to get the lock before it parks in
	// it.
	patience = 50
	// maxChunks is the most chunks that the loop takes at once. Withdrawn tasks in
	// chunks that were taken keep their places: see noteCancelled.
	maxChunks = 8
)

// loop runs the tasks of the slot until there are none.
func (s *slot) loop() {
	s.loopID.Store(goid.Current())
	place := enlist(s)
	// Also takes off the labels inherited from whoever submitted the task.
	pprof.SetGoroutineLabels(s.id.base)
	pass, before := true, s.passed
	s.passed = false
	defer func() {
		delist(s, place)
		if pass {
			// Also after runtime.Goexit in a task: this goroutine is lost,
			// its work is not.
			s.passed = true
			s.loopID.Store(0)
			go s.run()
		}
	}()
	for ran := false; s.at < len(s.batch) || s.more(ran || before); ran = true {
		if ran && s.fresh {
			return
		}
		for s.at < len(s.batch) {
			s.runBatch()
		}
	}
	pass = false
}

// more makes the next batch, or returns false if it has ended the loop: then another loop may
// run already, and the caller must not touch the slot. ran says whether this loop has run tasks.
func (s *slot) more(ran bool) bool {
	if s.free() {
		return true
	}
	quiet := ran && s.pool != nil // the pool has to be told that nothing is left to run
	for look := 0; ; look++ {
		if quiet {
			// Where many submit, the lock of the pool is taken: the next task may be
			// here before it is free.
			if told, moved := s.pool.wentQuiet(s, look > 0); told {
				quiet, ran = false, !moved
			}
		}
		if ran && len(s.batch) < chunkSize {
			// Little was there: let more come together, every look takes
			// the lock away from the submitters.
			runtime.Gosched()
			s.linger()
		}
		ran = true
		s.lockPatiently()
		if s.next() {
			s.mu.Unlock()
			if s.pool == nil { // else who has little to do gets the next direct task
				s.pace.found(len(s.batch))
			}
			return true
		}
		s.pace.nothing()
		if (look >= s.looks || s.closed) && !quiet {
			s.end()
			return false
		}
		s.mu.Unlock()
	}
}

// free makes a batch of chunks that the loop has taken already, without the lock, if no
// timed task was about when it last held the lock.
func (s *slot) free() bool {
	if !s.untimed {
		return false
	}
	c := s.chunk
	if c == nil || s.rest == c.n && !s.turn() {
		return false
	}
	s.at, s.batch, s.rest = 0, s.chunk.items[s.rest:s.chunk.n], s.chunk.n
	return true
}

// turn puts the present chunk to the emptied ones and goes to the next one that was taken, if there is one.
func (s *slot) turn() bool {
	c := s.chunk
	s.chunk, s.rest = c.next, 0
	c.n, c.next = 0, s.emptied
	if s.emptied == nil {
		s.lastEmptied = c
	}
	s.emptied = c
	s.emptiedCount++
	return s.chunk != nil
}

// lockPatiently takes mu for the loop. A loop that parks in the mutex comes back
// late, because busy submitters keep taking it, and each of their unlocks then
// pays for waking the loop: so it keeps trying for a while.
func (s *slot) lockPatiently() {
	for range patience {
		if s.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	s.mu.Lock()
}

// end ends the loop. The caller holds mu, which is released.
func (s *slot) end() {
	s.loopID.Store(0)
	s.active = false
	s.queue.trim()
	s.arm()
	s.tellEnd()
}

// tellEnd reports the end of a closed slot, once. The caller holds mu, which is
// released.
func (s *slot) tellEnd() {
	tell := s.closed && !s.endTold && !s.active && s.timers.Len() == 0
	if tell {
		s.endTold = true
	}
	s.mu.Unlock()
	if tell && s.ended != nil {
		s.ended()
	}
}

// next makes the next batch, or reports false if no task is due. The caller, the loop, holds mu.
func (s *slot) next() bool {
	if s.chunk != nil && s.rest == s.chunk.n {
		s.turn()
	}
	if s.emptied != nil {
		s.queue.recycle(s.emptied, s.lastEmptied, s.emptiedCount)
		s.emptied, s.lastEmptied, s.emptiedCount = nil, nil, 0
	}
	if s.chunk == nil {
		s.chunk, s.rest = s.queue.take(maxChunks), 0
	}
	s.at = 0
	s.untimed = s.timed() == 0 && !s.fresh
	if s.timers.Len() > 0 {
		if n := s.timers.Overdue(s.now()); n != nil {
			if s.chunk != nil {
				if end := s.chunk.before(s.rest, n.Due); end > s.rest {
					return s.batchTo(end)
				}
			}
			s.batch = s.timedBatch(timers.Owner[timedHandle](n))
			return true
		}
	}
	if s.chunk == nil {
		s.batch = nil
		return false
	}
	return s.batchTo(s.chunk.n)
}

// batchTo makes a batch of the items of the chunk up to end. A run of a series ends the batch: the next run
// may be due before the items that follow. The caller holds mu.
func (s *slot) batchTo(end int) bool {
	if s.inFlight > 0 {
		for i := s.rest; i < end; i++ {
			if it := s.chunk.items[i]; it.periodic() && it.h.timed.series.period > 0 {
				end = i + 1
			}
		}
	}
	s.batch, s.rest = s.chunk.items[s.rest:end], end
	return s.limitFresh()
}

// timedBatch makes a batch of a timed task that is due. The caller holds mu.
func (s *slot) timedBatch(h *timedHandle) []item {
	s.uproot(h)
	s.accepted++
	if h.w != nil {
		h.w.accepted++
	}
	if h.series != nil {
		s.inFlight++
	}
	s.one[0] = item{h: &h.handle}
	return s.one[:]
}

// limitFresh cuts the batch down to one task where each has its own goroutine.
func (s *slot) limitFresh() bool {
	if s.fresh {
		s.rest -= len(s.batch) - 1
		s.batch = s.batch[:1]
	}
	return true
}

// runBatch runs the tasks of the batch. One that panics ends the call, the loop
// comes back for the others: so the guard costs nothing per task.
func (s *slot) runBatch() {
	defer s.guard()
	for s.at < len(s.batch) {
		switch it := s.batch[s.at]; {
		case it.h == nil && !s.killed.Load(): // as start has it, without a call
			s.begin()
			it.fn(&s.ctx)
			s.executed(it)
		case !s.start(it):
		case it.fn == nil:
			it.h.fn(it.h)
			s.finish(it, false)
		default:
			it.fn(it.h)
			s.executed(it)
		}
		s.batch[s.at] = item{}
		s.at++
	}
	chaos.Yield()
	s.progress.Store(2 * s.count)
}

// guard reports what a task threw.
func (s *slot) guard() {
	if s.at == len(s.batch) {
		return
	}
	it := s.batch[s.at]
	var err error = reactor.ErrGoexit
	if r := recover(); r != nil {
		err = &reactor.PanicError{Op: s.id.name, Value: r, Stack: debug.Stack()}
	}
	defer func() { // whatever a handler does
		s.finish(it, true)
		s.batch[s.at] = item{}
		s.at++
		s.progress.Store(2 * s.count)
	}()
	ctx := &s.ctx
	if it.h != nil {
		ctx = &it.h.taskContext
	}
	handleError(ctx, err)
}

// start reports whether the task is to run, and counts it as begun. A task that is not to run is counted as dropped, unless who has
// withdrawn it has counted it.
func (s *slot) start(it item) bool {
	if h := it.h; h != nil {
		if it.fn == nil && !h.state.CompareAndSwap(stateQueued, stateRunning) {
			return false // withdrawn, and counted as that
		}
		if w := h.w; w != nil {
			chaos.Yield()
			n := w.started.Load() + 1
			w.started.Store(n)
			chaos.Yield()
			if w.disposed.Load() {
				s.skip(it, w.dropped(n))
				return false
			}
		}
		if it.periodic() && s.noSeries.Load() {
			s.skip(it, false)
			h.release() // it may have run before
			return false
		}
	}
	if s.killed.Load() {
		s.skip(it, false)
		return false
	}
	s.begin()
	return true
}

// begin counts a task that runs.
func (s *slot) begin() {
	chaos.Yield()
	s.count++
	s.progress.Store(2*s.count - 1)
}

// skip drops a task whose worker, series or slot has ended; counted says that worker.Dispose has counted it.
func (s *slot) skip(it item, counted bool) {
	if h := it.handle(); h != nil {
		h.state.Store(stateCancelled)
		h.fn = nil
	}
	s.mu.Lock()
	if !counted {
		s.removed++
	}
	if it.periodic() {
		s.inFlight--
	}
	s.mu.Unlock()
	s.letGo(it)
}

// letGo gives back the place of a direct task.
func (s *slot) letGo(it item) {
	if s.pool != nil && it.worker() == nil {
		chaos.Yield()
		if s.holders.Add(-1) != 0 {
			s.pool.busy.lowered(s)
		}
	}
}

// executed is finish for a run of Execute, for which there mostly is nothing to do.
func (s *slot) executed(it item) {
	if len(s.later) > 0 || it.h == nil && s.pool != nil {
		s.finish(it, false)
	}
}

// finish does what is due after a run; failed says that the task did not return.
func (s *slot) finish(it item, failed bool) {
	if len(s.later) > 0 {
		for i, c := range s.later {
			c.stop()
			s.later[i] = nil
		}
		s.later = s.later[:0]
	}
	if it.fn == nil {
		h := it.h
		if h.periodic() && s.again(h.timed, failed) {
			return
		}
		h.state.Store(stateDone)
		h.fn = nil
		h.release()
	}
	s.letGo(it)
}

// again puts a periodic task back for its next run.
func (s *slot) again(h *timedHandle, failed bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	if s.closed || failed && h.series.stopOnError || h.w != nil && h.w.disposed.Load() ||
		!h.state.CompareAndSwap(stateRunning, stateQueued) {
		return false
	}
	if h.series.period > 0 {
		h.node.Due = timers.Later(h.node.Due, h.series.period)
		s.plant(h, s.now())
		return true
	}
	s.inFlight++
	s.accept(item{h: &h.handle})
	return true
}
