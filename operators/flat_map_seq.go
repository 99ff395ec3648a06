package operators

import (
	"cmp"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
	"github.com/goreactor/reactor/internal/protocol"
)

// FlatMapSeq emits the elements of the sequences that fn returns, one sequence after
// the other.
//
//	src:  1 ------- 2 ------- |
//	      FlatMapSeq(n => n, 10n)
//	out:  1 - 10 -- 2 - 20 -- |
//
// A sequence that begins under unbounded demand runs in a range loop. Otherwise the
// sequence is suspended between requests, and computes one element ahead, so that its
// end shows without further demand. Each sequence that has begun runs to its end or sees
// its yield report false, also after a cancellation. A nil sequence is empty. A panic of
// a sequence ends the stream as a panic of fn does. See [FlatMapSlice] for the rest, and
// [FromSeq] for goroutines that are locked to their thread.
func FlatMapSeq[T, R any](src reactor.Publisher[T], fn func(T) iter.Seq[R], opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("flatMapSeq", "mapper", fn != nil)
	return newFlatten("flatMapSeq", src, defaultHopPrefetch(), opts, func(v T) ([]R, flattenedSeq[R], error) {
		return nil, flattenedSeq[R]{all: someSeq(fn(v))}, nil
	}).ofSeqs()
}

// FlatMapSeq2 is [FlatMapSeq] for sequences that can fail: the first pair with an error
// ends its sequence, src and the stream; the element of that pair is ignored.
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
		return nil, flattenedSeq[R]{pairs: seq}, nil
	}).ofSeqs()
}

// someSeq returns seq, or an empty sequence for nil.
func someSeq[R any](seq iter.Seq[R]) iter.Seq[R] {
	if seq == nil {
		return func(func(R) bool) {}
	}
	return seq
}

// flattenSeq is the sequence that a flattenSubscriber is at. It belongs to the owner of the drain.
type flattenSeq[R any] struct {
	flattenedSeq[R]          // zero: there is none, or it has begun on the coroutine
	begun           bool     // it is on the coroutine, suspended
	hasAhead        bool     // the next element is computed already:
	ahead           R        // that
	kept            *seqs[R] // nil: there was none yet
}

func (q *flattenSeq[R]) isSet() bool { return q.begun || q.flattenedSeq.isSet() }

// out returns the failure of the sequence: see [handed.Out].
func (q *flattenSeq[R]) out(err error) error {
	if q.kept == nil {
		return err
	}
	return handed.Out(err, q.kept.coroutine.left)
}

// seqs is the state that is kept for the sequences of a subscription, which run one after
// the other.
type seqs[R any] struct {
	coroutine seqCoroutine[R]

	// Of sequences that are run as a whole:
	yield func(R) bool        // made once
	pair  func(R, error) bool // as yield, of those that can fail
	call  protocol.Calling    // they may be called
	sent  int64               // by them
	err   error               // which pair was called with
}

// openSeq begins with a sequence.
func (s *flattenSubscriber[T, R]) openSeq(seq flattenedSeq[R]) {
	q := &s.seq
	if q.kept == nil {
		q.kept = new(seqs[R])
	}
	if s.out.Demand() == reactor.Unbounded {
		q.flattenedSeq = seq // to be run as a whole
		return
	}
	if q.kept.coroutine.more == nil {
		q.kept.coroutine.more = s.mayHaveMore
	}
	q.kept.coroutine.begin(seq)
	q.begun = true
	s.advanceSeq()
}

// advanceSeq computes the next element of a sequence that is suspended.
func (s *flattenSubscriber[T, R]) advanceSeq() {
	q := &s.seq
	s.out.Call.Begin()
	q.ahead, q.hasAhead = q.kept.coroutine.advance()
	s.out.Call.End()
	if !q.hasAhead {
		s.finishSeq(q.kept.coroutine.takeErr())
	}
}

// mayHaveMore reports whether it is worth while to keep the coroutine behind a sequence.
func (s *flattenSubscriber[T, R]) mayHaveMore() bool {
	return s.asks || s.within.Load() || !s.queue.IsEmpty()
}

// restSeq ends the coroutine when there may be no sequence for it for long.
func (s *flattenSubscriber[T, R]) restSeq() {
	if s.seq.kept != nil {
		s.seq.kept.coroutine.end()
	}
}

