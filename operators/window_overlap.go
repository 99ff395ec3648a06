package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
)

// windowOverlap opens windows that overlap. More of them may be open than there is
// demand for, so they go through a queue.
type windowOverlap[T, W any] struct {
	windows.Stage[T, *windows.Window[T], W]
	size, stride int64
	up           reactor.Subscription // set by OnSubscribe

	// Touched by the signals of src only.
	windows []*windows.Window[T] // the open ones, oldest first
	index   int64                // elements since the beginning of the last window
	filled  int64                // elements in the oldest one
	between pending.Unwanted[T]

	first atomic.Bool                       // demand has come
	queue *queue.Linked[*windows.Window[T]] // offered to by the signals of src, polled by the owner of the outlet
}

func (s *windowOverlap[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.queue = queue.NewLinked[*windows.Window[T]](windows.Chunk)
	s.Out.EagerErrors = true
	s.Out.BeginWith(s)
}

func (s *windowOverlap[T, W]) OnNext(v T) {
	if s.Ended.Load() {
		reactor.DropNext(s.Out.Context(), v)
		return
	}
	if s.index == 0 && !s.Out.Stopped() {
		w := s.Open("window", s.size)
		s.windows = append(s.windows, w)
		s.queue.Offer(w)
		chaos.Yield()
		failure.Before(s.Out.Context(), v, s.Out.Run)
	}
	if len(s.windows) == 0 {
		s.between.Discard(s.Out.Context(), v)
	}
	for _, w := range s.windows {
		w.Send(v)
	}
	s.filled++
	if s.filled == s.size {
		s.filled -= s.stride
		if len(s.windows) > 0 {
			w := s.windows[0]
			s.windows = append(s.windows[:0], s.windows[1:]...)
			w.Complete()
		}
	}
	s.index++
	if s.index == s.stride {
		s.index = 0
	}
}

func (s *windowOverlap[T, W]) OnError(err error) {
	if s.Ended.Swap(true) {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.end(reactor.NonNil(err))
}

func (s *windowOverlap[T, W]) OnComplete() {
	if !s.Ended.Swap(true) {
		s.end(nil)
	}
}

func (s *windowOverlap[T, W]) end(err error) {
	heard := false
	open := pending.Take(&s.windows)
	defer func() { // also if a subscriber of a window ends the goroutine
		if heard && s.Out.Stopped() {
			err = nil // who listens has got it
		}
		s.Out.End(err)
	}()
	failure.Persist(len(open), func(i int) bool {
		end, before := open[i].End, heard
		if i == len(open)-1 && !heard && s.Out.Stopped() {
			end = open[i].EndOnly
		}
		heard = true // whoever ends the goroutine has heard
		heard = end(err) == unicast.OK || before
		return true
	})
}

// Request asks for as many elements as n windows are made of.
func (s *windowOverlap[T, W]) Request(n int64) {
	s.Out.AddDemand(n)
	if s.first.CompareAndSwap(false, true) {
		s.up.Request(demand.Sum(s.size, demand.Product(s.stride, n-1)))
	} else {
		s.up.Request(demand.Product(s.stride, n))
	}
	s.Out.Run()
}

func (s *windowOverlap[T, W]) CancelAll() { s.up.Cancel() }

// Cancel ends the stream of windows; the open ones that were emitted go on.
func (s *windowOverlap[T, W]) Cancel() { s.Out.Cancel() }

// Flow implements protocol.Flow.
func (s *windowOverlap[T, W]) Flow() {
	for s.Out.Open() && s.Out.Demand() > 0 {
		w, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.Hold(w)
		s.Send(&s.Out, s.Wrap(w))
		s.Out.Produced(1)
	}
}

// Dry implements protocol.Flow.
func (s *windowOverlap[T, W]) Dry() bool { return s.queue.IsEmpty() }

// Drop implements protocol.Flow: it gives up the windows that wait to be emitted.
func (s *windowOverlap[T, W]) Drop() {
	windows.AbandonAll(s.queue)
	s.Out.DropFailures()
}
