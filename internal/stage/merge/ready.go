package merge

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/queue"
)

// ready is the sources that have something in their queues. Sources announce that themselves, so that those which have nothing cost
// nothing, however many there are. A source that the owner of the outlet knows of announces nothing until the owner has found
// its queue empty: of several elements only the first one costs something.
type ready[T any] struct {
	stack atomic.Pointer[source[T]] // the sources that have announced something since the owner looked, linked by below

	// What follows belongs to the owner, where there is no comparison.
	marked queue.Marks // the numbers of the sources that the owner knows of
	roomy  bool        // marked has room for all sources
}

// announce tells the owner of the outlet, before its next pass, that the queue is not empty: if the main announces.
func (r *source[T]) announce() {
	if !r.announced.Load() {
		r.push()
	}
}

// push announces the source, unless it is announced.
func (r *source[T]) push() {
	if r.announced.Swap(true) {
		return
	}
	s := r.main
	for {
		top := s.ready.stack.Load()
		r.below = top
		chaos.Yield()
		if s.ready.stack.CompareAndSwap(top, r) {
			return
		}
	}
}

// quiet is called by the owner, who has found the queue empty: from now on the source announces what comes. It reports false if something
// has come meanwhile that the source has not announced: then the owner still knows of the source.
func (r *source[T]) quiet() bool {
	chaos.Yield()
	r.announced.Store(false)
	chaos.Yield()
	return r.queue.IsEmpty() || r.announced.Swap(true)
}

// take takes the whole stack, which belongs to the owner from then on.
func (a *ready[T]) take() *source[T] {
	if a.stack.Load() == nil {
		return nil
	}
	chaos.Yield()
	return a.stack.Swap(nil)
}

// pop takes r off a stack that the owner has taken, and returns the source below it.
func (r *source[T]) pop() (next *source[T]) {
	next, r.below = r.below, nil
	return next
}

// next returns the first source from the given one on that has something, or -1.
func (a *ready[T]) next(inners []source[T], from int) int {
	for r := a.take(); r != nil; r = r.pop() {
		if !a.roomy {
			a.roomy = true
			a.marked.Room(len(inners))
		}
		a.marked.Set(r.index)
	}
	for i := a.marked.Next(from); i >= 0; i = a.marked.Next(i + 1) {
		r := &inners[i]
		if !r.queue.IsEmpty() || !r.quiet() {
			return i
		}
		a.marked.Unset(i)
	}
	return -1
}

// empty reports whether the queues of all sources in the stack are empty, of which the owner does not know yet.
func (a *ready[T]) empty() bool {
	for r := a.stack.Load(); r != nil; r = r.below {
		if !r.queue.IsEmpty() {
			return false
		}
	}
	return true
}
