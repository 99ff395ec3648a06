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
	room    *sourceRoom[T]         // what sources is a part of; nil: there is no room around it
	from    int                    // where it begins there
}

// sourceRoom is an array of which a stretch belongs to some list. Whoever moves an end of that owns the places between.
type sourceRoom[T any] struct {
	places []reactor.Publisher[T]
	lo, hi atomic.Int64
}

// listOf returns the list of ps, which nobody changes any more.
func listOf[T any](ps ...reactor.Publisher[T]) sourceList[T] { return sourceList[T]{sources: ps} }

// listAfter returns the list l with ps at its end.
func listAfter[T any](l sourceList[T], ps ...reactor.Publisher[T]) sourceList[T] {
	end := l.from + len(l.sources)
	if r := l.room; r != nil && end+len(ps) <= len(r.places) && r.hi.CompareAndSwap(int64(end), int64(end+len(ps))) {
		copy(r.places[end:], ps)
		return listIn(r, l.from, end+len(ps))
	}
	return listMoved(l, false, ps)
}

// listBefore returns the list l with ps at its beginning.
func listBefore[T any](l sourceList[T], ps ...reactor.Publisher[T]) sourceList[T] {
	begin := l.from - len(ps)
	if r := l.room; r != nil && begin >= 0 && r.lo.CompareAndSwap(int64(l.from), int64(begin)) {
		copy(r.places[begin:], ps)
		return listIn(r, begin, l.from+len(l.sources))
	}
	return listMoved(l, true, ps)
}

// listMoved returns a copy of l with ps at one end, and as much room again on that side.
func listMoved[T any](l sourceList[T], front bool, ps []reactor.Publisher[T]) sourceList[T] {
	n := len(l.sources) + len(ps)
	r := &sourceRoom[T]{places: make([]reactor.Publisher[T], 2*n)}
	begin, first, second := 0, l.sources, ps
	if front {
		begin, first, second = n, ps, l.sources
	}
	copy(r.places[begin+copy(r.places[begin:], first):], second)
	r.lo.Store(int64(begin))
	r.hi.Store(int64(begin + n))
	return listIn(r, begin, begin+n)
}

func listIn[T any](r *sourceRoom[T], from, to int) sourceList[T] {
	return sourceList[T]{sources: r.places[from:to:to], room: r, from: from}
}
