package operators

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// restSlicer is a slicer that may have more to send than there is demand for when
// src has completed: it then waits for requests. Its buffers may overlap.
type restSlicer[T any] struct {
	protocol.Quiet
	slicer[T]
	stride int          // distance between the beginnings of open buffers in kept, whole for only one
	demand atomic.Int64 // open demand of downstream
	done   atomic.Bool  // src has completed: what is left belongs to the owner of drain
	drain  protocol.Drain

	// What follows belongs to the owner of drain.
	rest   []T // what src has left behind; set before done
	failed bool
	over   bool
}

// whole is the stride of buffers that do not overlap.
const whole = math.MaxInt

// OnError discards the open buffers.
func (s *restSlicer[T]) OnError(err error) {
	s.Unwind(err)
	s.dropOpen()
	s.kept.End()
	s.down.OnError(err)
}

// OnComplete leaves the open buffers to the drain.
func (s *restSlicer[T]) OnComplete() {
	s.rest = s.kept.TakeAll()
	s.done.Store(true)
	s.drain.Run(s)
}

// Cancel stops upstream and discards the open buffers.
func (s *restSlicer[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	failure.InTurn(s.up.Cancel, s.dropOpen, func() { // the first may end the goroutine
		if s.done.Load() {
			s.drain.Run(s)
		}
	})
}

// dropOpen discards what is open, unless src has left it to the drain.
func (s *restSlicer[T]) dropOpen() {
	if s.kept.Discard != nil {
		s.dropBuffers(s.kept.TakeAll())
	}
}

// dropBuffers discards the buffers that begin in items.
func (s *restSlicer[T]) dropBuffers(items []T) {
	for len(items) > 0 {
		pending.DiscardAll(s.kept.Discard, items)
		items = items[min(s.stride, len(items)):]
	}
}

// DrainPass sends what is left and completes.
func (s *restSlicer[T]) DrainPass() {
	for !s.over {
		switch {
		case s.failed || s.cancelled.Load():
			s.finish()
		case len(s.rest) == 0:
			s.over = true
			s.down.OnComplete()
		case s.demand.Load() == 0:
			return
		default:
			s.failed = true // also if what follows ends the goroutine
			s.failed = !emitSlice(s.ctx, s.down, s.next())
			demand.Produced(&s.demand, 1)
		}
	}
}

// next removes the first buffer from the rest.
func (s *restSlicer[T]) next() []T {
	buf := s.rest
	if s.stride >= len(buf) {
		s.rest = nil
		return buf
	}
	s.rest = buf[s.stride:]
	return slices.Clone(buf)
}

// finish ends the stage without a signal.
func (s *restSlicer[T]) finish() {
	s.over = true
	rest := s.rest
	s.rest = nil
	s.dropBuffers(rest)
}
