package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// batchStage puts the elements of src into buffers that something else cuts off:
// another publisher, or a timer. Nothing waits for demand: a buffer without it is an
// overflow.
//
// Elements and cuts come from different goroutines. The open buffer belongs to the
// owner of drain; an element that finds nobody there goes straight into it, others wait
// in a queue together with the cuts, so that the order of the two stays what it was.
type batchStage[T any] struct {
	protocol.Inner
	twoSided
	op      string
	push    func([]T)      // hands buffers to down
	discard func(any)      // nil if nobody wants what is discarded
	size    int            // how many elements fill a buffer; 0: any number
	opened  func(id int64) // called by the owner of drain when a buffer gets its first element; may be nil
	events  *queue.MPSC[batchEvent[T]]

	// What follows belongs to the owner of drain.
	id   int64 // the number of the open buffer
	open []T
	room int // for how many elements the next buffer has room from the start
	hand []T // on its way down
}

// batchEvent is an element, or the cut of the buffer with a number.
type batchEvent[T any] struct {
	value T
	isCut bool
	id    int64 // openBatch: the one that is open, whichever that is
}

const openBatch = -1

// batchQueue is how many events a piece of the queue has room for: it is used only
// while somebody is busy emitting.
const batchQueue = 32

func (s *batchStage[T]) init(op string, ctx context.Context, down reactor.Subscriber[[]T], size int) {
	down = protocol.Strict(ctx, down)
	s.ctx, s.down, s.stage = ctx, down, s
	s.op, s.size, s.push = op, size, protocol.Push(down)
	s.discard = reactor.DiscardHookFor[T](ctx)
	s.events = queue.NewMPSC[batchEvent[T]](batchQueue)
	s.room = min(size, firstRoom)
}

func (s *batchStage[T]) OnNext(v T) {
	if s.drain.TryEnter() {
		if !s.over && !s.cancelled.Load() && s.events.IsEmpty() {
			if s.add(v) {
				s.drain.Loop(s)
			} else {
				s.drain.Leave(s)
			}
			return
		}
		s.drain.Leave(s)
	}
	s.events.Offer(batchEvent[T]{value: v})
	s.run()
}

// add puts an element into the open buffer and reports whether there is something to
// do about it.
func (s *batchStage[T]) add(v T) bool {
	if len(s.open) == 0 {
		if s.open == nil && s.room > 0 {
			s.open = make([]T, 0, s.room)
		}
		if s.opened != nil && s.size != 1 {
			s.opened(s.id)
		}
	}
	s.open = append(s.open, v)
	return len(s.open) == s.size || s.failures.Any()
}

func (s *batchStage[T]) OnError(err error) {
	s.link.Close()
	s.other.Dispose()
	s.fail(err)
}

func (s *batchStage[T]) OnComplete() {
	s.link.Close()
	s.other.Dispose()
	s.done.Store(true)
	s.run()
}

// cut ends the buffer with the given number, if that is still open.
func (s *batchStage[T]) cut(id int64) {
	s.events.Offer(batchEvent[T]{isCut: true, id: id})
	s.run()
}

// DrainPass handles what has come.
func (s *batchStage[T]) DrainPass() {
	for {
		done := s.done.Load()
		if s.ended(false) {
			return
		}
		if len(s.open) > 0 && len(s.open) == s.size {
			s.flush()
			continue
		}
		e, ok := s.events.Poll()
		switch {
		case ok && !e.isCut:
			s.add(e.value)
		case ok:
			if e.id == s.id || e.id == openBatch {
				s.flush()
			}
		case !done:
			return
		case len(s.open) > 0:
			s.flush()
		default:
			s.ended(true)
			return
		}
	}
}

// flush emits the open buffer, unless it is empty.
func (s *batchStage[T]) flush() {
	buf := s.open
	if len(buf) == 0 {
		return
	}
	if s.opened != nil {
		s.other.Clear(s.id)
	}
	s.id++
	s.open, s.room = nil, len(buf)
	if s.demand.Load() == 0 {
		s.failures.Add(reactor.OperatorError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the buffer"), buf))
		discardAll(s.discard, buf)
		return
	}
	s.hand = buf
	protocol.Produced(&s.demand, 1)
	s.push(buf)
	s.hand = nil
}

// DrainCrashed ends the stream because downstream failed.
func (s *batchStage[T]) DrainCrashed(err error) {
	buf := s.hand
	s.hand = nil
	crashSlice(s.ctx, s.down, s.crash(), err, buf)
}

// drop discards the open buffer, and what waits to be put into it.
func (s *batchStage[T]) drop() {
	buf := s.open
	s.open = nil
	discardAll(s.discard, buf)
	for e, ok := s.events.Poll(); ok; e, ok = s.events.Poll() {
		if !e.isCut {
			discardTo(s.discard, e.value)
		}
	}
}
