package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// untilStage passes on the elements of its source and the terminal signal of
// the source or of a companion, whichever comes first. The companion is started
// before the source is subscribed, so it may even end the stream before the source
// has given downstream its subscription.
type untilStage[T any] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[T]
	out     protocol.Half
	link    protocol.Deferred // to the source; decides who ends the stream
	other   protocol.Handle   // owns the companion
	started atomic.Bool       // downstream has its subscription, or is about to get it
}

func (s *untilStage[T]) init(ctx context.Context, down reactor.Subscriber[T]) {
	s.ctx = ctx
	s.down = protocol.Strict(ctx, down)
	s.out.Down = s.down
	s.out.Hold()
}

// OnSubscribe passes the subscription on, unless the companion was faster.
func (s *untilStage[T]) OnSubscribe(up reactor.Subscription) {
	if s.started.Swap(true) {
		up.Cancel()
		return
	}
	// Deferred: downstream may end the goroutine.
	defer s.link.Set(up)
	defer s.out.Release()
	s.out.Down.OnSubscribe(s)
}

// OnError passes the source's failure on.
func (s *untilStage[T]) OnError(err error) {
	s.link.Close()
	defer s.sourceEnded(err) // also if a function that hears of what follows ends the goroutine
	s.other.Dispose()
}

// OnComplete passes the source's completion on.
func (s *untilStage[T]) OnComplete() {
	s.link.Close()
	defer s.sourceEnded(nil) // also if a function that hears of what follows ends the goroutine
	s.other.Dispose()
}

// sourceEnded passes the end of the source on.
func (s *untilStage[T]) sourceEnded(err error) {
	if unheard := s.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
	}
}

// Request passes demand on.
func (s *untilStage[T]) Request(n int64) { s.link.Request(n) }

// Cancel stops source and companion.
func (s *untilStage[T]) Cancel() {
	defer s.other.Dispose() // also if a function that hears of the first ends the goroutine
	s.link.Cancel()
}

// end ends the stream on behalf of the companion, unless it has ended or was
// cancelled, and reports whether it did. The source is cancelled.
func (s *untilStage[T]) end(err error) (ended bool) {
	s.link.CancelAnd(func() {
		if s.started.Swap(true) {
			ended = s.out.End(err)
			return
		}
		s.out.Down.OnSubscribe(protocol.Empty)
		ended = s.out.End(err)
		s.out.Release()
	})
	return ended
}
