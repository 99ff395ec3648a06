package schedulers

import (
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/timers"
)

// dispose withdraws a task that waits, or cancels the context of one that runs unless that is the
// caller. The caller holds mu, which is released.
func (s *slot) dispose(h *handle) {
	if h.state.CompareAndSwap(stateQueued, stateCancelled) {
		s.uncount(h)
		h.fn = nil
		s.tellEnd() // unlocks
		chaos.Yield()
		h.release()
		if h.w == nil && s.pool != nil {
			s.pool.release(s)
		}
		return
	}
	disposed := h.state.CompareAndSwap(stateRunning, stateRunningDisposed)
	s.mu.Unlock()
	chaos.Yield()
	if disposed && !s.onLoop() {
		h.stop()
	}
}

// uncount takes a withdrawn task out of the counts. The caller holds mu.
func (s *slot) uncount(h *handle) {
	if h.timed != nil && h.timed.node.Waits() {
		s.uproot(h.timed)
		s.withdrawn++
		return
	}
	if h.periodic() {
		s.inFlight--
	}
	if h.w != nil {
		if h.w.counted {
			return // worker.Dispose has counted it with the others
		}
		h.w.removed++
	}
	s.removed++
	s.inFlight -= s.queue.noteCancelled(1)
}

// close refuses tasks from now on, ends the periodic ones and lets the others run.
func (s *slot) close(dropDelayed bool) {
	s.mu.Lock()
	s.closed = true
	s.noSeries.Store(true)
	now, direct := s.now(), 0
	for _, n := range s.timers.All() {
		h := timers.Owner[timedHandle](n)
		if h.series != nil || dropDelayed && n.Due > now { // a task that is due only waits for the one that runs
			s.cancelTimed(h)
			h.release() // close does not end the context of the slot, which is above
			direct += h.direct()
		}
	}
	s.tellEnd() // unlocks
	s.letGoOf(direct)
}

// letGoOf gives back the places of n direct tasks that were dropped.
func (s *slot) letGoOf(n int) {
	if s.pool == nil {
		return
	}
	for range n {
		s.pool.release(s)
	}
}

// cancelTimed withdraws a task that waits for its time. The caller holds mu, and, if the task is direct,
// gives its place back when mu is released.
func (s *slot) cancelTimed(h *timedHandle) {
	h.state.Store(stateCancelled)
	h.fn = nil
	s.uproot(h)
	s.withdrawn++
}

// kill drops what is queued and cancels the context of what runs.
func (s *slot) kill() {
	s.mu.Lock()
	s.closed = true
	s.noSeries.Store(true)
	first, direct := !s.killed.Swap(true), 0
	if first {
		var live int
		live, direct = s.queue.drop()
		s.removed += int64(live)
	}
	for _, n := range s.timers.All() {
		h := timers.Owner[timedHandle](n)
		s.cancelTimed(h)
		direct += h.direct()
	}
	s.tellEnd() // unlocks
	s.letGoOf(direct)
	if !first {
		return
	}
	if s.onLoop() {
		s.later = append(s.later, &s.ctx)
	} else {
		s.ctx.stop()
	}
}

// stats returns a snapshot.
func (s *slot) stats() SlotStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.progress.Load()
	delayed := s.timers.Len()
	return SlotStats{
		Name:      s.id.name,
		Holders:   int(s.holders.Load()),
		Queued:    int(max(0, s.accepted-s.removed-(p+1)/2)) + delayed,
		Delayed:   delayed,
		Running:   p%2 == 1,
		Completed: uint64(p / 2),
		Dropped:   uint64(s.removed + s.withdrawn),
		Rejected:  uint64(s.rejected),
	}
}
