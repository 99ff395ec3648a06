package operators

import (
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
)

// FlatMapSeq emits the elements of the sequences that fn returns, one sequence after
// the other.
//
//	src:  1 ------- 2 ------- |
//	      FlatMapSeq(n => n, 10n)
//	out:  1 - 10 -- 2 - 20 -- |
//
// A sequence that begins under unbounded demand is a range loop. Otherwise it is
// suspended between requests, and computes one element ahead, so that its end shows
// without further demand. Each sequence that has begun runs to its end or sees its yield
// report false, also after cancellation. A nil sequence is empty. A panic of a sequence
// ends the stream as one of fn does. See [FlatMapSlice] for the rest, and [FromSeq] for
// goroutines that are locked to their thread.
func FlatMapSeq[T, R any](src reactor.Publisher[T], fn func(T) iter.Seq[R], opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("flatMapSeq", "mapper", fn != nil)
	return newFlatten("flatMapSeq", src, defaultHopPrefetch(), opts, func(v T) ([]R, flattenedSeq[R], error) {
		return nil, flattenedSeq[R]{all: someSeq(fn(v))}, nil
	})
}

// FlatMapSeq2 is [FlatMapSeq] for sequences that can fail: the first pair with an error
// ends its sequence, src and the stream; its element is ignored.
//
//	src:  a.txt ------- b.txt ----- |
//	      FlatMapSeq2(lines)
//	out:  a1 - a2 ----- b1 - #
func FlatMapSeq2[T, R any](src reactor.Publisher[T], fn func(T) iter.Seq2[R, error], opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("flatMapSeq2", "mapper", fn != nil)
	return newFlatten("flatMapSeq2", src, defaultHopPrefetch(), opts, func(v T) ([]R, flattenedSeq[R], error) {
		seq := fn(v)
		if seq == nil {
			seq = func(func(R, error) bool) {}
		}
		// This literal is what calls the sequence: it brings the name along into its failures.
		pairs := &flattenedPairs[R]{all: seq}
		return nil, flattenedSeq[R]{pairs: pairs, all: func(yield func(R) bool) {
			for v, err := range pairs.all {
				if err != nil {
					pairs.err = err
					return
				}
				if !yield(v) {
					return
				}
			}
		}}, nil
	})
}

// someSeq returns seq, or an empty sequence for nil.
func someSeq[R any](seq iter.Seq[R]) iter.Seq[R] {
	if seq == nil {
		return func(func(R) bool) {}
	}
	return seq
}

// flattenSeq is the sequence that a flattenSubscriber is at; zero: none. It belongs to
// the owner of the drain.
type flattenSeq[R any] struct {
	flattenedSeq[R]             // all is nil once it has begun
	line            *seqLine[R] // nil: there is none
	begun           bool        // on the line, where it is suspended
	ahead           R           // computed already, if hasAhead
	hasAhead        bool
}

func (q *flattenSeq[R]) isSet() bool { return q.all != nil || q.begun }

// out returns the failure of the sequence: see [handed.Out].
func (q *flattenSeq[R]) out(err error) error {
	if q.line == nil {
		return err
	}
	return handed.Out(err, q.line.left)
}

// seqLine is a coroutine on which sequences run one after the other: to begin one for each costs more than most of
// them take. It is kept while there is a next one, and begun anew by then: who forgets a subscription leaves none behind.
type seqLine[R any] struct {
	pull    func() (R, bool)
	stop    func()      // nil: there is no coroutine
	watched iter.Seq[R] // what it does
	next    iter.Seq[R] // to be run; of who pulls
	over    bool        // it has come to its end; written on the coroutine
	stopped bool        // it is to end early; written before stop is called
	left    error       // what the coroutine has left of a Goexit
}

func newSeqLine[R any]() *seqLine[R] {
	l := new(seqLine[R])
	l.watched = handed.Watched(l.run, &l.left)
	return l
}

