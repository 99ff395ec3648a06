package operators

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// ZipWithSeq combines each element of src with the element of seq in the same place;
// when seq has no more elements, src is cancelled and the stream completes.
//
//	src:  1 --- 2 --- 3 |
//	      ZipWithSeq([10, 20], sum)
//	out:  11 -- 22 |
//
// seq is started once per subscription, and always runs to its end or sees its yield
// report false. It is asked for its first element at subscription, and for the next one
// when an element was emitted; if seq has no first element, src is not subscribed to.
// Demand passes through. A panic of seq or fn cancels src and ends the stream. seq and
// fn run on the goroutine of src; after a cancellation seq is ended on the goroutine
// that cancels. See [FromSeq] for goroutines that are locked to their thread.
func ZipWithSeq[T, U, R any](src reactor.Publisher[T], seq iter.Seq[U], fn func(T, U) R) reactor.Publisher[R] {
	argument.NotNil("zipWithSeq", "sequence", seq)
	argument.Given("zipWithSeq", "combiner", fn != nil)
	return &zipWithSeqPublisher[T, U, R]{src: protocol.Trust("zipWithSeq", src), seq: seq, fn: fn}
}

type zipWithSeqPublisher[T, U, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	seq iter.Seq[U]
	fn  func(T, U) R
}

func (p *zipWithSeqPublisher[T, U, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &zipWithSeqSubscriber[T, U, R]{ctx: ctx, down: protocol.Strict(ctx, s), fn: p.fn}
	sub.next, sub.stop = iter.Pull(handed.Watched(p.seq, &sub.left))
	if !failure.Guard(func() { sub.with, sub.some = sub.next() }, func(err error) {
		err = handed.Out(err, sub.left)
		protocol.Fail(sub.down, reactor.OperatorError(ctx, err, nil))
	}) {
		return
	}
	if !sub.some {
		protocol.Complete(sub.down)
		return
	}
	p.src.Subscribe(ctx, sub)
}

// zipWithSeqSubscriber hands the sequence over in turns: OnNext owns the sequence while it
// runs, and in between nobody owns it. The end of the stream ends the sequence, at once
// or, during an OnNext, when that OnNext returns.
type zipWithSeqSubscriber[T, U, R any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[R]
	fn   func(T, U) R
	up   reactor.Subscription // set by OnSubscribe
	turn atomic.Int32         // 0: nobody has the sequence; +1 while an element passes through, +1 for ever at the end
	over atomic.Bool          // cancelled, or ended

	// Touched by the signals of src only.
	done    bool
	passing bool // an element passes through: the sequence is ours

	// Owned with the sequence.
	next func() (U, bool)
	stop func()
	with U     // what the next element of src is combined with
	some bool  // with is there
	left error // what the coroutine has left of a Goexit
}

func (s *zipWithSeqSubscriber[T, U, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *zipWithSeqSubscriber[T, U, R]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	if !s.turn.CompareAndSwap(0, 1) {
		reactor.Discard(s.ctx, v) // cancelled
		return
	}
	if s.over.Load() {
		// Cancelled too, by somebody who has yet to take the sequence: then the
		// element before may not have left anything to combine this one with.
		reactor.Discard(s.ctx, v)
		s.leave()
		return
	}
	s.passing = true
	r := s.fn(v, s.with)
	s.with, s.some = *new(U), false
	s.down.OnNext(r)
	if !s.over.Load() && s.look() && !s.some {
		s.finish(nil)
		return
	}
	if s.passing {
		s.passing = false
		s.leave()
	}
}

// look takes the next element of the sequence, or ends the stream if that fails: the
// element of src has been delivered, so its guard must not see the failure.
func (s *zipWithSeqSubscriber[T, U, R]) look() bool {
	return failure.Guard(
		func() { s.with, s.some = s.next() },
		func(err error) { s.finish(reactor.OperatorError(s.ctx, handed.Out(err, s.left), nil)) },
	)
}

// finish ends the stream after an element has passed through.
func (s *zipWithSeqSubscriber[T, U, R]) finish(err error) {
	s.done = true
	defer s.end(err) // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

// end ends the sequence, and the stream with an error or, without one, completion.
func (s *zipWithSeqSubscriber[T, U, R]) end(err error) {
	defer protocol.Finish(s.down, err) // also if the sequence, as it is closed, ends the goroutine
	s.release()
	if s.passing {
		s.passing = false
		s.leave()
	}
}

// leave gives the sequence back, or stops it if the stream has ended meanwhile.
func (s *zipWithSeqSubscriber[T, U, R]) leave() {
	if s.turn.Add(-1) != 0 {
		s.halt()
	}
}

// release stops the sequence, once nobody owns it.
func (s *zipWithSeqSubscriber[T, U, R]) release() {
	if s.over.Swap(true) {
		return
	}
	chaos.Yield()
	if s.turn.Add(1) == 1 {
		s.halt()
	}
}

// halt is called once.
func (s *zipWithSeqSubscriber[T, U, R]) halt() {
	defer failure.Guard(s.stop, func(err error) { reactor.DropError(s.ctx, handed.Out(err, s.left)) }) // also if the hook ends the goroutine
	if s.some {
		s.some = false
		reactor.Discard(s.ctx, pending.Take(&s.with))
	}
}

// OnError also takes the failure of an element that passes through.
func (s *zipWithSeqSubscriber[T, U, R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.end(err)
}

func (s *zipWithSeqSubscriber[T, U, R]) OnComplete() {
	if !s.done {
		s.done = true
		s.end(nil)
	}
}

// Request passes demand on.
func (s *zipWithSeqSubscriber[T, U, R]) Request(n int64) { s.up.Request(n) }

// Cancel cancels src and ends the sequence.
func (s *zipWithSeqSubscriber[T, U, R]) Cancel() {
	defer s.release() // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}
