package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// sinkCore is the state of a [FluxSink], and the subscription of its subscriber.
//
// The goroutine that holds the drain delivers. A producer that finds the drain free,
// and nothing waiting, delivers its element directly; otherwise the element goes
// through the queue. So an element costs no lock, and in the ordinary case no queue
// either.
type sinkCore[T any] struct {
	op       string // for errors
	ctx      context.Context
	down     reactor.Subscriber[T]
	strategy OverflowStrategy
	queue    queue.Counted[T] // elements of producers that did not get the drain, and of OverflowBuffer all that wait for demand
	drain    protocol.Drain
	lodging  protocol.Lodging // of who is below
	demand   atomic.Int64
	state    atomic.Uint32
	disposal sinkDisposal

	ending atomic.Bool // somebody has called Error or Complete
	err    error       // the error of the end; written before sinkDone is set, taken after

	handler atomic.Pointer[func(int64)] // of OnRequest
	unseen  atomic.Int64                // demand that came before there was a handler

	backlog   bool // OverflowBuffer: the queue is not known to be empty; drain owner only
	told      bool // that many elements wait; drain owner only
	latest    T    // OverflowLatest: the element that waits for demand; drain owner only
	hasLatest bool // drain owner only
	protocol.LoopSender[T]
}

// The bits of state. sinkDone: the producer has ended, what waits is still to be
// delivered. sinkCancelled: nobody wants anything. sinkOver: the end was delivered.
const (
	sinkDone = 1 << iota
	sinkCancelled
	sinkOver
	sinkClosed = sinkCancelled | sinkOver
)

func (s *sinkCore[T]) Request(n int64) {
	demand.Add(&s.demand, n)
	chaos.Yield()
	if fn := s.handler.Load(); fn != nil {
		s.call(*fn, n)
	} else {
		demand.Add(&s.unseen, n)
		chaos.Yield()
		s.announceDemand()
	}
	if s.strategy == OverflowBuffer || s.strategy == OverflowLatest {
		s.drain.Run(s)
	}
}

// requested is the demand that the waiting elements leave open. While an element leaves the queue
// it may be one too high for a moment, but never too low: a producer that has found no demand waits
// until more comes. With OverflowLatest a waiting element need not take any demand.
func (s *sinkCore[T]) requested() int64 {
	for asked := s.demand.Load(); ; {
		chaos.Yield()
		if asked == reactor.Unbounded || s.strategy == OverflowLatest {
			return asked
		}
		waiting := int64(s.queue.Len())
		chaos.Yield()
		again := s.demand.Load()
		if again == asked {
			return max(0, asked-waiting)
		}
		asked = again
	}
}

func (s *sinkCore[T]) Cancel() {
	if s.state.Or(sinkCancelled)&sinkClosed != 0 {
		return
	}
	defer s.drain.Run(s) // discards what waits; also if a function of the producer ends the goroutine
	s.disposal.end(s.ctx, true)
}

func (s *sinkCore[T]) onRequest(fn func(int64)) {
	argument.Given("create", "function given to OnRequest", fn != nil)
	if !s.handler.CompareAndSwap(nil, &fn) {
		panic("reactor: create: OnRequest was called twice")
	}
	chaos.Yield()
	s.announceDemand()
}

// announceDemand gives the handler, if it is there, the demand that came before it.
// A request adds before it looks for the handler, OnRequest stores the handler
// before it takes the sum: every unit is announced, and once.
func (s *sinkCore[T]) announceDemand() {
	if fn := s.handler.Load(); fn != nil {
		// What elements have met already is no demand any more.
		if n := min(s.unseen.Swap(0), s.demand.Load()); n > 0 {
			s.call(*fn, n)
		}
	}
}

func (s *sinkCore[T]) call(fn func(int64), n int64) {
	if s.state.Load() == 0 {
		failure.Guard(func() { fn(n) }, func(err error) { s.fail(reactor.OperatorError(s.ctx, err, nil)) })
	}
}

