package batch

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// RestSlicer is a slicer that may have more to send than there is demand for when
// src has completed: it then waits for requests. Its buffers may overlap.
type RestSlicer[T any] struct {
	protocol.Quiet
	Slicer[T]
	Stride int          // distance between the beginnings of open buffers in kept, whole for only one
	Demand atomic.Int64 // open demand of downstream
	Done   atomic.Bool  // src has completed: what is left belongs to the owner of drain
	Drain  protocol.Drain

	// What follows belongs to the owner of drain.
	rest   []T // what src has left behind; set before done
	failed bool
	over   bool
}

// Whole is the stride of buffers that do not overlap.
const Whole = math.MaxInt

// OnError discards the open buffers.
func (s *RestSlicer[T]) OnError(err error) {
	s.Unwind(err)
	s.dropOpen()
	s.Kept.End()
	s.Down.OnError(err)
}

// OnComplete leaves the open buffers to the drain.
func (s *RestSlicer[T]) OnComplete() {
	s.rest = s.Kept.TakeAll()
	s.Done.Store(true)
	s.Drain.Run(s)
}

// Cancel stops upstream and discards the open buffers.
func (s *RestSlicer[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	failure.InTurn(s.Up.Cancel, s.dropOpen, func() { // the first may end the goroutine
		if s.Done.Load() {
			s.Drain.Run(s)
		}
	})
}

// dropOpen discards what is open, unless src has left it to the drain.
func (s *RestSlicer[T]) dropOpen() {
	s.dropBuffers(s.Kept.Shut())
}

// dropBuffers discards the buffers that begin in items.
func (s *RestSlicer[T]) dropBuffers(items []T) {
	for len(items) > 0 {
		pending.DiscardAll(s.Kept.Discard, items)
		items = items[min(s.Stride, len(items)):]
	}
}

// DrainPass sends what is left and completes.
func (s *RestSlicer[T]) DrainPass() {
	for !s.over {
		switch {
		case s.failed || s.cancelled.Load():
			s.finish()
		case len(s.rest) == 0:
			s.over = true
			s.Down.OnComplete()
		case s.Demand.Load() == 0:
			return
		default:
			s.failed = true // also if what follows ends the goroutine
			s.failed = !emitSlice(s.Ctx, s.Down, s.next())
			demand.Produced(&s.Demand, 1)
		}
	}
}

// next removes the first buffer from the rest.
func (s *RestSlicer[T]) next() []T {
	buf := s.rest
	if s.Stride >= len(buf) {
		s.rest = nil
		return buf
	}
	s.rest = buf[s.Stride:]
	return slices.Clone(buf)
}

// finish ends the stage without a signal.
func (s *RestSlicer[T]) finish() {
	s.over = true
	rest := s.rest
	s.rest = nil
	s.dropBuffers(rest)
}
