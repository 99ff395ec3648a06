package multicast

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Set is the list of subscribers, in the order in which they came. Coming and going costs
// the same at any number; the list that deliveries read, without a lock, is made by the
// first of them after a change. The zero Set is empty. Safe for concurrent use.
type Set[E comparable] struct {
	// current is what the members are; nil after a change. It becomes nil, and something
	// else, only under mu.
	current atomic.Pointer[roster[E]]
	size    atomic.Int64 // members; written under mu
	closed  atomic.Bool  // set under mu

	mu     sync.Mutex // guards what follows; nothing is called under it
	places []place[E] // with gaps where members have left
	at     map[E]int  // the places of members, nil as long as few have come
	gaps   int
	used   bool // somebody has been a member
}

// place is one of those in a Set, which nobody has if it is not taken.
type place[E comparable] struct {
	member E
	taken  bool
}

// roster is one state of a Set; it never changes. Its address tells it from others.
type roster[E comparable] struct {
	members   []E
	unused    bool // nobody has ever been a member
	unbounded bool // all have been seen to ask for everything; touched by the goroutine that delivers only
	short     int  // the place of one who may ask for nothing, where a look at all of them begins; likewise
}

// fewPlaces is how many places are searched one after the other.
const fewPlaces = 16

// load returns the present state.
func (s *Set[E]) load() *roster[E] {
	if r := s.current.Load(); r != nil {
		return r
	}
	return s.renew()
}

// renew makes the list after a change.
func (s *Set[E]) renew() *roster[E] {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.current.Load()
	if r == nil {
		r = &roster[E]{members: s.list(), unused: !s.used}
		if n := len(r.members); n > 1 {
			r.short = rand.IntN(n) // whoever leaves next has probably not been found there
		}
		s.current.Store(r)
	}
	return r
}

// list returns the members. The caller holds mu.
func (s *Set[E]) list() []E {
	n := len(s.places) - s.gaps
	if n == 0 {
		return nil
	}
	members := make([]E, 0, n)
	for _, p := range s.places {
		if p.taken {
			members = append(members, p.member)
		}
	}
	return members
}

// Members returns the members, in a slice that nobody may change.
func (s *Set[E]) Members() []E { return s.load().members }

// Len returns the number of members.
func (s *Set[E]) Len() int { return int(s.size.Load()) }

// IsClosed reports whether nobody is let in any more.
func (s *Set[E]) IsClosed() bool { return s.closed.Load() }

// Add makes e, which is none, a member, or reports false if the set is closed.
func (s *Set[E]) Add(e E) bool {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	places := append(s.places, place[E]{e, true})
	chaos.Yield()
	s.places = places
	if s.at != nil {
		s.at[e] = len(s.places) - 1
	}
	s.used = true
	s.changed()
	return true
}

// changed makes the state that others read out of date. The caller holds mu.
func (s *Set[E]) changed() {
	s.size.Store(int64(len(s.places) - s.gaps))
	s.current.Store(nil)
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
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(e)
	if i < 0 {
		return false, false
	}
	chaos.Yield()
	s.places[i] = place[E]{}
	delete(s.at, e)
	s.gaps++
	switch n := len(s.places); {
	case s.gaps == n:
		s.empty()
		closed = closing
		s.closed.Store(closed)
	case 2*s.gaps > n && n > fewPlaces:
		s.compact()
	}
	s.changed()
	return true, closed
}

// find returns the place of e, -1 if it is no member. The caller holds mu.
func (s *Set[E]) find(e E) int {
	if s.at == nil && len(s.places) > fewPlaces {
		s.index()
	}
	if s.at != nil {
		if i, ok := s.at[e]; ok {
			return i
		}
		return -1
	}
	return slices.Index(s.places, place[E]{e, true})
}

// index notes where everybody is. The caller holds mu.
func (s *Set[E]) index() {
	s.at = make(map[E]int, len(s.places)-s.gaps)
	for i, p := range s.places {
		if p.taken {
			s.at[p.member] = i
		}
	}
}

// compact closes the gaps. The caller holds mu.
func (s *Set[E]) compact() {
	kept := make([]place[E], 0, len(s.places)-s.gaps)
	for _, p := range s.places {
		if p.taken {
			kept = append(kept, p)
		}
	}
	s.places, s.at, s.gaps = kept, nil, 0
}

// empty gives back what members have needed. The caller holds mu.
func (s *Set[E]) empty() { s.places, s.at, s.gaps = nil, nil, 0 }

// Close lets nobody in any more, and returns who was a member; to every call but the
// first, nobody.
func (s *Set[E]) Close() []E {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	members := s.list()
	s.empty()
	s.closed.Store(true)
	s.changed()
	return members
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
