package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
)

// sourceList is a list of publishers that grows at either end, for stages that take the sources of
// a stage of their own kind over: in a loop they would copy them each time. Lists that have grown
// out of the same list share what they have in common. The zero value is an empty list. It has
// functions, not methods: methods would be compiled for each type of element of which there is a
// list, whether the list grows or not, and once more for each stage that has a list.
type sourceList[T any] struct {
	sources []reactor.Publisher[T] // never changed
	places  []reactor.Publisher[T] // what sources is a part of, if there is a room
	room    *sourceRoom            // says who owns which of the places; nil: sources is all there is
	from    int                    // where sources begins in places
}

// sourceRoom is an array; a stretch of it belongs to some list. The caller that moves an end of
// that stretch owns the places in between.
type sourceRoom struct {
	size   int
	lo, hi atomic.Int64
}

// take reports whether n more places, before or behind the given stretch, now belong to the caller.
func (r *sourceRoom) take(front bool, from, to, n int) bool {
	if front {
		return n <= from && r.lo.CompareAndSwap(int64(from), int64(from-n))
	}
	return to+n <= r.size && r.hi.CompareAndSwap(int64(to), int64(to+n))
}

// listOf returns the list of ps; nobody may change ps any more.
func listOf[T any](ps ...reactor.Publisher[T]) sourceList[T] { return sourceList[T]{sources: ps} }

// listWith returns the list l with ps at its front, or else at its end.
func listWith[T any](l sourceList[T], front bool, ps []reactor.Publisher[T]) sourceList[T] {
	from, to := l.from, l.from+len(l.sources)
	if l.room == nil || !l.room.take(front, from, to, len(ps)) {
		n, other := len(l.sources)+len(ps), 0
		if l.room != nil {
			other = n // one that grows at both ends by turns would be copied each time
		}
		size := 2*n + other // as much again on the side of ps
		l.room, l.places = &sourceRoom{size: size}, make([]reactor.Publisher[T], size)
		if from = other; front {
			from = n + len(ps)
		}
		to = from + len(l.sources)
		copy(l.places[from:], l.sources)
		l.room.lo.Store(int64(from))
		l.room.hi.Store(int64(to))
		l.room.take(front, from, to, len(ps)) // nobody else knows it yet
	}
	if front {
		from -= len(ps)
		copy(l.places[from:], ps)
	} else {
		to += copy(l.places[to:], ps)
	}
	return sourceList[T]{sources: l.places[from:to:to], places: l.places, room: l.room, from: from}
}
