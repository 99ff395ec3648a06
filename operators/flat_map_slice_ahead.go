package operators

import (
	"context"

	"github.com/goreactor/reactor"
)

// flattenBatch is how many elements a source is asked for at a time by a flow that asks by itself.
const flattenBatch = 32

// flattenAhead is what a flattenSubscriber has of a source that sends what it is asked for, within that and straight to it:
// the flow asks when it has nothing left, so that elements need no queue and no turn of their own. Nobody sees what such a source
// is asked for; that elements are left at the end is seen by a discard hook, for which there is the queue. It belongs to the owner of
// the outlet.
type flattenAhead[T any] struct {
	batch []T // made with the first element; batch[next:] waits
	next  int
}

// push returns what takes the elements.
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

// drop lets go of what waits. No hook wants to hear of it.
func (a *flattenAhead[T]) drop(ctx context.Context) {
	rest := a.batch[a.next:]
	*a = flattenAhead[T]{}
	if reactor.Owns[T]() {
		for _, v := range rest {
			reactor.Abandon(ctx, v)
		}
	}
}
