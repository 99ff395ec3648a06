package paired

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Until passes on the elements of its source and the terminal signal of
// the source or of a companion, whichever comes first. The companion is started
// before the source is subscribed, so it may even end the stream before the source
// has given downstream its subscription.
type Until[T any] struct {
	protocol.Inner
	Ctx     context.Context
	Down    reactor.Subscriber[T]
	Out     protocol.Half
	Link    protocol.Deferred // to the source; decides who ends the stream
	Other   protocol.Handle   // owns the companion
	Started atomic.Bool       // downstream has its subscription, or is about to get it
	Begun   bool              // that of the source; touched by the signals of the source
}

func (s *Until[T]) Init(ctx context.Context, down reactor.Subscriber[T]) {
	s.Ctx = ctx
	s.Down = protocol.Strict(ctx, down)
	s.Out.Down = s.Down
	s.Out.Hold()
}

// OnSubscribe passes the subscription on, unless the companion was faster.
func (s *Until[T]) OnSubscribe(up reactor.Subscription) {
	if s.Started.Swap(true) {
		up.Cancel()
		return
	}
	s.Begun = true
	// Deferred: downstream may end the goroutine.
	defer s.Link.Set(up)
	defer s.Out.Release()
	s.Out.Down.OnSubscribe(s)
}

// OnError passes the source's failure on.
func (s *Until[T]) OnError(err error) { s.EndOfSource(s.Link.Close(), err) }

// OnComplete passes the source's completion on.
func (s *Until[T]) OnComplete() { s.EndOfSource(s.Link.Close(), nil) }

// EndOfSource is what OnError and OnComplete do when they have closed Link; live is what that has returned. After a
// cancellation only the failure of an element on its way down is passed on, and another error is reported as dropped.
func (s *Until[T]) EndOfSource(live bool, err error) {
	// Deferred: a function that hears of what follows may end the goroutine.
	switch {
	case live || err != nil && s.Out.Falling():
		defer s.sourceEnded(err)
	case err != nil:
		defer reactor.DropError(s.Ctx, err)
	}
	s.Other.Dispose()
}

// sourceEnded passes the end of the source on.
func (s *Until[T]) sourceEnded(err error) {
	if unheard := s.Out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.Ctx, unheard)
	}
}

// Request passes demand on.
func (s *Until[T]) Request(n int64) { s.Link.Request(n) }

// Cancel stops source and companion.
func (s *Until[T]) Cancel() {
	defer s.Other.Dispose() // also if a function that hears of the first ends the goroutine
	s.Link.Cancel()
}

// End ends the stream on behalf of the companion, unless it has ended or was
// cancelled, and reports whether it did. The source is cancelled.
func (s *Until[T]) End(err error) (ended bool) {
	s.Link.CancelAnd(func() {
		if s.Started.Swap(true) {
			ended = s.Out.End(err)
			return
		}
		// Deferred: downstream may end the goroutine.
		defer s.Out.Release()
		defer func() { ended = s.Out.End(err) }()
		s.Out.Down.OnSubscribe(protocol.Empty)
	})
	return ended
}
