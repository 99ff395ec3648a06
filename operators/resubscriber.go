package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// resubscription is what concat, retry, repeat and onErrorResume have in common: one
// downstream and several upstreams, each subscribed when the one before has ended. A
// stage embeds it and adds what is to be done at the end of an upstream; neither need
// know the type of the elements, which a [resubscriber] passes by. Demand lives in the
// Arbiter, which is also the subscription handed down.
//
// Upstreams that end while they are subscribed to would recurse. So the next one is only
// announced to the drain loop, and the outermost call subscribes it.
type resubscription struct {
	protocol.Quiet
	protocol.Arbiter
	ctx       context.Context
	down      protocol.Signals
	subscribe func()           // subscribes the next upstream; called by the owner of the loop
	produced  int64            // elements since the last swap; touched by the signals of upstream only
	call      protocol.Calling // inside down.OnNext; touched by the signals of upstream only
	wanted    bool             // the next upstream is due; written before the loop is announced to, read by its owner
	loop      protocol.Drain   // runs DrainPass

	// self, the stage, is handed down when the first upstream is there, so that each
	// request reaches that one by itself. It is nil from then on, and for stages that
	// introduce themselves before they subscribe.
	self reactor.Subscription
}

// init sets the stage up for down, a subscriber of any type. Not inlined: called once, from the code of every type.
//
//go:noinline
func (s *resubscription) init(ctx context.Context, down any) {
	s.ctx, s.down = ctx, down.(protocol.Signals)
}

func (s *resubscription) shared() *resubscription { return s }

func (s *resubscription) OnSubscribe(up reactor.Subscription) {
	s.Set(up)
	if self := s.self; self != nil {
		s.self = nil
		s.down.OnSubscribe(self)
	}
}

// advance makes the loop subscribe the next upstream; the one before has ended.
func (s *resubscription) advance() {
	s.Ended()
	s.wanted = true
	s.loop.Run(s)
}

// DrainPass implements protocol.Drainer: it subscribes the next upstream if that is
// wanted and nobody has cancelled.
func (s *resubscription) DrainPass() {
	if !s.wanted {
		return
	}
	s.wanted = false
	n := s.produced
	s.produced = 0
	if s.Next(n) {
		s.subscribe()
	}
}

// resubscribing is a stage that embeds resubscription.
type resubscribing interface {
	protocol.Signals // of each upstream
	shared() *resubscription
}

// resubscriber is the subscriber of all upstreams of a stage.
type resubscriber[T any] struct {
	protocol.Inner
	stage resubscribing
	down  reactor.Subscriber[T]
	push  func(T) // what OnNext does
}

// newResubscriber sets the stage up and returns its subscriber.
func newResubscriber[T any](ctx context.Context, s reactor.Subscriber[T], stage resubscribing) *resubscriber[T] {
	shared := stage.shared()
	down := protocol.Strict(ctx, s)
	shared.init(ctx, down)
	next := protocol.Push(down)
	return &resubscriber[T]{stage: stage, down: down, push: func(v T) {
		shared.produced++
		shared.call.Next(next, v)
	}}
}

func (s *resubscriber[T]) OnSubscribe(up reactor.Subscription) { s.stage.OnSubscribe(up) }

func (s *resubscriber[T]) OnNext(v T) { s.push(v) }

// Push implements protocol.Pusher.
func (s *resubscriber[T]) Push() func(T) { return s.push }

func (s *resubscriber[T]) OnError(err error) { s.stage.OnError(err) }

func (s *resubscriber[T]) OnComplete() { s.stage.OnComplete() }