// finishSeq is done with a sequence that has come to its end, or has failed with err.
func (s *flattenSubscriber[T, R]) finishSeq(err error) {
	s.seq = flattenSeq[R]{kept: s.seq.kept}
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
	if !s.seq.begun {
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

// runSeq emits all of the sequence. It calls all sequences with the same yield: the yield of a
// range loop, and what it captures, would be allocated for each sequence.
func (s *flattenSubscriber[T, R]) runSeq() (sent int64) {
	q := s.seq.kept
	q.sent = 0
	s.out.Call.Begin()
	q.call.Begin()
	if s.seq.pairs != nil {
		if q.pair == nil {
			q.pair = s.yieldPair
		}
		s.seq.pairs(q.pair)
	} else {
		if q.yield == nil {
			q.yield = s.yieldSeq
		}
		s.seq.all(q.yield)
	}
	q.call.End()
	if s.InFlight.Full() {
		s.misused("it recovered from a panic of yield and went on")
	}
	s.out.Call.End()
	s.InFlight.Clear()
	sent = q.sent
	err := q.err
	q.err = nil
	s.finishSeq(err)
	return sent
}

// yieldSeq is what runSeq gives to its sequences. Like that of a range loop it panics if the sequence does not keep to the rules.
func (s *flattenSubscriber[T, R]) yieldSeq(v R) bool {
	q := s.seq.kept
	switch {
	case q == nil || !q.call.Active():
		s.misused("it called yield after its end")
	case s.InFlight.Full():
		s.misused("it recovered from a panic of yield and went on")
	case s.out.Stopped():
		s.Discard(v)
		return false
	}
	q.sent++
	s.InFlight.SendNext(s.PushDown, v)
	return !s.out.Stopped()
}

// yieldPair is yieldSeq for sequences that can fail. What comes behind an error is not looked at.
func (s *flattenSubscriber[T, R]) yieldPair(v R, err error) bool {
	q := s.seq.kept
	switch {
	case err == nil && (q == nil || q.err == nil):
		return s.yieldSeq(v)
	case q == nil || !q.call.Active():
		s.misused("it called yield after its end")
	case q.err == nil:
		q.err = err
	}
	return false
}

// misused reports a sequence that breaks the rules for calling yield.
func (s *flattenSubscriber[T, R]) misused(how string) {
	panic(reactor.Failure(s.p.op, reactor.ErrIllegalState, "the sequence is not one: %s", how))
}

// closeSeq lets go of a sequence that is not finished with.
func (s *flattenSubscriber[T, R]) closeSeq() {
	q := s.seq
	s.seq = flattenSeq[R]{}
	if q.kept != nil {
		defer s.endSeq(q) // also if the hook ends the goroutine
	}
	if q.hasAhead {
		s.Discard(q.ahead)
	}
}

// endSeq ends the coroutine of q, which the stage has let go of.
func (s *flattenSubscriber[T, R]) endSeq(q flattenSeq[R]) {
	failure.Guard(func() {
		q.kept.coroutine.end()
		// One that has failed may panic as it ends: then that is what the stream has ended with.
		if err := cmp.Or(q.kept.coroutine.takeErr(), q.kept.err); err != nil {
			reactor.DropError(s.out.Context(), err)
		}
	}, func(err error) { reactor.DropError(s.out.Context(), q.out(err)) })
}

// seqCoroutine is a coroutine on which sequences run one after the other: to begin a coroutine for
// each sequence costs more than most sequences take. It is kept only as long as a next sequence
// follows, and begun anew otherwise, so that a subscription that is simply dropped leaves no
// coroutine behind.
type seqCoroutine[R any] struct {
	pull    func() (R, bool)
	stop    func()          // nil: there is no coroutine
	watched iter.Seq[R]     // what it does; made once
	more    func() bool     // whether there may be a next sequence soon; called on the coroutine
	next    flattenedSeq[R] // to be run; of who pulls
	over    bool            // it has come to its end; written on the coroutine
	err     error           // of the pair at which it has come to its end
	stopped bool            // it is to end early; written before stop is called
	left    error           // what the coroutine has left of a Goexit
}

// begin puts the sequence on the coroutine; advance runs it.
func (c *seqCoroutine[R]) begin(seq flattenedSeq[R]) {
	c.next = seq
	if c.watched == nil {
		c.watched = handed.Watched(c.run, &c.left)
	}
	if c.stop == nil {
		c.stopped = false
		c.pull, c.stop = iter.Pull(c.watched)
	}
}

// run is what the coroutine does: after a sequence it is suspended once more, until there is a next
// sequence.
func (c *seqCoroutine[R]) run(yield func(R) bool) {
	var pair func(R, error) bool
	for !c.stopped {
		seq := c.next
		c.next, c.over = flattenedSeq[R]{}, false
		if seq.pairs == nil {
			seq.all(yield)
		} else {
			if pair == nil {
				pair = c.pairs(yield)
			}
			seq.pairs(pair)
		}
		if c.stopped || !c.more() {
			return
		}
		c.over = true
		yield(*new(R))
	}
}

// pairs returns yield for sequences that can fail. What comes behind an error is not looked at.
func (c *seqCoroutine[R]) pairs(yield func(R) bool) func(R, error) bool {
	return func(v R, err error) bool {
		if c.err == nil && err == nil {
			return yield(v)
		}
		if c.err == nil {
			c.err = err
		}
		return false
	}
}

// advance returns the next element of the sequence, if there is one.
func (c *seqCoroutine[R]) advance() (v R, ok bool) {
	if v, ok = c.pull(); !ok {
		c.pull, c.stop = nil, nil
	}
	return v, ok && !c.over
}

// takeErr returns what the sequence has failed with, once.
func (c *seqCoroutine[R]) takeErr() error {
	err := c.err
	c.err = nil
	return err
}

// end ends the coroutine, and the sequence that is suspended there.
func (c *seqCoroutine[R]) end() {
	if stop := c.stop; stop != nil {
		c.stopped, c.pull, c.stop = true, nil, nil
		stop()
	}
}
