package merge

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/queue"
)

// ready is the sources that have something in their queues. They say so themselves, so that those which have nothing cost
// nothing, however many there are. One that the owner of the outlet knows of says nothing until the owner has found
// its queue empty: what costs is the first element of several.
type ready[T any] struct {
	stack atomic.Pointer[source[T]] // those that have announced something since the owner looked

	// What follows belongs to the owner, where there is no comparison.
	marked queue.Marks // the numbers of those that the owner knows of
	roomy  bool        // marked has room for all
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

// quiet lets the source announce what comes from now on, because its queue was empty. It reports false if that is not so any more: the owner
// still knows of it then.
func (r *source[T]) quiet() bool {
	chaos.Yield()
	r.announced.Store(false)
	chaos.Yield()
	return r.queue.IsEmpty() || r.announced.Swap(true)
}

// take returns the stack, which is the owner's then.
func (a *ready[T]) take() *source[T] {
	if a.stack.Load() == nil {
		return nil
	}
	chaos.Yield()
	return a.stack.Swap(nil)
}

// pop takes r off a stack that is the owner's, and returns the next one.
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

// empty reports whether no source has something that the owner does not know of.
func (a *ready[T]) empty() bool {
	for r := a.stack.Load(); r != nil; r = r.below {
		if !r.queue.IsEmpty() {
			return false
		}
	}
	return true
}
