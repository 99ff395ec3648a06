package operators

import (
	"context"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// FromSeq emits the elements of seq.
//
//	      FromSeq(maps.Keys(m))
//	out:  a - b - c |
//
// With unbounded demand it is a range loop over seq on the goroutine that requests. With bounded
// demand seq is suspended between requests, and resumed on the goroutine of the next request; its
// end is noticed when one more element is requested than seq has. seq always runs to its end or
// sees its yield report false, also after a cancellation. Each subscriber starts seq anew, and seq
// must allow that. A panic of seq ends the stream.
//
// A suspended seq is a coroutine ([iter.Pull]). Go ends the process if some of the goroutines that
// request are locked to their thread (runtime.LockOSThread), as the main goroutine of a graphical
// program is, and others are not. In such a program put [SubscribeOn] behind FromSeq: its worker
// makes all requests.
func FromSeq[T any](seq iter.Seq[T]) reactor.Publisher[T] {
	argument.NotNil("fromSeq", "sequence", seq)
	return newSeq("fromSeq", seq, nil)
}

// FromSeq2 is [FromSeq] for a sequence that can fail: the first pair with an error ends
// seq and the stream; the element of that pair is ignored.
//
//	      FromSeq2(lines)
//	out:  a - b - #
func FromSeq2[T any](seq iter.Seq2[T, error]) reactor.Publisher[T] {
	argument.NotNil("fromSeq2", "sequence", seq)
	return newSeq("fromSeq2", nil, seq)
}

func newSeq[T any](op string, seq iter.Seq[T], seq2 iter.Seq2[T, error]) reactor.Publisher[T] {
	return &seqPublisher[T]{op: op, seq: seq, seq2: seq2}
}

type seqPublisher[T any] struct {
	protocol.Op
	op   string
	seq  iter.Seq[T]         // this one
	seq2 iter.Seq2[T, error] // or that one

	ahead bool // one element is computed ahead, so that the end shows without further demand
}

func (p *seqPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &seqSubscription[T]{p: p, ctx: ctx, down: protocol.Strict(ctx, s)}
	sub.Init(sub)
	if p.ahead {
		defer sub.Start() // also if downstream ends the goroutine
	}
	sub.down.OnSubscribe(sub)
}

// seqAhead is an element that was computed ahead, if has.
type seqAhead[T any] struct {
	v   T
	has bool
}

// seqSubscription is touched by the owner of the loop only.
type seqSubscription[T any] struct {
	protocol.PullLoop
	protocol.LoopSender[T]
	ctx    context.Context
	down   reactor.Subscriber[T]
	p      *seqPublisher[T]
	next   func() (T, bool) // nil until demand was bounded once
	stop   func()
	err    error        // of a pair; until it is told
	left   error        // what the coroutine has left of a Goexit
	broken bool         // cancelled: what seq does while it ends is of no interest downstream
	ahead  *seqAhead[T] // nil if nothing is computed ahead
}

// sequence returns the sequence of the publisher; a sequence of pairs ends at its
// error.
func (s *seqSubscription[T]) sequence() iter.Seq[T] {
	seq := s.p.seq2
	if seq == nil {
		return s.p.seq
	}
	return func(yield func(T) bool) {
		for v, err := range seq {
			if err != nil {
				s.err = err
				return
			}
			if !yield(v) {
				return
			}
		}
	}
}

func (s *seqSubscription[T]) Pull(n int64) bool {
	if s.PushDown == nil {
		s.PushDown = protocol.Push(s.down)
	}
	if s.next == nil {
		if n == reactor.Unbounded {
			s.run()
			return true
		}
		s.next, s.stop = iter.Pull(handed.Watched(s.sequence(), &s.left))
		if s.p.ahead {
			s.ahead = new(seqAhead[T])
		}
	}
	if s.ahead != nil {
		return s.pullAhead(n)
	}
	for ; n > 0; n-- {
		if s.Cancelled() {
			return true
		}
		v, ok := s.next()
		if !ok {
			s.finish()
			return true
		}
		if s.Cancelled() {
			// Cancelled while seq was at work, perhaps for long.
			reactor.Discard(s.ctx, v)
			return true
		}
		s.InFlight.SendNext(s.PushDown, v)
	}
	return false
}

// pullAhead is Pull with one element more.
func (s *seqSubscription[T]) pullAhead(n int64) (over bool) {
	if !s.ahead.has && !s.look() {
		return true
	}
	for ; n > 0; n-- {
		v := s.ahead.v
		*s.ahead = seqAhead[T]{}
		s.InFlight.SendNext(s.PushDown, v)
		if s.Cancelled() || !s.look() {
			return true
		}
	}
	return false
}

// look computes an element ahead, or ends the stream and reports false.
func (s *seqSubscription[T]) look() bool {
	v, ok := s.next()
	switch {
	case !ok:
		s.finish()
	case s.Cancelled():
		reactor.Discard(s.ctx, v)
	default:
		*s.ahead = seqAhead[T]{v, true}
		return true
	}
	return false
}

// run is the whole of an unbounded subscription.
func (s *seqSubscription[T]) run() {
	for v := range s.sequence() {
		if s.Cancelled() {
			s.broken = true
			reactor.Discard(s.ctx, v)
			break
		}
		s.InFlight.SendNext(s.PushDown, v)
		if s.Cancelled() {
			s.broken = true
			break
		}
	}
	if !s.broken {
		s.finish()
	}
}

func (s *seqSubscription[T]) finish() {
	switch {
	case s.Cancelled():
		s.dropFailure()
	case s.err != nil:
		s.Finish(s.down, reactor.OperatorError(s.ctx, pending.Take(&s.err), nil))
	default:
		s.Finish(s.down, nil)
	}
}

// dropFailure reports the error of a pair as dropped, if there is one that was not told.
func (s *seqSubscription[T]) dropFailure() {
	if err := pending.Take(&s.err); err != nil {
		reactor.DropError(s.ctx, err)
	}
}

func (s *seqSubscription[T]) Crashed(err error) {
	defer s.dropFailure() // also if downstream ends the goroutine: seq has failed behind a pair with an error
	s.InFlight.Crash(s.ctx, s.down, s.broken, s.named(err))
}

// named is the error that ended the sequence, with the name of the operator that asked
// for the sequence.
func (s *seqSubscription[T]) named(err error) error {
	return failure.Renamed(handed.Out(err, s.left), "fromSeq", s.p.op)
}

func (s *seqSubscription[T]) Release() {
	if s.ahead != nil && s.ahead.has {
		reactor.Discard(s.ctx, s.ahead.v)
	}
	if s.stop != nil {
		failure.Guard(s.stop, func(err error) { reactor.DropError(s.ctx, s.named(err)) })
	}
	s.p, s.next, s.stop, s.ahead = nil, nil, nil, nil
	s.InFlight.Clear()
}
