package keylock

import (
	"sync"
	"time"
)

// LockDelay is how long a key stays free after a record of it expired, before it is
// granted again: time for a disconnected holder to notice. By default it is the margin
// that holders keep from the end of the time to live: a tenth of the time to live, but
// at least 250 ms. 0 grants the key at once. Negative times are refused, and so are
// times that are longer than the marks of expired records last ([LockDelayChecker]).
//
// It counts from the expiry if the store knows when that was (see [Event]), and
// otherwise from the moment when this manager first saw the expiry. Until the delay is
// over, a call that does not wait fails with [ErrWaitTimeout]; this may happen to the
// first call in a process that did not know of the key.
func LockDelay(d time.Duration) Option {
	return option(func(s *settings) error {
		if d < 0 {
			return errArgument("LockDelay: d ≥ 0 required but it was %v", d)
		}
		s.lockDelay = d
		return nil
	})
}

// mostMarks is how many marks are remembered at a time. For a mark that was forgotten the
// time counts again from when a call sees it.
const mostMarks = 1024

// marks remembers when this process first saw that the record of a key has expired, for
// stores that can't tell how long ago that was.
type marks struct {
	mu   sync.Mutex
	seen map[string]mark // mu
}

// mark is what an expired record has left behind.
type mark struct {
	revision uint64
	on       *clock
	at       int64 // when it was seen first, on that clock
}

// age returns how long ago the mark of key at revision was seen first: 0 if that is now.
func (s *marks) age(key string, revision uint64, clk *clock) time.Duration {
	now := clk.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.seen[key]; ok && m.revision == revision && m.on == clk {
		return time.Duration(now - m.at)
	}
	if s.seen == nil || len(s.seen) >= mostMarks {
		s.seen = map[string]mark{}
	}
	s.seen[key] = mark{revision, clk, now}
	return 0
}

// forget is called when the key was granted: then there is no mark any more.
func (s *marks) forget(key string) {
	s.mu.Lock()
	delete(s.seen, key)
	s.mu.Unlock()
}

// owed returns how much of the lock delay is left before a key may be taken that is
// free according to ev.
func (s *session) owed(ev Event) time.Duration {
	m := s.h.s.m
	switch ev.Kind {
	case Expired:
		return m.lockDelay - max(ev.Age, m.marks.age(s.h.e.key, ev.Revision, s.h.clk))
	case Vacant:
		if s.foreign {
			return m.lockDelay // it may have expired just now
		}
	}
	return 0
}
