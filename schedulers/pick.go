package schedulers

import (
	"slices"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/timers"
)

// place says in which list of its pool a slot is.
type place uint8

const (
	placeNone place = iota // not yet
	placeBusy
	placeIdle
	placeGone // given up
)

// tries is how often the lock of the pool is tried before a submitter waits for it.
const tries = 300

// pick returns a slot with one more holder, for a direct task or a worker, or nil if the
// scheduler is disposed.
func (e *elastic) pick(direct bool) *slot {
	e.lock()
	if len(e.busy.heap) < e.max || e.closed {
		return e.pickFree(direct)
	}
	s := e.busy.leastHeld()
	s.holders.Add(1)
	e.busy.recount(s)
	if direct && s.outer == nil {
		e.crowd.add(s)
	}
	e.mu.Unlock()
	return s
}

// lock takes mu for a submitter. Loops hold it for some tens of nanoseconds, and a mutex that is waited for pauses for half
// a microsecond at a time: where both processors are busy that was more than half of what a task took.
func (e *elastic) lock() {
	for range tries {
		if e.mu.TryLock() {
			return
		}
	}
	e.mu.Lock()
}

// pickFree is pick where fewer than max slots are busy, or the scheduler is disposed. The caller holds mu, which is released.
func (e *elastic) pickFree(direct bool) (s *slot) {
	switch n := len(e.idle); {
	case e.closed:
		e.mu.Unlock()
		return nil
	case n > 0:
		s = e.idle[n-1]
		e.idle[n-1] = nil
		e.idle = e.idle[:n-1]
	case hasDecorators():
		return e.pickDecorated(direct)
	default:
		s = e.grow()
		e.life.born()
	}
	s.holders.Add(1)
	e.busy.add(s)
	e.mu.Unlock()
	return s
}

// pickDecorated is pickFree where a slot with decorators has to be made. Decorators are code of the user, and called
// without mu. The caller holds mu, which is released.
func (e *elastic) pickDecorated(direct bool) *slot {
	e.mu.Unlock()
	s := e.grow()
	s.holders.Store(1)
	s.decorate(e.text)
	e.lock()
	if e.closed || len(e.busy.heap)+len(e.idle) >= e.max { // others have been faster
		e.mu.Unlock()
		s.holders.Add(-1)
		return e.pick(direct)
	}
	e.life.born()
	e.busy.add(s)
	e.mu.Unlock()
	return s
}

// hold puts one more holder on s, which was picked some time ago, and reports false if s was given up since.
func (e *elastic) hold(s *slot) bool {
	e.lock()
	defer e.mu.Unlock()
	switch s.place {
	case placeBusy:
		s.holders.Add(1)
		e.busy.recount(s)
	case placeIdle:
		i := slices.Index(e.idle, s)
		e.idle = slices.Delete(e.idle, i, i+1)
		s.holders.Add(1)
		e.busy.add(s)
	default:
		return false
	}
	return true
}

// stay puts one more holder on a slot that has a holder, and reports false if it has none. The lock of the pool is not
// needed: a slot with a holder stays busy.
func (s *slot) stay() bool {
	for n := s.holders.Load(); n > 0; n = s.holders.Load() {
		if s.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// giveBack takes off the holder of a direct task that does not get into the slot; w is the worker of the task, or nil.
func (s *slot) giveBack(w *worker) {
	if w == nil && s.pool != nil {
		s.pool.release(s)
	}
}

// grow makes a slot.
func (e *elastic) grow() *slot {
	return newSlot(slotConfig{
		kind:  e.kind,
		name:  numbered(e.name, e.count),
		limit: e.queue,
		fresh: e.fresh,
		looks: e.looks,
		clock: e.clock,
		pool:  e,
		ended: e.life.gone,
	})
}

// release takes one holder off the slot. If that was the last one and nothing
// runs, the slot is idle; if something runs, the loop says when it has gone quiet.
func (e *elastic) release(s *slot) {
	if s.holders.Add(-1) != 0 {
		e.busy.lowered(s)
		return
	}
	chaos.Yield()
	now := e.now()
	e.mu.Lock()
	e.rest(s, now)
	e.mu.Unlock()
}

// wentQuiet is called by the loop of a slot that has nothing left to run. It reports whether the pool was told: if
// must is false, it does not wait for the lock, and may not have told. moved says that the slot has got a task of
// another one.
func (e *elastic) wentQuiet(s *slot, must bool) (told, moved bool) {
	if s.holders.Load() != 0 {
		return true, false
	}
	now := e.now() // not under the lock
	if must {
		e.mu.Lock()
	} else if !e.mu.TryLock() {
		return false, false
	}
	moved = e.rest(s, now)
	e.mu.Unlock()
	return true, moved
}

// rest makes a busy slot without holders and tasks idle, or gives it up if the scheduler keeps no
// idle slots. If there is a task to move from another slot, it moves that to s and reports true. The caller
// holds mu.
func (e *elastic) rest(s *slot, now int64) (moved bool) {
	if s.place != placeBusy {
		return false
	}
	if s.holders.Load() != 0 || !s.isQuiet() {
		e.busy.recount(s)
		return false
	}
	if e.relieve(s, now) {
		// As if it had become idle, and then been picked.
		e.busy.remove(s)
		e.busy.add(s)
		return true
	}
	e.park(s, now)
	return false
}

// park takes a slot that has become idle out of the busy ones. The caller holds mu.
func (e *elastic) park(s *slot, now int64) {
	e.busy.remove(s)
	if e.fresh {
		e.giveUp(s)
		return
	}
	s.place = placeIdle
	s.idleSince = now
	e.idle = append(e.idle, s)
	e.armEvictor(s.idleSince)
}

// isQuiet reports that nothing runs and nothing waits.
func (s *slot) isQuiet() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := s.progress.Load() / 2
	return s.accepted-s.removed == ended && s.timers.Len() == 0
}

// giveUp drops an idle slot, which is in no list any more. The caller holds mu.
func (e *elastic) giveUp(s *slot) {
	s.place = placeGone
	s.mu.Lock()
	s.givenUp = true // from here on refusals are counted with the pool: the stats are read next
	s.mu.Unlock()
	st := s.stats()
	e.past.Completed += st.Completed
	e.past.Dropped += st.Dropped
	e.past.Rejected += st.Rejected
	if !e.closed { // else the slot tells its end itself
		e.life.gone()
	}
}

// armEvictor makes sure that idle slots are looked after. The caller holds mu.
func (e *elastic) armEvictor(now int64) {
	if e.closed || len(e.idle) == 0 {
		return
	}
	if e.evictor != nil && now < timers.Later(e.evictAt, e.ttl) {
		return
	}
	// A timer that is overdue by a whole TTL belonged to a synctest bubble
	// that has ended.
	e.evictAt = timers.Later(now, e.ttl)
	e.evictor = e.clock.AfterFunc(time.Duration(e.evictAt-now), e.evict)
}

// evict gives up the slots that were idle for a TTL.
func (e *elastic) evict() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.evictor != nil {
		e.evictor() // the timer that has called, or one that was set after that had gone off
		e.evictor = nil
	}
	if e.closed {
		return
	}
	now := e.now()
	e.idle = slices.DeleteFunc(e.idle, func(s *slot) bool {
		if now-s.idleSince < int64(e.ttl) {
			return false
		}
		e.giveUp(s)
		return true
	})
	e.armEvictor(now)
}