func (s *sinkCore[T]) next(v T) {
	switch st := s.state.Load(); {
	case st&sinkCancelled != 0:
		s.spurn(v)
	case st != 0:
		reactor.DropNext(s.ctx, v)
	case s.drain.TryEnter():
		if s.backlog {
			s.queue.Offer(v)
			s.watchBacklog()
		} else if !s.direct(v) {
			return
		}
		s.drain.Leave(s)
	default:
		s.queue.Offer(v)
		chaos.Yield()
		s.drain.Run(s)
	}
}

// mostBacklog is how many elements wait before the sink reports that they do: more by far than a
// burst, less by far than fills the memory.
const mostBacklog = 1 << 17

// watchBacklog reports, once, that the producer does not heed the demand. Drain owner only.
func (s *sinkCore[T]) watchBacklog() {
	if s.told || s.queue.Len() < mostBacklog {
		return
	}
	s.told = true
	reactor.DropError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow,
		"%d elements wait that nobody has requested, and each further one will: produce what OnRequest or Requested says, or choose another OverflowStrategy",
		mostBacklog))
}

// direct is accept for a producer that has entered the drain, and the guard of
// that. If downstream fails it leaves the drain and reports false.
func (s *sinkCore[T]) direct(v T) (ok bool) {
	defer func() {
		if !ok {
			s.drain.Fell(s, recover())
		}
	}()
	s.accept(v)
	return true
}

// accept delivers v, or does with v what the strategy says. Drain owner only.
func (s *sinkCore[T]) accept(v T) {
	asked := s.demand.Load()
	switch {
	case s.state.Load()&sinkClosed != 0:
		// The end was delivered between the producer's look at state and its
		// entering the drain.
		s.spurn(v)
	case s.hasLatest && asked == 0:
		v, s.latest = s.latest, v
		s.spurn(v)
	case asked > 0:
		if s.hasLatest {
			// The demand that has come meanwhile is for v, not for what is older than it.
			old := s.latest
			s.latest, s.hasLatest = *new(T), false
			s.spurn(old)
		}
		if asked != reactor.Unbounded {
			demand.Produced(&s.demand, 1) // first: a producer elsewhere may ask meanwhile
		}
		s.InFlight.Send(s.PushDown, v)
	case s.strategy == OverflowIgnore:
		s.InFlight.Send(s.PushDown, v)
	case s.strategy == OverflowBuffer:
		s.backlog = true
		s.queue.Offer(v)
	case s.strategy == OverflowLatest:
		s.latest, s.hasLatest = v, true
	default:
		if s.strategy == OverflowError {
			if before := s.state.Or(sinkOver); before&sinkClosed == 0 {
				s.overflow(v, before&sinkDone != 0)
				return
			}
		}
		s.spurn(v)
	}
}

// overflow ends the stream because of v. If the producer had ended it, its error was behind v, and comes too
// late.
func (s *sinkCore[T]) overflow(v T, done bool) {
	failure.InTurn(
		func() {
			s.down.OnError(reactor.Failure(s.op, reactor.ErrOverflow, "the producer sent an element that nobody had requested"))
		},
		func() { s.disposal.end(s.ctx, false) },
		func() { reactor.Discard(s.ctx, v) },
		func() {
			if !done {
				return
			}
			if err := s.takeErr(); err != nil {
				reactor.DropError(s.ctx, err)
			}
		},
	)
}

// fail is end with an error, which is reported as dropped if it comes too late.
func (s *sinkCore[T]) fail(err error) {
	if !s.end(err) {
		belated.Drop(s.ctx, err)
	}
}

// end records the end and reports whether that end counts.
func (s *sinkCore[T]) end(err error) bool {
	if s.state.Load() != 0 || s.ending.Swap(true) {
		return false
	}
	s.err = err
	chaos.Yield()
	if s.state.Or(sinkDone)&sinkOver != 0 {
		return false // the stream is over meanwhile; one that was cancelled has yet to look at the error, or it would be over
	}
	s.drain.Run(s)
	return true
}

