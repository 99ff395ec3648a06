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

// Remove takes e out and reports whether it was a member.
func (s *Set[E]) Remove(e E) bool {
	removed, _ := s.remove(e, false)
	return removed
}

// RemoveAndClose is Remove that closes the set with its last member, which it reports:
// nobody gets in between.
func (s *Set[E]) RemoveAndClose(e E) (removed, closed bool) { return s.remove(e, true) }

func (s *Set[E]) remove(e E, closing bool) (removed, closed bool) {
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
		} else {
			next.closed = closing
		}
		chaos.Yield()
		if s.roster.CompareAndSwap(old, next) {
			return true, next.closed
		}
	}
}

// Close lets nobody in any more, and returns who was a member; to every call but the
// first, nobody.
func (s *Set[E]) Close() []E {
	chaos.Yield()
	return s.roster.Swap(&roster[E]{closed: true}).list()
}

// Each calls fn for every member of the list, also for those behind one whose call panics
// or ends the goroutine.
func Each[E any](list []E, fn func(E)) {
	i := 0
	defer func() {
		if i < len(list) {
			Each(list[i+1:], fn)
		}
	}()
	for ; i < len(list); i++ {
		fn(list[i])
	}
}
