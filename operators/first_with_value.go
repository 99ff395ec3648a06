package operators

import (
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

// FirstWithValue emits the signals of the source that is the first to send an element,
// the winner, and cancels the others. A source that fails or completes before it has
// sent an element has lost; if all sources have lost, the stream fails with
// reactor.ErrNoElements and with what became of each source, in order. Without sources
// the stream is empty; a single source is passed on as it is.
//
//	a:    #
//	b:    -- |
//	c:    ----- 8 --- 9 |
//	      FirstWithValue(a, b, c)
//	out:  ----- 8 --- 9 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources
// are subscribed in order, until one has won or the stream is cancelled. What a loser
// still sends is discarded. Signals come on the goroutine of the winner.
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
	s.err.Store(&err)
	chaos.Yield()
	if f.winner.Load() != nil {
		s.err.Store(nil) // the winner may have looked before
		return
	}
	if f.left.Add(-1) != 0 || !f.winner.CompareAndSwap(nil, &f.nobody) { // there is nobody left to be cancelled
		return
	}
	errs := make([]error, len(f.inners))
	for i := range f.inners {
		errs[i] = *f.inners[i].err.Swap(nil)
	}
	f.down.OnError(&reactor.OpError{
		Op: "firstWithValue", Kind: reactor.ErrNoElements,
		Detail: "every source failed or was empty", Cause: errors.Join(errs...),
	})
}
