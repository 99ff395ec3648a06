package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
	"github.com/goreactor/reactor/internal/stage/single"
)

// ScanWith emits a seed and then, for every element, the result of fn for the previous
// result and that element.
//
//	src:  1 ----- 2 --- 3 |
//	      ScanWith(() => 10, sum)
//	out:  10-11 - 13 -- 16 |
//
// seed runs once per subscription. Its result goes down with the first request, and
// then src is subscribed and gets the demand that is left. A panic of seed is the error
// of the stream; a panic of fn cancels src and ends the stream; for functions that fail
// in the ordinary way there is [TryScanWith]. A seed that is not emitted because of a
// cancellation is discarded. fn runs on the goroutine of src.
func ScanWith[T, A any](src reactor.Publisher[T], seed func() A, fn func(acc A, v T) A) reactor.Publisher[A] {
	argument.Given("scanWith", "seed", seed != nil)
	argument.Given("scanWith", "function", fn != nil)
	return &scanWithPublisher[T, A]{
		op:   "scanWith",
		src:  protocol.Trust("scanWith", src),
		seed: func() (A, error) { return seed(), nil },
		attach: func(s *scanWithStage[T, A], acc A) reactor.Subscriber[T] {
			return &scanWithInner[T, A]{s: s, down: s.sub.Down, fn: fn, acc: acc}
		},
	}
}

type scanWithPublisher[T, A any] struct {
	protocol.Op
	op   string
	src  reactor.Publisher[T]
	seed func() (A, error) // may panic
	// attach makes the subscriber of src.
	attach func(s *scanWithStage[T, A], acc A) reactor.Subscriber[T]
}

func (p *scanWithPublisher[T, A]) Subscribe(ctx context.Context, s reactor.Subscriber[A]) {
	stage := &scanWithStage[T, A]{p: p}
	stage.sub = resubscribe.New(ctx, s, stage)
	stage.Subscribe = stage.subscribeNext
	defer stage.Advance() // also if downstream ends the goroutine
	stage.Down.OnSubscribe(stage)
}

// scanWithStage emits the seed as its first upstream, and then stands for the
// second one, src, as far as the subscription is concerned.
type scanWithStage[T, A any] struct {
	resubscribe.Stage
	sub  *resubscribe.Subscriber[A]
	p    *scanWithPublisher[T, A]
	seed *single.Scalar[A] // nil until the first pass; owner of the loop
	acc  A                 // the seed, for src; owner of the loop
}

func (s *scanWithStage[T, A]) OnError(err error) { s.Down.OnError(err) }

// OnComplete is called after the seed.
func (s *scanWithStage[T, A]) OnComplete() { s.Advance() }

func (s *scanWithStage[T, A]) subscribeNext() {
	if s.seed != nil {
		s.p.src.Subscribe(s.Ctx, s.p.attach(s, s.acc))
		s.acc = *new(A)
		return
	}
	failed := func(err error) { s.Down.OnError(reactor.OperatorError(s.Ctx, err, nil)) }
	var err error
	if !failure.Guard(func() { s.acc, err = s.p.seed() }, failed) {
		return
	}
	if err != nil {
		failed(err)
		return
	}
	s.seed = single.NewScalar(s.Ctx, reactor.Subscriber[A](s.sub), s.acc)
	s.Set(s.seed)
}

// scanWithInner is subscribed to src.
type scanWithInner[T, A any] struct {
	protocol.Inner
	s    *scanWithStage[T, A]
	down reactor.Subscriber[A]
	fn   func(acc A, v T) A
	acc  A // signals of upstream
}

func (s *scanWithInner[T, A]) OnSubscribe(up reactor.Subscription) { s.s.Set(up) }

func (s *scanWithInner[T, A]) OnNext(v T) {
	s.acc = s.fn(s.acc, v)
	s.s.sub.OnNext(s.acc)
}

// Push implements protocol.Pusher.
func (s *scanWithInner[T, A]) Push() func(T) {
	if !s.s.Straight() {
		return s.OnNext
	}
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		s.acc = fn(s.acc, v)
		next(s.acc)
	}
}

func (s *scanWithInner[T, A]) OnError(err error) { s.down.OnError(err) }

func (s *scanWithInner[T, A]) OnComplete() {
	if !s.s.IsCancelled() {
		s.down.OnComplete()
	}
}
