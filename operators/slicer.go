package operators

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// slicer is the subscriber base of operators that cut src into slices where its
// own elements say so. What embeds it adds OnSubscribe, OnNext and Request.
//
// A slice that was sent down belongs to downstream: kept begins a new one.
type slicer[T any] struct {
	protocol.Inner
	protocol.SliceSender[T]
	ctx       context.Context
	down      reactor.Subscriber[[]T]
	up        reactor.Subscription // set by OnSubscribe
	kept      pending.Buffer[T]    // the open buffer
	ended     bool                 // upstream has completed; touched by its signals
	cancelled atomic.Bool
}

// firstRoom is how many elements the first buffer of a stage has room for from the
// start, if it may become as long as that. Later ones have room for as many as the
// one before had.
const firstRoom = 128

func (s *slicer[T]) init(ctx context.Context, down reactor.Subscriber[[]T], size int) {
	s.ctx, s.down = ctx, protocol.Strict(ctx, down)
	s.SendTo(ctx, s.down)
	s.kept.Init(ctx)
	s.kept.Room = int32(min(size, firstRoom))
}

func (s *slicer[T]) OnError(err error) {
	if s.ended {
		// The guard of the source sees the Goexit go by that emitSlice has delivered.
		return
	}
	s.Unwind(err)
	s.kept.End()
	s.down.OnError(err)
}

// OnComplete sends the rest down. There is demand for it: src was asked for no more
// than what fills the buffers that are wanted.
func (s *slicer[T]) OnComplete() {
	s.ended = true
	if rest := s.kept.Take(); len(rest) > 0 && !emitSlice(s.ctx, s.down, rest) || s.cancelled.Load() {
		return
	}
	s.down.OnComplete()
}

// Cancel stops upstream and discards the open buffer.
func (s *slicer[T]) Cancel() {
	s.cancelled.Store(true)
	defer s.kept.Close() // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

// take ends the open buffer. The result is empty if there is none, or after
// cancellation.
func (s *slicer[T]) take() []T {
	buf := s.kept.Take()
	if len(buf) > 0 {
		s.kept.Room = int32(min(len(buf), math.MaxInt32))
	}
	return buf
}

// emitSlice is protocol.Emit for a slice: what fails on its way is discarded
// element by element.
func emitSlice[T any](ctx context.Context, down reactor.Subscriber[[]T], buf []T) (ok bool) {
	defer func() {
		if !ok {
			crashSlice(ctx, down, false, failure.Recovered(recover()), buf)
		}
	}()
	down.OnNext(buf)
	return true
}

// crashSlice is the Crash of protocol.InFlight for a slice, nil if there is none: it is discarded
// element by element.
func crashSlice[T any](ctx context.Context, down protocol.Signals, over bool, err error, buf []T) {
	if over || buf == nil {
		var none protocol.InFlight[T]
		none.Crash(ctx, down, over, err)
		return
	}
	if !failure.IsSettled(err) {
		err = reactor.OperatorError(ctx, err, buf)
		pending.DiscardAll(reactor.DiscardHookFor[T](ctx), buf)
	}
	down.OnError(err)
}
