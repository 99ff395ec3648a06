package batch

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Slicer is the subscriber base of operators that cut src into slices where its
// own elements say so. What embeds it adds OnSubscribe, OnNext and Request.
//
// A slice that was sent down belongs to downstream: kept begins a new one.
type Slicer[T any] struct {
	protocol.Inner
	protocol.SliceSender[T]
	Ctx       context.Context
	Down      reactor.Subscriber[[]T]
	Up        reactor.Subscription // set by OnSubscribe
	Kept      pending.Buffer[T]    // the open buffer
	ended     bool                 // upstream has completed; touched by its signals
	cancelled atomic.Bool
}

// firstRoom is how many elements the first buffer of a stage has room for from the
// start, if it may become as long as that. Later ones have room for as many as the
// one before had.
const firstRoom = 128

func (s *Slicer[T]) Init(ctx context.Context, down reactor.Subscriber[[]T], size int) {
	s.Ctx, s.Down = ctx, protocol.Strict(ctx, down)
	s.SendTo(ctx, s.Down)
	s.Kept.Init(ctx)
	s.Kept.Room = int32(min(size, firstRoom))
}

func (s *Slicer[T]) OnError(err error) {
	if s.ended {
		// The guard of the source sees the Goexit go by that emitSlice has delivered.
		return
	}
	s.Unwind(err)
	s.Kept.End()
	s.Down.OnError(err)
}

// OnComplete sends the rest down. There is demand for it: src was asked for no more
// than what fills the buffers that are wanted.
func (s *Slicer[T]) OnComplete() {
	s.ended = true
	if rest := s.Kept.Take(); len(rest) > 0 && !emitSlice(s.Ctx, s.Down, rest) || s.cancelled.Load() {
		return
	}
	s.Down.OnComplete()
}

// Cancel stops upstream and discards the open buffer.
func (s *Slicer[T]) Cancel() {
	s.cancelled.Store(true)
	defer s.Kept.Close() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()
}

// Take ends the open buffer. The result is empty if there is none, or after
// cancellation.
func (s *Slicer[T]) Take() []T {
	buf := s.Kept.Take()
	if len(buf) > 0 {
		s.Kept.Room = int32(min(len(buf), math.MaxInt32))
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
