package resubscribe

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Stage is what concat, retry, repeat and onErrorResume have in common: one
// downstream and several upstreams, each subscribed when the one before has ended. A
// stage embeds it and adds what is to be done at the end of an upstream; neither need
// know the type of the elements, which a [Subscriber] passes by. Demand lives in the
// Succession, which is also the subscription handed down.
//
// Upstreams that end while they are subscribed to would recurse. So the next one is only
// announced to the drain loop, and the outermost call subscribes it.
type Stage struct {
	protocol.Quiet
	Succession
	Ctx       context.Context
	Down      protocol.Signals
	Subscribe func()           // subscribes the next upstream; called by the owner of the loop
	Produced  int64            // elements since the last swap; touched by the signals of upstream only
	Call      protocol.Calling // inside down.OnNext; touched by the signals of upstream only
	wanted    atomic.Bool      // the next upstream is due; set before the loop is announced to, reset by its owner
	loop      protocol.Drain   // runs DrainPass

	// Self, the stage, is handed down when the first upstream is there, so that each
	// request reaches that one by itself. It is nil from then on, and for stages that
	// introduce themselves before they subscribe.
	Self reactor.Subscription
}

// init sets the stage up for down, a subscriber of any type. Not inlined: called once, from the code of every type.
//
//go:noinline
func (s *Stage) init(ctx context.Context, down any) {
	s.Ctx, s.Down = ctx, down.(protocol.Signals)
}

// Shared returns the stage, which is what an owner embeds.
func (s *Stage) Shared() *Stage { return s }

func (s *Stage) OnSubscribe(up reactor.Subscription) {
	s.Set(up)
	if self := s.Self; self != nil {
		s.Self = nil
		s.Down.OnSubscribe(self)
	}
}

// Advance makes the loop subscribe the next upstream; the one before has ended.
func (s *Stage) Advance() {
	s.Ended()
	s.wanted.Store(true)
	s.loop.Run(s)
}

// DrainPass implements protocol.Drainer: it subscribes the next upstream if that is
// wanted and nobody has cancelled.
func (s *Stage) DrainPass() {
	if !s.wanted.Swap(false) {
		return
	}
	n := s.Produced
	s.Produced = 0
	if s.Next(n) {
		s.Subscribe()
	}
}

// owner is a stage that embeds a Stage.
type owner interface {
	protocol.Signals // of each upstream
	Shared() *Stage
}

// Subscriber is the subscriber of all upstreams of a stage.
type Subscriber[T any] struct {
	protocol.Inner
	stage owner
	Down  reactor.Subscriber[T]

	// Taken by the signals of upstream when they need it.
	next     func(T) // hands elements to Down
	straight func(T) // what Push returns for a source whose elements go straight to next
	within   func(T) // and come within runs that count
	send     func(T) // what it returns else
}

// New sets the stage up and returns its subscriber.
func New[T any](ctx context.Context, s reactor.Subscriber[T], stage owner) *Subscriber[T] {
	down := protocol.Strict(ctx, s)
	stage.Shared().init(ctx, down)
	return &Subscriber[T]{stage: stage, Down: down}
}

func (s *Subscriber[T]) OnSubscribe(up reactor.Subscription) { s.stage.OnSubscribe(up) }

func (s *Subscriber[T]) OnNext(v T) {
	next, stage := s.below(), s.stage.Shared()
	stage.Produced++
	stage.Call.Begin()
	sent := stage.Send(next, v)
	stage.Call.End()
	if !sent {
		reactor.Discard(stage.Ctx, v)
	}
}

// Push implements protocol.Pusher. One function serves all upstreams of a kind.
//
// Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *Subscriber[T]) Push() func(T) {
	stage := s.stage.Shared()
	if !stage.Straight() {
		if s.send == nil {
			s.send = s.OnNext
		}
		return s.send
	}
	kind := &s.straight
	if stage.isWithin() {
		kind = &s.within
	}
	if *kind == nil {
		*kind = s.through(stage)
	}
	return *kind
}

// through returns what Push returns for a source whose elements go straight to next. It does the work of a second such
// stage below, too: one call less.
func (s *Subscriber[T]) through(stage *Stage) func(T) {
	if second, ok := s.Down.(*Subscriber[T]); ok && second.stage.Shared().Straight() {
		next, inner := stage.Succession.Push(second.Down), second.stage.Shared()
		return func(v T) {
			stage.Produced++
			stage.Call.Begin()
			inner.Produced++
			inner.Call.Next(next, v)
			stage.Call.End()
		}
	}
	next := stage.Succession.Push(s.Down)
	return func(v T) {
		stage.Produced++
		stage.Call.Next(next, v)
	}
}

// below returns the function that hands elements to Down.
func (s *Subscriber[T]) below() func(T) {
	if s.next == nil {
		s.next = protocol.Push(s.Down)
	}
	return s.next
}

func (s *Subscriber[T]) OnError(err error) { s.stage.OnError(err) }

func (s *Subscriber[T]) OnComplete() { s.stage.OnComplete() }
