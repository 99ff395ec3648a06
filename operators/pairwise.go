package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Pairwise emits fn(a, b) for each two neighbours: n elements give n - 1 results. Project Reactor
// has no such operator. The name is that of RxJS and ro.
//
//	src:  1 --- 3 --- 6 |
//	      Pairwise((a, b) => b - a)
//	out:  ----- 2 --- 3 |
//
// Demand passes through; one more element is requested when the first one has come. At the end or
// at a cancellation an element without a neighbour is discarded. A panic of fn cancels src and ends
// the stream. fn runs on the goroutine of src.
func Pairwise[T, R any](src reactor.Publisher[T], fn func(a, b T) R) reactor.Publisher[R] {
	argument.Given("pairwise", "function", fn != nil)
	return &pairwisePublisher[T, R]{src: protocol.Trust("pairwise", src), fn: fn}
}

type pairwisePublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(a, b T) R
}

func (p *pairwisePublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	down := protocol.Strict(ctx, s)
	sub := &pairwiseSubscriber[T, R]{fn: p.fn, down: down}
	sub.Ctx, sub.Down = ctx, down
	sub.first.Init(ctx)
	p.src.Subscribe(ctx, sub)
}

// pairwiseSubscriber keeps the first element where a cancellation finds it, until there is a second one. From then on
// each has been given to fn.
type pairwiseSubscriber[T, R any] struct {
	elementwise.Passing
	fn        func(a, b T) R
	down      reactor.Subscriber[R]
	push      func(R) // hands results to down; taken with the second element
	first     pending.Buffer[T]
	unbounded atomic.Bool // no need to replace the first one; set by downstream

	// Touched by the signals of upstream only.
	last   T
	begun  bool // the first element has come
	paired bool // there is a last
}

func (s *pairwiseSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *pairwiseSubscriber[T, R]) OnNext(v T) {
	if s.paired {
		a := s.last
		s.last = v
		s.push(s.fn(a, v))
		return
	}
	s.begin(v)
}

// Push implements protocol.Pusher.
func (s *pairwiseSubscriber[T, R]) Push() func(T) { return s.OnNext }

// begin takes the first and the second element.
func (s *pairwiseSubscriber[T, R]) begin(v T) {
	if !s.begun {
		s.begun = true
		if s.first.Push(v) && !s.unbounded.Load() {
			s.Up.Request(1)
		}
		return
	}
	a, ok := s.first.Pop()
	if !ok { // cancelled
		pending.Discard(s.first.Discard, v)
		return
	}
	s.last, s.paired, s.push = v, true, protocol.Push(s.down)
	s.push(s.fn(a, v))
}

func (s *pairwiseSubscriber[T, R]) OnError(err error) {
	s.last = *new(T)
	defer s.first.End() // also if downstream ends the goroutine
	s.Link.OnError(err)
}

func (s *pairwiseSubscriber[T, R]) OnComplete() {
	s.last = *new(T)
	defer s.first.End() // also if downstream ends the goroutine
	s.Link.OnComplete()
}

// Request passes demand on.
func (s *pairwiseSubscriber[T, R]) Request(n int64) {
	if n == reactor.Unbounded {
		s.unbounded.Store(true)
	}
	s.Up.Request(n)
}

// Cancel stops upstream.
func (s *pairwiseSubscriber[T, R]) Cancel() {
	defer s.first.Close() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()
}
