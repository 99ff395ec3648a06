package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryScanWith is [ScanWith] with functions that may fail. An error of seed is the error
// of the stream. The first error of fn cancels src, discards the element and becomes
// the end of the stream. A panic of seed or fn has the same effect as its error.
//
//	src:  1 ----- 2 --- 3 |
//	      TryScanWith(() => 10, sum up to 15)
//	out:  10-11 - 13 -- #
//
// fn runs on the goroutine of src.
func TryScanWith[T, A any](src reactor.Publisher[T], seed func() (A, error), fn func(acc A, v T) (A, error)) reactor.Publisher[A] {
	argument.Given("tryScanWith", "seed", seed != nil)
	argument.Given("tryScanWith", "function", fn != nil)
	return &scanWithPublisher[T, A]{
		op:   "tryScanWith",
		src:  protocol.Trust("tryScanWith", src),
		seed: func() (A, error) { return seed() }, // it is TryScanWith whose function that is
		attach: func(s *scanWithStage[T, A], acc A) reactor.Subscriber[T] {
			sub := &tryScanWithInner[T, A]{s: s, fn: fn, acc: acc}
			sub.down = s.sub.Down
			sub.Ctx, sub.Down = s.Ctx, sub.down
			return sub
		},
	}
}

// tryScanWithInner is subscribed to src.
type tryScanWithInner[T, A any] struct {
	protocol.Link
	down reactor.Subscriber[A]
	s    *scanWithStage[T, A]
	fn   func(acc A, v T) (A, error)
	acc  A // signals of upstream
}

func (s *tryScanWithInner[T, A]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.s.Set(up)
}

func (s *tryScanWithInner[T, A]) OnNext(v T) {
	if s.add(v) {
		s.s.sub.OnNext(s.acc)
	}
}

// Push implements protocol.Pusher.
func (s *tryScanWithInner[T, A]) Push() func(T) {
	if !s.s.Straight() {
		return s.OnNext
	}
	next := protocol.Push(s.down)
	return func(v T) {
		if s.add(v) {
			next(s.acc)
		}
	}
}

// add accumulates v, or reports false: the stream has ended, now or before.
func (s *tryScanWithInner[T, A]) add(v T) bool {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return false
	}
	acc, err := s.fn(s.acc, v)
	if err != nil {
		s.Fail(err, v)
		return false
	}
	s.acc = acc
	return true
}

// OnComplete implements reactor.Subscriber.
func (s *tryScanWithInner[T, A]) OnComplete() {
	if !s.s.IsCancelled() {
		s.Link.OnComplete()
	}
}