// begin puts the sequence on the line; advance runs it.
func (l *seqLine[R]) begin(seq iter.Seq[R]) {
	l.next = seq
	if l.stop == nil {
		l.stopped = false
		l.pull, l.stop = iter.Pull(l.watched)
	}
}

// run is what the coroutine does: behind each sequence it is suspended once more, until there is a next one.
func (l *seqLine[R]) run(yield func(R) bool) {
	for !l.stopped {
		all := l.next
		l.next, l.over = nil, false
		all(yield)
		if l.stopped {
			return
		}
		l.over = true
		yield(*new(R))
	}
}

// advance returns the next element of the sequence, if there is one.
func (l *seqLine[R]) advance() (v R, ok bool) {
	v, ok = l.pull()
	return v, ok && !l.over
}

// end ends the coroutine, and the sequence that is suspended there.
func (l *seqLine[R]) end() {
	if stop := l.stop; stop != nil {
		l.stopped, l.pull, l.stop = true, nil, nil
		stop()
	}
}

// openSeq begins with a sequence.
func (s *flattenSubscriber[T, R]) openSeq(seq flattenedSeq[R]) {
	q := &s.seq
	q.flattenedSeq = seq
	if s.out.Demand() == reactor.Unbounded {
		return // to be run as a whole
	}
	if q.line == nil {
		q.line = newSeqLine[R]()
	}
	q.line.begin(q.all)
	q.all, q.begun = nil, true
	s.advanceSeq()
}

// advanceSeq computes the next element of a sequence that is suspended.
func (s *flattenSubscriber[T, R]) advanceSeq() {
	q := &s.seq
	s.out.Call.Begin()
	q.ahead, q.hasAhead = q.line.advance()
	s.out.Call.End()
	if !q.hasAhead {
		s.finishSeq()
	}
}

// restSeq ends the coroutine when there may be no sequence for it for long.
func (s *flattenSubscriber[T, R]) restSeq() {
	if s.seq.line != nil {
		s.seq.line.end()
	}
}

// finishSeq is done with a sequence that has come to its end.
func (s *flattenSubscriber[T, R]) finishSeq() {
	err := s.seq.failure()
	s.seq = flattenSeq[R]{line: s.seq.line}
	if err != nil {
		if s.out.Cancelled() {
			reactor.DropError(s.out.Context(), err)
		} else {
			s.out.Refuse(reactor.OperatorError(s.out.Context(), err, nil))
		}
	}
	s.finish()
}

// emitSeq emits at most n elements of the sequence.
func (s *flattenSubscriber[T, R]) emitSeq(n int64) (sent int64) {
	s.out.Sending()
	if s.seq.all != nil {
		return s.runSeq()
	}
	for sent < n && s.current && !s.out.Stopped() {
		v := s.seq.ahead
		s.seq.ahead, s.seq.hasAhead = *new(R), false
		sent++
		s.InFlight.Send(s.PushDown, v)
		if !s.out.Stopped() {
			s.advanceSeq()
		}
	}
	return sent
}

// runSeq emits all of the sequence.
func (s *flattenSubscriber[T, R]) runSeq() (sent int64) {
	s.out.Call.Begin()
	for v := range s.seq.all {
		if s.out.Stopped() {
			s.Discard(v)
			break
		}
		sent++
		s.InFlight.SendNext(s.PushDown, v)
		if s.out.Stopped() {
			break
		}
	}
	s.out.Call.End()
	s.InFlight.Clear()
	s.finishSeq()
	return sent
}

// closeSeq lets go of a sequence that is not finished with.
func (s *flattenSubscriber[T, R]) closeSeq() {
	q := s.seq
	s.seq = flattenSeq[R]{}
	if q.hasAhead {
		s.Discard(q.ahead)
	}
	if q.line != nil {
		failure.Guard(q.line.end, func(err error) { reactor.DropError(s.out.Context(), q.out(err)) })
	}
}
