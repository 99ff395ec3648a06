package operators

import (
	"context"
	"sync/atomic"

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
	op        string
	ctx       context.Context
	down      reactor.Subscriber[[]T]
	push      func([]T)         // hands buffers to down
	discard   func(any)         // nil if nobody wants what is discarded
	size      int               // how many elements fill a buffer; 0: any number
	opened    func(id int64)    // called by the owner of drain when a buffer gets its first element; may be nil
	link      protocol.Deferred // to src
	other     protocol.Handle   // owns what cuts
	demand    atomic.Int64      // open demand of downstream
	done      atomic.Bool       // src, or what cuts, has completed
	failures  protocol.Failures
	cancelled atomic.Bool
	drain     protocol.Drain
	events    *queue.MPSC[batchEvent[T]]

	// What follows belongs to the owner of drain.
	over bool  // terminal signal sent, failed downstream, or cancelled
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
	s.op, s.ctx, s.down, s.size = op, ctx, protocol.Strict(ctx, down), size
	s.push = protocol.Push(s.down)
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
	s.drain.Run(s)
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
	s.drain.Run(s)
}

// cut ends the buffer with the given number, if that is still open.
func (s *batchStage[T]) cut(id int64) {
	s.events.Offer(batchEvent[T]{isCut: true, id: id})
	s.drain.Run(s)
}

// fail ends the stream, of whichever side the failure is.
func (s *batchStage[T]) fail(err error) {
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.drain.Run(s)
}

// Cancel stops src and what cuts, and discards the open buffer.
func (s *batchStage[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.stop()
	s.drain.Run(s)
}

func (s *batchStage[T]) stop() {
	s.link.Cancel()
	s.other.Dispose()
}

// DrainPass handles what has come.
func (s *batchStage[T]) DrainPass() {
	for {
		done := s.done.Load()
		switch {
		case s.over:
			s.dropEvents()
			return
		case s.cancelled.Load():
			s.release()
			return
		case s.failures.Any():
			s.end()
			return
		case len(s.open) > 0 && len(s.open) == s.size:
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
			s.end()
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

// end sends the terminal signal.
func (s *batchStage[T]) end() {
	err := s.failures.Terminate()
	s.stop()
	s.release()
	protocol.Finish(s.down, err)
}

// DrainCrashed ends the stream because downstream failed.
func (s *batchStage[T]) DrainCrashed(err error) {
	over, buf := s.over, s.hand
	s.hand = nil
	s.cancelled.Store(true)
	s.stop()
	s.release()
	if over {
		reactor.DropError(s.ctx, err)
		return
	}
	crashSlice(s.ctx, s.down, err, buf)
}

func (s *batchStage[T]) release() {
	s.over = true
	buf := s.open
	s.open = nil
	discardAll(s.discard, buf)
	s.dropEvents()
}

func (s *batchStage[T]) dropEvents() {
	for e, ok := s.events.Poll(); ok; e, ok = s.events.Poll() {
		if !e.isCut && s.discard != nil {
			s.discard(e.value)
		}
	}
}
