package multicast

import (
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Set is the list of subscribers, in the order in which they came. It is copied on
// write, so that whoever delivers reads it without a lock. The zero Set is empty.
// Safe for concurrent use.
type Set[E comparable] struct {
	roster atomic.Pointer[roster[E]] // nil: nobody has ever been a member
}

// roster is one state of a Set; it never changes. Its address tells it from others.
type roster[E comparable] struct {
	members []E
	closed  bool
}

func (s *Set[E]) load() *roster[E] { return s.roster.Load() }

func (r *roster[E]) list() []E {
	if r == nil {
		return nil
	}
	return r.members
}

// Members returns the members, in a slice that nobody may change.
func (s *Set[E]) Members() []E { return s.load().list() }

// Len returns the number of members.
func (s *Set[E]) Len() int { return len(s.Members()) }

// IsClosed reports whether Close was called.
func (s *Set[E]) IsClosed() bool {
	r := s.load()
	return r != nil && r.closed
}

// Add makes e a member, or reports false if the set is closed.
func (s *Set[E]) Add(e E) bool {
	for {
		old := s.load()
		if old != nil && old.closed {
			return false
		}
		members := old.list()
		next := &roster[E]{members: append(slices.Clip(members), e)}
		chaos.Yield()
		if s.roster.CompareAndSwap(old, next) {
			return true
		}
	}
}

// Remove takes e out and reports whether it was a member, and the last one.
func (s *Set[E]) Remove(e E) (removed, last bool) {
	for {
		old := s.load()
		i := slices.Index(old.list(), e)
		if i < 0 {
			return false, false
		}
		next := &roster[E]{}
		if n := len(old.members); n > 1 {
			next.members = append(make([]E, 0, n-1), old.members[:i]...)
			next.members = append(next.members, old.members[i+1:]...)
		}
		chaos.Yield()
		if s.roster.CompareAndSwap(old, next) {
			return true, len(next.members) == 0
		}
	}
}

// Close lets nobody in any more, and returns who was a member; to every call but the
// first, nobody.
func (s *Set[E]) Close() []E {
	chaos.Yield()
	return s.roster.Swap(&roster[E]{closed: true}).list()
}
