package batch

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// Stage puts the elements of src into buffers that something else cuts off:
// another publisher, or a timer. Nothing waits for demand: a buffer without it is an
// overflow.
//
// Elements and cuts come from different goroutines. The open buffer belongs to the
// owner of Out; an element that finds nobody there goes straight into it, others wait
// in a queue together with the cuts, so that the order of the two stays what it was.
type Stage[T any] struct {
	protocol.Inner
	paired.Stage
	protocol.SliceSender[T]
	op     string
	Size   int            // how many elements fill a buffer; 0: any number
	Opened func(id int64) // called by the owner of Out when a buffer gets its first element; may be nil
	events *queue.MPSC[batchEvent[T]]

	// What follows belongs to the owner of Out.
	id   int64 // the number of the open buffer
	open []T
	room int // for how many elements the next buffer has room from the start
}

// batchEvent is an element, or the cut of the buffer with a number.
type batchEvent[T any] struct {
	value T
	isCut bool
	id    int64 // Open: the one that is open, whichever that is
}

// Open stands for the number of the buffer that is open.
const Open = -1

// Queue is how many events a piece of the queue has room for: it is used only
// while somebody is busy emitting.
const Queue = 32

// Init sets the stage up for buffers of size elements, 0 for any number.
func (s *Stage[T]) Init(op string, ctx context.Context, down reactor.Subscriber[[]T], size int) {
	s.Attach(&s.Out, ctx, down, s)
	s.op, s.Size = op, size
	s.events = queue.NewMPSC[batchEvent[T]](Queue)
	s.room = min(size, firstRoom)
}

func (s *Stage[T]) OnNext(v T) {
	if s.Out.TryEnter() {
		switch {
		case s.Out.Closed() || !s.events.IsEmpty():
			s.events.Offer(batchEvent[T]{value: v}) // before the pass, which a Goexit may end
			s.Out.Run()
		case len(s.open) == 0 && s.Opened != nil:
			s.addFirst(v)
			return
		case s.add(v):
			s.Out.Run()
		}
		s.Out.Leave()
		return
	}
	s.events.Offer(batchEvent[T]{value: v})
	s.Out.Run()
}

// addFirst is add for the first element of a buffer, and leaves. What it starts may fail at once, and
// cancel: a function that hears of that may end the goroutine.
func (s *Stage[T]) addFirst(v T) {
	defer s.Out.Leave()
	if s.add(v) {
		s.Out.Run()
	}
}

// add puts an element into the open buffer and reports whether there is something to
// do about it.
func (s *Stage[T]) add(v T) bool {
	if s.open == nil && s.room > 0 {
		s.open = make([]T, 0, s.room)
	}
	s.open = append(s.open, v)
	if len(s.open) == 1 && s.Opened != nil && s.Size != 1 {
		s.Opened(s.id)
	}
	return len(s.open) == s.Size || s.Out.Stopped()
}

// Cut ends the buffer with the given number, if that is still open.
func (s *Stage[T]) Cut(id int64) {
	s.events.Offer(batchEvent[T]{isCut: true, id: id})
	s.Out.Run()
}

// Flow implements protocol.Flow, as do the two at the end: it handles what has come.
func (s *Stage[T]) Flow() {
	for {
		done := s.Out.Done() // before the look at the queue
		if !s.Out.Open() {
			return
		}
		if len(s.open) > 0 && len(s.open) == s.Size {
			s.flush()
			continue
		}
		e, ok := s.events.Poll()
		switch {
		case ok && !e.isCut:
			s.add(e.value)
		case ok:
			if e.id == s.id || e.id == Open {
				s.flush()
			}
		case !done || len(s.open) == 0:
			return
		default:
			s.flush()
		}
	}
}

// flush emits the open buffer, unless it is empty.
func (s *Stage[T]) flush() {
	buf := s.open
	if len(buf) == 0 {
		return
	}
	if s.Opened != nil {
		s.Other.Clear(s.id)
	}
	s.id++
	s.open, s.room = nil, len(buf)
	if s.Out.Demand() == 0 {
		s.Out.Refuse(reactor.OperatorError(s.Out.Context(), reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the buffer"), buf))
		s.DiscardAll(buf)
		return
	}
	s.Out.Produced(1)
	s.Send(buf)
}

func (s *Stage[T]) Dry() bool { return len(s.open) == 0 && s.events.IsEmpty() }

func (s *Stage[T]) Drop() {
	defer s.Out.DropFailures()
	buf := s.open
	s.open = nil
	s.DiscardAll(buf)
	for e, ok := s.events.Poll(); ok; e, ok = s.events.Poll() {
		if !e.isCut {
			s.Discard(e.value)
		}
	}
}
