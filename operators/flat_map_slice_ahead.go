package operators

import (
	"context"

	"github.com/goreactor/reactor"
)

// flattenBatch is how many elements a flow that requests on its own asks a source for at a time.
const flattenBatch = 32

// flattenAhead is the part of a flattenSubscriber for a source that sends the elements that it is
// asked for within the request and straight to the subscriber: the flow requests when it has
// nothing left, so that elements need no queue and no turn of their own. Nobody sees the requests
// to such a source, but a discard hook sees elements that are left at the end: with such a hook
// there is the queue. It belongs to the owner of the outlet.
type flattenAhead[T any] struct {
	batch []T // made with the first element; batch[next:] waits
	next  int
}

// push returns the function that takes the elements.
//
// Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (a *flattenAhead[T]) push() func(T) { return func(v T) { a.batch = append(a.batch, v) } }

// poll returns the next element, of up if none waits.
func (a *flattenAhead[T]) poll(up reactor.Subscription) (v T, ok bool) {
	if a.next == len(a.batch) && !a.fill(up) {
		return v, false
	}
	v = a.batch[a.next]
	a.batch[a.next] = *new(T)
	a.next++
	return v, true
}

// fill asks up for more, and reports whether there was anything.
func (a *flattenAhead[T]) fill(up reactor.Subscription) bool {
	if a.batch == nil {
		a.batch = make([]T, 0, flattenBatch)
	}
	a.batch, a.next = a.batch[:0], 0
	up.Request(flattenBatch)
	return len(a.batch) > 0
}

func (a *flattenAhead[T]) isEmpty() bool { return a.next == len(a.batch) }

// drop lets go of the elements that wait. No hook wants to see them.
func (a *flattenAhead[T]) drop(ctx context.Context) {
	rest := a.batch[a.next:]
	*a = flattenAhead[T]{}
	if reactor.Owns[T]() {
		for _, v := range rest {
			reactor.Abandon(ctx, v)
		}
	}
}
