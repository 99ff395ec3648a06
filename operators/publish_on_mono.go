package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// MonoPublishOn delivers the signals of src, which sends at most one element, on
// scheduler: it is [PublishOn] without a queue and without a worker.
//
//	src:       1 |            on the goroutine of m
//	      MonoPublishOn(parallel)
//	out:       1 |            on a task of the scheduler
//
// Demand passes through. One task delivers the element and the completion, or the
// error. If the scheduler refuses the task, the stream fails with reactor.ErrRejected.
// Cancelling discards an element that was not delivered yet.
func MonoPublishOn[T any](src reactor.Publisher[T], scheduler schedulers.Scheduler) reactor.Publisher[T] {
	argument.NotNil("publishOn", "scheduler", scheduler)
	return &monoPublishOnPublisher[T]{src: protocol.Trust("publishOn", src), scheduler: foreign.Scheduler(scheduler)}
}

type monoPublishOnPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	scheduler schedulers.Scheduler
}

func (p *monoPublishOnPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &monoPublishOnSubscriber[T]{
		ctx: ctx, down: protocol.Strict(ctx, s), scheduler: p.scheduler,
	})
}

const (
	hopWaiting   = iota // nothing has come
	hopReady            // value or err is there; whoever moves on from here owns it
	hopDelivered        // signals are on their way
	hopCancelled
)

type monoPublishOnSubscriber[T any] struct {
	protocol.Inner
	ctx       context.Context
	down      reactor.Subscriber[T]
	scheduler schedulers.Scheduler
	up        reactor.Subscription // set by OnSubscribe
	ended     bool                 // touched by upstream's signals: nothing more counts
	state     atomic.Uint32

	// Written by upstream's signals before state becomes hopReady. Then they belong to
	// the call that moves state on.
	value    T
	hasValue bool
	err      error
}

func (s *monoPublishOnSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *monoPublishOnSubscriber[T]) OnNext(v T) {
	if s.ended {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.value, s.hasValue = v, true
	s.submit()
}

func (s *monoPublishOnSubscriber[T]) OnError(err error) {
	if s.ended {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.submit()
}

func (s *monoPublishOnSubscriber[T]) OnComplete() {
	if !s.ended {
		s.submit()
	}
}

// Request passes demand on.
func (s *monoPublishOnSubscriber[T]) Request(n int64) { s.up.Request(n) }

// Cancel stops upstream and discards the element unless it is on its way.
func (s *monoPublishOnSubscriber[T]) Cancel() {
	old := s.state.Swap(hopCancelled)
	if old != hopCancelled {
		defer s.up.Cancel() // also if the hook ends the goroutine
	}
	if old == hopReady {
		s.discard()
	}
}

// submit starts the task that delivers what has come.
func (s *monoPublishOnSubscriber[T]) submit() {
	s.ended = true
	if !s.state.CompareAndSwap(hopWaiting, hopReady) {
		s.discard()
		return
	}
	err := s.scheduler.Execute(s.deliver)
	if err == nil || !s.state.CompareAndSwap(hopReady, hopDelivered) {
		return
	}
	err = rejected(s.ctx, "publishOn", err, nil)
	cancel := func() {}
	if s.hasValue { // src has not ended
		cancel = s.up.Cancel
	}
	failure.InTurn(cancel, s.discard, func() { s.down.OnError(err) }) // each may end the goroutine
}

// deliver is the task.
func (s *monoPublishOnSubscriber[T]) deliver(context.Context) {
	if !s.state.CompareAndSwap(hopReady, hopDelivered) {
		return
	}
	switch {
	case s.err != nil:
		err := s.err
		s.err = nil
		s.down.OnError(err)
	case !s.hasValue:
		s.down.OnComplete()
	default:
		v := s.value
		s.value = *new(T)
		if protocol.Emit(s.ctx, s.down, v) && s.state.Load() != hopCancelled {
			s.down.OnComplete()
		}
	}
}

// discard gives up what was received; the caller owns it.
func (s *monoPublishOnSubscriber[T]) discard() {
	if s.hasValue {
		v := s.value
		s.value, s.hasValue = *new(T), false
		reactor.Discard(s.ctx, v)
	}
	if err := s.err; err != nil {
		s.err = nil
		reactor.DropError(s.ctx, err)
	}
}
