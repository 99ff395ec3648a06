package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// windowOverlap opens windows that overlap. More of them may be open than there is
// demand for, so they go through a queue.
type windowOverlap[T, W any] struct {
	windowStage[T, W]
	size, stride int64
	up           reactor.Subscription // set by OnSubscribe

	// Touched by the signals of src only.
	windows []*openWindow[T] // the open ones, oldest first
	index   int64            // elements since the beginning of the last window
	filled  int64            // elements in the oldest one
	late    protocol.Hand[T] // goes into the windows when the one on its way down has arrived

	queue  *queue.Linked[*openWindow[T]] // offered to by the signals of src, polled by the owner of drain
	err    error                         // written before done
	done   atomic.Bool                   // src has ended, and its end is to be delivered
	demand atomic.Int64                  // for windows
	drain  protocol.Drain

	// What follows belongs to the owner of drain.
	over bool           // the end was delivered, or nobody wants windows any more
	hand *openWindow[T] // on its way down; nil if none
}

func (s *windowOverlap[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.queue = queue.NewLinked[*openWindow[T]](windowChunk)
	s.down.OnSubscribe(s)
}

func (s *windowOverlap[T, W]) OnNext(v T) {
	if s.ended.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.index == 0 && !s.cancelled.Load() {
		w := s.open(s.size)
		s.windows = append(s.windows, w)
		s.queue.Offer(w)
		s.late.Hold(v)
		chaos.Yield()
		s.drain.Run(s)
		s.late.LetGo()
	}
	if len(s.windows) == 0 {
		reactor.Discard(s.ctx, v)
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
	s.late.UnwindLate(s.ctx, err)
	if s.ended.Swap(true) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = reactor.NonNil(err)
	for _, w := range s.windows {
		w.Error(err)
	}
	s.end()
}

func (s *windowOverlap[T, W]) OnComplete() {
	if s.ended.Swap(true) {
		return
	}
	for _, w := range s.windows {
		w.Complete()
	}
	s.end()
}

func (s *windowOverlap[T, W]) end() {
	s.windows = nil
	s.done.Store(true)
	s.drain.Run(s)
}

// Request asks for as many elements as n windows are made of.
func (s *windowOverlap[T, W]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	if s.first.CompareAndSwap(false, true) {
		s.up.Request(protocol.SumDemand(s.size, protocol.ProductDemand(s.stride, n-1)))
	} else {
		s.up.Request(protocol.ProductDemand(s.stride, n))
	}
	s.drain.Run(s)
}

// Cancel ends the stream of windows; the open ones that were emitted go on.
func (s *windowOverlap[T, W]) Cancel() {
	if !s.cancelled.Swap(true) {
		s.Released(true)
		s.drain.Run(s)
	}
}

// DrainPass implements protocol.Drainer.
func (s *windowOverlap[T, W]) DrainPass() {
	for {
		if s.over || s.cancelled.Load() {
			s.clear()
			return
		}
		if s.done.Load() {
			if s.err != nil {
				s.clear()
				s.down.OnError(s.err)
				return
			}
			if s.queue.IsEmpty() {
				s.over = true
				s.down.OnComplete()
				return
			}
		}
		if s.demand.Load() == 0 {
			return
		}
		w, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.hand = w
		s.down.OnNext(s.wrap(w))
		s.hand = nil
		if s.demand.Load() != reactor.Unbounded {
			protocol.Produced(&s.demand, 1)
		}
	}
}

// clear gives up the windows that wait to be emitted.
func (s *windowOverlap[T, W]) clear() {
	s.over = true
	for w, ok := s.queue.Poll(); ok; w, ok = s.queue.Poll() {
		w.Abandon()
	}
}

// DrainCrashed implements protocol.Drainer.
func (s *windowOverlap[T, W]) DrainCrashed(err error) {
	over, w := s.over, s.hand
	s.hand = nil
	s.Cancel()
	if w != nil {
		w.Abandon()
	}
	s.clear()
	err = reactor.OperatorError(s.ctx, err, nil)
	if over {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(err)
}
