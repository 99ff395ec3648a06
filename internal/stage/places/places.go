package places

// Place is embedded in what is in a [List].
type Place struct{ place int }

func (p *Place) at() *int { return &p.place }

// List is a list in the order in which its members came. Coming and going cost the same at any number, and nothing is
// allocated but the slice: a member knows its place, and leaves a gap there. The zero List is empty. One goroutine
// at a time.
type List[E member] struct {
	places []E // the zero E in a gap
	gaps   int
}

// member is a pointer to a struct with a [Place], which is in one List at a time.
type member interface {
	comparable
	at() *int
}

// few: a list of at most so many places keeps its gaps until its members are asked for, or are all gone.
const few = 16

// Add makes e the last member, which it must not be yet.
func (l *List[E]) Add(e E) {
	*e.at() = len(l.places)
	l.places = append(l.places, e)
}

// Remove takes e out and reports whether it was a member.
func (l *List[E]) Remove(e E) bool {
	i := *e.at()
	if i >= len(l.places) || l.places[i] != e {
		return false
	}
	l.places[i] = *new(E)
	l.gaps++
	if n := len(l.places); n > few && 2*l.gaps > n || l.gaps == n {
		l.close()
	}
	return true
}

// close closes the gaps.
func (l *List[E]) close() {
	kept := l.places[:0]
	for _, e := range l.places {
		if e != *new(E) {
			*e.at() = len(kept)
			kept = append(kept, e)
		}
	}
	clear(l.places[len(kept):])
	l.places, l.gaps = kept, 0
}

// Len returns the number of members.
func (l *List[E]) Len() int { return len(l.places) - l.gaps }

// Members returns the members, in a slice that is good until the next one comes or goes.
func (l *List[E]) Members() []E {
	if l.gaps > 0 {
		l.close()
	}
	return l.places
}

// Take returns the members, and leaves the list empty.
func (l *List[E]) Take() []E {
	members := l.Members()
	l.places = nil
	return members
}
