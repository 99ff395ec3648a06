package keylock

import (
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// shards is how many parts the keys are divided into, by hash. It is more than the
// callers that are likely to meet in the few steps under a lock.
const shards = 128

// shard is a part of the keys. Its lock is held for a few steps at a time, and no code of
// others is called under it: no clock, scheduler, meter, backend or cancel function.
type shard struct {
	m        *Manager // immutable
	mu       sync.Mutex
	entries  map[string]*entry // mu
	largest  int               // entries there were at a time, since the map was made; mu
	held     int               // holds, expired ones included; mu
	waiting  int               // mu
	acquired uint64            // grants so far; mu
	idle     idleList          // mu
	closed   bool              // no more acquires; mu
	reported int               // number of entries the meter knows of; mu
	telling  atomic.Int32      // streams that are being told the end of their wait, see wake

	_ [28]byte // the next shard is on another cache line
}

// entry is the place of a key: its holder and those who wait. The entry is in the map of
// its shard as long as there is one of these, and for some time after, see IdleTTL. Its
// size is 64 bytes, which a test watches.
type entry struct {
	key     string // immutable
	holder  *hold  // nil if the key is free; mu
	last    *hold  // the last of those who wait, nil if nobody does; behind it in the ring is the first; mu
	older   *entry // neighbours in the list of idle entries; mu
	newer   *entry
	waiters int32  // how many wait; mu
	round   uint32 // round of the idle list in which the entry became idle; mu
	resting bool   // in the list of idle entries; mu
}

// first returns who has waited longest, or nil.
func (e *entry) first() *hold {
	if e.last == nil {
		return nil
	}
	return e.last.behind
}

// push adds h to those who wait.
func (e *entry) push(h *hold) {
	if e.last == nil {
		h.before, h.behind = h, h
	} else {
		h.before, h.behind = e.last, e.last.behind
		h.behind.before = h
		e.last.behind = h
	}
	e.last = h
	e.waiters++
}

// remove takes h out of those who wait.
func (e *entry) remove(h *hold) {
	switch {
	case h.behind == h:
		e.last = nil
	default:
		h.before.behind, h.behind.before = h.behind, h.before
		if e.last == h {
			e.last = h.before
		}
	}
	h.before, h.behind = nil, nil
	e.waiters--
}

// unheard returns why the backend has not answered the call of this process that asks it for the
// key. It returns nil if there is no such call, if there was an answer, and as long as no request
// has failed. The caller holds mu.
func (e *entry) unheard() error {
	h := e.holder
	if h == nil || h.state != contending {
		return nil
	}
	if unheard := h.session.unheard.Load(); unheard != nil && unheard != &errUnheard {
		return *unheard
	}
	return nil
}

// place returns the entry of a key, made if need be. The caller holds mu.
func (s *shard) place(key string) *entry {
	if e := s.entries[key]; e != nil {
		if e.resting {
			s.idle.remove(e)
		}
		return e
	}
	if s.entries == nil {
		s.entries = make(map[string]*entry)
	}
	e := &entry{key: key}
	s.entries[key] = e
	s.largest = max(s.largest, len(s.entries))
	return e
}

// drop takes an entry that nobody needs out of the map. A Go map keeps its size when
// it empties, so a map that was much larger is made anew. The caller holds mu.
func (s *shard) drop(e *entry) {
	delete(s.entries, e.key)
	n := len(s.entries)
	if s.largest < 32 || n > s.largest/8 {
		return
	}
	smaller := make(map[string]*entry, n)
	for key, e := range s.entries {
		smaller[key] = e
	}
	s.entries, s.largest = smaller, n
}

// grant makes h the holder of a free key. The caller holds mu.
func (s *shard) grant(e *entry, h *hold) {
	e.holder = h
	s.held++
	if h.s.m.backend != nil {
		h.state = contending
		h.extra.session = newSession(h, h.once)
		return
	}
	s.hand(h, h.s.m.tokens.Add(1))
}

// hand marks h as the holder, with that token: h finds the mark when it is woken. The caller
// holds mu.
func (s *shard) hand(h *hold, token uint64) {
	h.state = held
	h.token = token
	h.limit()
	s.acquired++
}

// pass hands the key of e to the first of those who wait, and returns that one, or nil if
// nobody waits: then the key is free, and watch is what rest has returned. The caller
// holds mu; when it has given back mu it deals with both results, as Manager.goOn does.
func (s *shard) pass(e *entry, clk *clock) (next *hold, watch bool) {
	e.holder = nil
	s.held--
	next = e.first()
	if next == nil {
		return nil, s.rest(e, clk)
	}
	if next.s.m.barging && next.s.m.backend == nil {
		return next, false // still in the queue: it takes the key when it has woken up
	}
	e.remove(next)
	s.waiting--
	s.grant(e, next)
	return next, false
}

// rest puts an entry without holder and waiters to the idle ones, or drops it. It
// reports whether the caller, which holds mu, shall call watch when it has given back mu.
func (s *shard) rest(e *entry, clk *clock) (watch bool) {
	if s.idle.ttl == 0 || s.closed {
		s.drop(e)
		return false
	}
	s.idle.add(e)
	return s.idle.on != clk
}

// leave takes h, which waits, out of the queue. The caller holds mu.
func (s *shard) leave(h *hold) {
	h.e.remove(h)
	s.waiting--
}

func (s *shard) lock() {
	chaos.Yield()
	s.mu.Lock()
}

func (s *shard) unlock() {
	s.mu.Unlock()
	chaos.Yield()
}