// DrainPass implements protocol.Drainer.
func (s *sinkCore[T]) DrainPass() {
	if s.strategy == OverflowBuffer {
		s.passBuffered()
	} else {
		s.passOthers()
	}
	s.lodging.Settle()
}

// Host returns the sink: the owner of its drain sends all elements.
func (s *sinkCore[T]) Host() protocol.Host { return s }

// Lodged implements protocol.Host.
func (s *sinkCore[T]) Lodged() {}

// Tell implements protocol.Host.
func (s *sinkCore[T]) Tell(h *protocol.Half) {
	s.lodging.Keep(h)
	s.drain.Run(s)
}

func (s *sinkCore[T]) passBuffered() {
	var emitted int64
	for asked := s.demand.Load(); ; emitted++ {
		state := s.state.Load()
		if state&sinkClosed != 0 {
			s.clear()
			return
		}
		if emitted == asked {
			s.backlog = !s.queue.IsEmpty()
			if state&sinkDone != 0 && !s.backlog {
				s.finish()
				return
			}
			break
		}
		v, ok := s.queue.Poll()
		if !ok {
			s.backlog = false
			if state&sinkDone != 0 {
				s.finish()
				return
			}
			break
		}
		if asked != reactor.Unbounded {
			demand.Produced(&s.demand, 1)
		}
		s.InFlight.Send(s.PushDown, v)
	}
}

func (s *sinkCore[T]) passOthers() {
	for {
		state := s.state.Load()
		if state&sinkClosed != 0 {
			s.clear()
			return
		}
		v, ok := s.queue.Poll()
		if ok {
			s.accept(v)
			continue
		}
		if s.hasLatest && s.demand.Load() > 0 {
			v := s.latest
			s.latest, s.hasLatest = *new(T), false
			s.accept(v)
			continue
		}
		if state&sinkDone != 0 && !s.hasLatest {
			s.finish()
		}
		return
	}
}

// finish delivers the end that the producer has set.
func (s *sinkCore[T]) finish() {
	if before := s.state.Or(sinkOver); before&sinkClosed != 0 {
		s.dropEnd(before)
		return
	}
	defer s.disposal.end(s.ctx, false) // also if downstream ends the goroutine
	protocol.Finish(s.down, s.takeErr())
}

// dropEnd reports the error of the producer as dropped if it has come and the stream is over
// without it. before is the state before the stream was over.
func (s *sinkCore[T]) dropEnd(before uint32) {
	if before&(sinkDone|sinkOver) != sinkDone {
		return
	}
	if err := s.takeErr(); err != nil {
		belated.Drop(s.ctx, err)
	}
}

// takeErr returns the error of the end, if sinkDone was seen: the producer may keep its sink for long.
func (s *sinkCore[T]) takeErr() error {
	err := s.err
	s.err = nil
	return err
}

// clear discards the elements that wait, because nobody will get them. An error behind them goes
// with them, unreported, as in Reactor.
func (s *sinkCore[T]) clear() {
	before := s.state.Or(sinkOver)
	if !s.hasLatest && s.queue.IsEmpty() {
		defer s.dropEnd(before)
	} else if before&(sinkDone|sinkOver) == sinkDone {
		s.takeErr()
	}
	if s.hasLatest {
		s.hasLatest = false
		reactor.Discard(s.ctx, pending.Take(&s.latest))
	}
	for {
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.spurn(v)
	}
}

// spurn discards an element that nobody gets; it may be one of many. Any goroutine.
func (s *sinkCore[T]) spurn(v T) { new(pending.Unwanted[T]).Discard(s.ctx, v) }

// Downstream implements protocol.Fallible. An end that was recorded while an element was in flight
// has not been delivered.
func (s *sinkCore[T]) Downstream() (context.Context, protocol.Signals, bool) {
	return s.ctx, s.down, s.state.Load()&sinkClosed != 0 && !s.InFlight.Full()
}

// Fell implements protocol.Fallible.
func (s *sinkCore[T]) Fell(err error) error {
	s.state.Or(sinkCancelled)
	s.drain.Announce() // a pass discards what waits
	s.disposal.end(s.ctx, true)
	return err
}
