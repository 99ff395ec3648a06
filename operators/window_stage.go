package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// windowChunk is how many elements the queue of a window grows by, at most.
const windowChunk = 16

// openWindow is a window as a publisher.
type openWindow[T any] struct {
	unicast.Publisher[T]
}

// Discarded implements reactor.Discardable.
func (w *openWindow[T]) Discarded() { w.Abandon() }

// windowStage is what the stages have in common that split their source into windows.
// It counts the open ones: what they are made of is cancelled when nobody is left who
// listens.
type windowStage[T, W any] struct {
	protocol.Inner
	op   string
	ctx  context.Context
	down reactor.Subscriber[W]
	wrap func(reactor.Publisher[T]) W
	stop func() // cancels what the windows are made of

	live      atomic.Int64 // open windows, and one for the stream of windows itself
	ended     atomic.Bool  // there is nothing left to cancel
	cancelled atomic.Bool
	first     atomic.Bool // demand has come
}

func (s *windowStage[T, W]) init(op string, ctx context.Context, down reactor.Subscriber[W], window func(reactor.Publisher[T]) W, stop func()) {
	s.op, s.ctx, s.down, s.wrap, s.stop = op, ctx, protocol.Strict(ctx, down), window, stop
	s.live.Store(1)
}

// open returns a new window, which size elements are expected for.
func (s *windowStage[T, W]) open(size int64) *openWindow[T] {
	s.live.Add(1)
	w := &openWindow[T]{}
	w.Init(s.op, s.ctx, queue.NewLinked[T](int(min(size, windowChunk))), s)
	return w
}

// Released implements unicast.Owner.
func (s *windowStage[T, W]) Released(bool) {
	if s.live.Add(-1) == 0 && !s.ended.Load() {
		s.stop()
	}
}

// Cancel ends the stream of windows; the open ones go on.
func (s *windowStage[T, W]) Cancel() {
	if !s.cancelled.Swap(true) {
		s.Released(true)
	}
}
