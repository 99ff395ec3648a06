package keylock

import (
	"time"

	"github.com/goreactor/reactor"
)

// idleList holds the entries that nobody needs, the one that came first at the front.
// The lock of its shard guards all of it.
//
// Entries are not stamped with a time, which would cost a look at the clock for each
// release: a timer fires once per ttl, and takes out what was there already when it
// fired the last time.
type idleList struct {
	ttl            time.Duration // immutable
	oldest, newest *entry
	round          uint32
	on             *clock // the clock that the timer is set on, nil if none is set
	number         uint64 // of that timer
	stop           func() // stops it, nil if that is not known yet
}

// add puts e at the end.
func (l *idleList) add(e *entry) {
	e.resting, e.round = true, l.round
	e.older, e.newer = l.newest, nil
	if l.newest == nil {
		l.oldest = e
	} else {
		l.newest.newer = e
	}
	l.newest = e
}

// remove takes e out.
func (l *idleList) remove(e *entry) {
	e.resting = false
	if e.older == nil {
		l.oldest = e.newer
	} else {
		e.older.newer = e.newer
	}
	if e.newer == nil {
		l.newest = e.older
	} else {
		e.newer.older = e.older
	}
	e.older, e.newer = nil, nil
}

// unset forgets the timer and returns what stops it.
func (l *idleList) unset() (stop func()) {
	stop = l.stop
	l.on, l.stop = nil, nil
	l.number++
	return stop
}

// evictAtOnce is how many entries are taken out before others get the lock.
const evictAtOnce = 256

// watch sets the timer on clk, if something is idle and none is set there. A test may
// have taken the clock of an earlier timer away. If clk refuses, the next release
// tries again.
func (s *shard) watch(clk *clock) {
	s.lock()
	if s.idle.oldest == nil || s.idle.on == clk {
		s.unlock()
		return
	}
	old := s.idle.unset()
	s.idle.on = clk
	number := s.idle.number
	s.unlock()
	if old != nil {
		old()
	}
	var stop func()
	err := reactor.ErrGoexit
	defer func() { // also if the clock does not return
		s.lock()
		if s.idle.number == number {
			if err != nil {
				s.idle.unset()
			} else {
				s.idle.stop, stop = stop, nil
			}
		}
		s.unlock()
		if stop != nil {
			stop() // another timer is set meanwhile, or none is needed
		}
	}()
	stop, err = clk.round(s.idle.ttl, func() { s.evict(number) })
}

// evict takes out what was idle at the last round already, and what a round has left that began while this
// one had given back the lock.
func (s *shard) evict(number uint64) {
	s.lock()
	if s.idle.number != number {
		s.unlock()
		return
	}
	clk := s.idle.on
	stop := s.idle.unset()
	round := s.idle.round
	s.idle.round++
	for n := 0; s.idle.oldest != nil && int32(round-s.idle.oldest.round) > 0; n++ {
		if n == evictAtOnce {
			n = 0
			s.unlock()
			s.lock()
			continue
		}
		e := s.idle.oldest
		s.idle.remove(e)
		s.drop(e)
	}
	s.unlock()
	if stop != nil {
		stop()
	}
	defer s.watch(clk) // also if the meter ends the goroutine
	s.m.measure.keys(s)
}
