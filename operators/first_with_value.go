package operators

import (
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// FirstWithValue becomes whichever source is the first to send an element, and cancels
// the others. Sources that fail or complete before have lost; if all do, the stream
// fails with reactor.ErrNoElements and what became of each source, in order. Without a
// source it is empty; one alone is passed on as it is.
//
//	a:    #
//	b:    -- |
//	c:    ----- 8 --- 9 |
//	      FirstWithValue(a, b, c)
//	out:  ----- 8 --- 9 |
//
// Every request goes to all sources until one has won, then to that one. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still
// sends is discarded. Signals come on the goroutine of the winner.
func FirstWithValue[T any](sources ...reactor.Publisher[T]) reactor.Publisher[T] {
	sources = protocol.TrustAll("firstWithValue", sources)
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return sources[0]
	}
	return &firstPublisher[T]{sourceList: listOf(sources...), values: true}
}

// lose records how a source ended without an element; the last one ends the race.
func (s *firstInner[T]) lose(err error) {
	f := s.race
	s.err = err
	if f.left.Add(-1) != 0 {
		return
	}
	errs := make([]error, len(f.inners))
	for i := range f.inners {
		errs[i] = f.inners[i].err
	}
	if f.winner.CompareAndSwap(nil, &f.nobody) { // there is nobody left to be cancelled
		f.down.OnError(&reactor.OpError{
			Op: "firstWithValue", Kind: reactor.ErrNoElements,
			Detail: "every source failed or was empty", Cause: errors.Join(errs...),
		})
	}
}
