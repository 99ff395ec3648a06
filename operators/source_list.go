package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
)

// sourceList is a list of publishers that grows at either end, for stages that take the sources of a stage of their own kind
// over: in a loop they would copy them each time. Lists that have grown out of the same one share what they have in
// common. The zero value is an empty list. What is done with one are functions: methods would be compiled for each type of
// element that there is a list of, whether it grows or not, and once more for each stage that has one.
type sourceList[T any] struct {
	sources []reactor.Publisher[T] // never changed
	places  []reactor.Publisher[T] // what sources is a part of, if there is a room
	room    *sourceRoom            // says who owns which of the places; nil: sources is all there is
	from    int                    // where sources begins in places
}

// sourceRoom is an array of which a stretch belongs to some list. Whoever moves an end of that owns the places between.
type sourceRoom struct {
	size   int
	lo, hi atomic.Int64
}

// take reports whether n places more, before those from one to another or behind them, belong to the caller now.
func (r *sourceRoom) take(front bool, from, to, n int) bool {
	if front {
		return n <= from && r.lo.CompareAndSwap(int64(from), int64(from-n))
	}
	return to+n <= r.size && r.hi.CompareAndSwap(int64(to), int64(to+n))
}

// listOf returns the list of ps, which nobody changes any more.
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
