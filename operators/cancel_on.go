package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// CancelOn cancels src on scheduler, for sources whose clean-up blocks.
//
// Everything else passes through on the goroutine where it is. If the scheduler
// refuses, src is cancelled on the goroutine that cancels. If the scheduler accepts the
// task and drops it later, because it is shut down, src is not cancelled.
func CancelOn[T any](src reactor.Publisher[T], scheduler schedulers.Scheduler) reactor.Publisher[T] {
	argument.NotNil("cancelOn", "scheduler", scheduler)
	return &cancelOnPublisher[T]{src: protocol.Trust("cancelOn", src), scheduler: foreign.Scheduler(scheduler)}
}

type cancelOnPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	scheduler schedulers.Scheduler
}

func (p *cancelOnPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &cancelOnSubscriber[T]{down: protocol.Strict(ctx, s), scheduler: p.scheduler})
}

type cancelOnSubscriber[T any] struct {
	protocol.Inner
	down      reactor.Subscriber[T]
	scheduler schedulers.Scheduler
	up        reactor.Subscription // set by OnSubscribe
	cancelled atomic.Bool
}

func (s *cancelOnSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *cancelOnSubscriber[T]) OnNext(v T) { s.down.OnNext(v) }

// Push implements protocol.Pusher.
func (s *cancelOnSubscriber[T]) Push() func(T) { return protocol.Push(s.down) }

func (s *cancelOnSubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *cancelOnSubscriber[T]) OnComplete() { s.down.OnComplete() }

// Request passes demand on.
func (s *cancelOnSubscriber[T]) Request(n int64) { s.up.Request(n) }

// Cancel has upstream cancelled on the scheduler, once.
func (s *cancelOnSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	if err := s.scheduler.Execute(func(context.Context) { s.up.Cancel() }); err != nil {
		s.up.Cancel()
	}
}
