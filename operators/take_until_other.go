package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// TakeUntilOther passes elements on until other emits or completes, then cancels
// src and completes.
//
//	src:    1 - 2 - 3 - 4 - 5 |
//	other:  -------------- x
//	out:    1 - 2 - 3 - 4 -|
//
// other is subscribed before src. An error of other cancels src and ends the stream;
// when the stream ends otherwise, other is cancelled. Demand passes through. Signals
// come on the goroutine of src; the end that other causes comes on the goroutine of
// other.
func TakeUntilOther[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[T] {
	return &takeUntilPublisher[T]{
		src:     protocol.Trust("takeUntilOther", src),
		trigger: onSignal(protocol.Trust("takeUntilOther", other)),
	}
}

// TakeFor passes elements on until d has passed since the subscription, then
// cancels src and completes.
//
//	src:  1 - 2 - 3 - 4 - 5 |
//	      TakeFor(7 steps)
//	out:  1 - 2 - 3 - 4 -|
//
// With a duration of 0 the stream is empty. Demand passes through. The completion comes
// on schedulers.Parallel() unless [On] names another scheduler, everything else on the
// goroutine of src. If the scheduler refuses the timer, the stream fails with
// reactor.ErrRejected.
func TakeFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	argument.NotNegative("takeFor", "duration", d)
	p := &takeUntilPublisher[T]{
		src:     protocol.Trust("takeFor", src),
		trigger: afterDelay("takeFor", d, timerOf("takeFor", opts)),
	}
	if d == 0 {
		return Empty[T]()
	}
	return p
}

type takeUntilPublisher[T any] struct {
	protocol.Op
	src     reactor.Publisher[T]
	trigger trigger
}

func (p *takeUntilPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &takeUntilSubscriber[T]{}
	s.Init(ctx, sub)
	defer p.src.Subscribe(ctx, s) // also if a function that hears of what follows ends the goroutine
	p.trigger(ctx, s, 0, &s.Other)
}

type takeUntilSubscriber[T any] struct {
	paired.Until[T]
	push func(T) // hands elements to Down; taken by OnNext
}

func (s *takeUntilSubscriber[T]) OnNext(v T) {
	if !s.Out.Enter() {
		reactor.Discard(s.Ctx, v)
		return
	}
	if s.push == nil {
		s.push = protocol.Push(s.Down)
	}
	s.push(v)
	if s.Out.Leave() {
		s.Out.Settle()
	}
}

// Push implements protocol.Pusher.
func (s *takeUntilSubscriber[T]) Push() func(T) {
	if !s.Begun { // other may be about to give downstream its subscription, on another goroutine
		return s.OnNext
	}
	next := protocol.Push(s.Down)
	return func(v T) {
		if !s.Out.Enter() {
			reactor.Discard(s.Ctx, v)
			return
		}
		next(v)
		if s.Out.Leave() {
			s.Out.Settle()
		}
	}
}

func (s *takeUntilSubscriber[T]) fired(int64) { s.End(nil) }

func (s *takeUntilSubscriber[T]) failed(_ int64, err error) {
	if !s.End(err) {
		reactor.DropError(s.Ctx, err)
	}
}
