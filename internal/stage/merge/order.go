package merge

// order finds the source whose first element is the smallest, of several the one
// that was subscribed first. It is a heap: for each element it compares as often as the
// logarithm of the number of sources says. It belongs to the owner of the outlet, who calls ready or,
// if the sources that have nothing are not waited for, refresh before each take.
type order[T any] struct {
	compare func(a, b T) int
	heads   []*source[T] // sources that have shown an element; once all have, or with refresh, a heap
	shown   int          // sources, from the left, that were looked at
	heap    bool         // heads is a heap, but for its root if spent; not told by refresh
	spent   bool         // the element of the root has been taken
}

// ready makes sure that every source has shown its first element or has ended, or reports
// false because one has not.
func (o *order[T]) ready(inners []source[T]) bool {
	if o.heads == nil {
		o.heads = make([]*source[T], 0, len(inners))
	}
	for ; o.shown < len(inners); o.shown++ {
		r := &inners[o.shown]
		switch has, ended := r.show(); {
		case has:
			o.heads = append(o.heads, r)
		case !ended:
			return false
		}
	}
	if !o.heap {
		for i := len(o.heads)/2 - 1; i >= 0; i-- {
			o.down(i)
		}
		o.heap = true
	}
	if !o.spent {
		return true
	}
	switch has, ended := o.heads[0].show(); {
	case has:
	case ended:
		o.drop()
	default:
		return false
	}
	o.down(0)
	o.spent = false
	return true
}

// refresh takes the sources that have got something into the heap, and out of it the one whose element was
// taken, unless that has a next one.
func (o *order[T]) refresh(a *ready[T]) {
	if o.spent {
		if !o.heads[0].next() {
			o.drop()
		}
		o.down(0)
		o.spent = false
	}
	for r := a.take(); r != nil; r = r.pop() {
		if r.next() {
			o.heads = append(o.heads, r)
			o.up(len(o.heads) - 1)
		}
	}
}

// drop takes the root out of the heap; the one in its place is still to sink.
func (o *order[T]) drop() {
	last := len(o.heads) - 1
	o.heads[0], o.heads[last] = o.heads[last], nil
	o.heads = o.heads[:last]
}

// next takes the first element out of the queue of a source that the owner knows of. It reports false if there is none: the
// source announces the next one.
func (r *source[T]) next() bool {
	for {
		if has, _ := r.show(); has {
			return true
		}
		if r.quiet() {
			return false
		}
	}
}

// take returns the source with the smallest element, and the element; ready has reported
// true. nil: no source has one.
func (o *order[T]) take() (r *source[T], v T) {
	if len(o.heads) == 0 {
		return nil, v
	}
	r = o.heads[0]
	v = r.first
	r.first, r.has = *new(T), false
	o.spent = true
	return r, v
}

// empty reports whether no source has an element, which is known of all of them.
func (o *order[T]) empty() bool {
	if !o.spent {
		return len(o.heads) == 0
	}
	return len(o.heads) == 1 && o.heads[0].queue.IsEmpty()
}

// down lets the source at place i sink to where it belongs.
func (o *order[T]) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(o.heads) {
			return
		}
		if right := least + 1; right < len(o.heads) && o.before(right, least) {
			least = right
		}
		if !o.before(least, i) {
			return
		}
		o.heads[i], o.heads[least] = o.heads[least], o.heads[i]
		i = least
	}
}

// up lets the source at place i rise to where it belongs.
func (o *order[T]) up(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if !o.before(i, above) {
			return
		}
		o.heads[i], o.heads[above] = o.heads[above], o.heads[i]
		i = above
	}
}

// before reports whether the element of the source at place i comes before that of the one
// at place j.
func (o *order[T]) before(i, j int) bool {
	a, b := o.heads[i], o.heads[j]
	if c := o.compare(a.first, b.first); c != 0 {
		return c < 0
	}
	return a.index < b.index
}

// show takes the first element out of the source's queue. It reports whether there was one,
// and, if not, whether none will come.
func (r *source[T]) show() (has, ended bool) {
	ended = r.ended.Load()
	r.first, r.has = r.queue.Poll()
	return r.has, ended
}
