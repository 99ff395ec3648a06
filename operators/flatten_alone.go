package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// flattenAlone is what flattenSubscriber needs for elements that it deals with as they come. Touched by the signals of
// the source only.
type flattenAlone[T, R any] struct {
	alone[T]
	one  protocol.LoopSender[R] // has the element of a sequence that is on its way down
	over bool                   // nothing more of the element is sent, and who owns the outlet has something to do
}

// flattenStep is how far straight has got.
type flattenStep uint8

const (
	flattenCalling flattenStep = iota // the function
	flattenSending
	flattenSent
)

// flattenBroken is an item of an element that was dealt with as it came, which has failed on its way down.
type flattenBroken[R any] struct {
	item R
	rest []R // of the same slice
	err  error
}

// allSent is called by the owner of the outlet when nothing waits.
func (s *flattenSubscriber[T, R]) allSent() {
	if s.out.Demand() == reactor.Unbounded && !s.unbounded.Load() {
		s.unbounded.Store(true)
	}
}

// isAlone reports whether what comes of an element needs no turn: there is demand for everything, and nobody else has anything to
// send. Nothing waits then: whoever has kept it has announced it, and no owner leaves anything behind.
func (s *flattenSubscriber[T, R]) isAlone() bool {
	return s.cont == nil && s.unbounded.Load() && s.out.Idle()
}

// behind takes an element that has come within another one.
func (s *flattenSubscriber[T, R]) behind(v T) {
	switch {
	case s.alone.ended:
		reactor.DropNext(s.out.Context(), v)
	case int64(len(s.alone.behind)) == s.p.prefetch:
		s.overflow(v)
	default:
		s.alone.behind = append(s.alone.behind, v)
	}
}

// straight sends what the function returns for v. Who becomes the owner meanwhile finds nothing to send.
func (s *flattenSubscriber[T, R]) straight(v T) {
	s.alone.busy = true
	var (
		items []R
		sent  int
		run   uint32
		step  = flattenCalling
	)
	defer func() {
		s.alone.busy = false
		if step == flattenSent {
			s.settle(run)
		} else {
			s.straightFailed(v, step == flattenCalling, items[:sent], items[sent:], run, failure.Recovered(recover()))
		}
	}()
	items, seq, err := s.p.fn(v)
	if err != nil {
		step = flattenSent
		s.endAlone()
		s.failed(err, v)
		return
	}
	if seq.all != nil {
		step, run = flattenSending, s.out.SendingAlone()
		s.straightSeq(seq)
	} else if len(items) > 0 {
		step, run = flattenSending, s.out.SendingAlone()
		push := s.PushDown
		for sent < len(items) && !s.cutShort() {
			chaos.Yield()
			sent++
			push(items[sent-1])
		}
	}
	step = flattenSent
	for _, v := range items[sent:] {
		s.Discard(v)
	}
	if !s.cutShort() {
		s.consumed()
	}
}

// cutShort reports whether no more of an element that is dealt with as it comes is to be sent.
func (s *flattenSubscriber[T, R]) cutShort() bool { return s.out.Stopped() || s.alone.failure != nil }

// straightFailed ends the stream because the function, called with v, the sequence, or what is below has failed. The last one of
// sent is on its way down, or the item of the sequence.
func (s *flattenSubscriber[T, R]) straightFailed(v T, calling bool, sent, rest []R, run uint32, err error) {
	defer s.settle(run) // also if what follows ends the goroutine
	s.endAlone()
	item := &s.alone.one.InFlight
	if len(sent) > 0 {
		item.Hold(sent[len(sent)-1])
	}
	if item.Full() {
		s.broken.Store(&flattenBroken[R]{item.Element(), rest, err})
		item.Clear()
		return
	}
	var operand any
	if calling {
		operand = v
		defer s.Discard(v)
	}
	s.out.Refuse(reactor.OperatorError(s.out.Context(), failure.Renamed(err, "flatMapSeq", s.p.op), operand))
}

// settle ends the run of what was sent for an element, and takes what the source has signalled within that.
func (s *flattenSubscriber[T, R]) settle(run uint32) {
	if s.alone.over || s.alone.left() {
		defer s.resume() // also if downstream ends the goroutine
	}
	if run != 0 {
		s.out.Sent(run)
	}
}

func (s *flattenSubscriber[T, R]) resume() {
	for v, ok := s.alone.next(); ok; v, ok = s.alone.next() {
		if !s.queue.Offer(v) {
			s.overflow(v)
		}
	}
	s.endAlone()
	s.alone.over = false
	s.out.Run()
}

// endAlone says that nothing more is sent for an element that is dealt with as it comes. If the source has ended meanwhile, that
// counts from now on.
func (s *flattenSubscriber[T, R]) endAlone() {
	s.alone.over = true
	if err, ok := s.alone.end(); ok {
		s.out.Closing(err)
	}
}
