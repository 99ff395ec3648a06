package operators

import (
	"context"
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// resubscriber is what concat, retry, repeat and onErrorResume have in common:
// one downstream and several upstreams, each subscribed when the one before has
// ended. The same subscriber serves them all. Demand lives in the Arbiter, which
// is also the subscription handed down.
//
// Upstreams that end while they are subscribed to would recurse: whoever wants
// the next one announces it to the drain loop, and the outermost call subscribes.
type resubscriber[T any] struct {
	protocol.Inner
	protocol.Arbiter
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T)        // what OnNext does, for all upstreams
	produced int64          // elements since the last swap; touched by the signals of upstream only
	calling  bool           // inside down.OnNext; touched by the signals of upstream only
	wanted   bool           // the next upstream is due; written before the loop is announced to, read by its owner
	loop     protocol.Drain // runs the DrainPass of the stage

	// self is handed down when the first upstream is there; nil from then on, and
	// for stages that introduce themselves before they subscribe.
	self reactor.Subscription
}

// begin sets the stage up and hands up, the stage itself, down as the subscription.
func (s *resubscriber[T]) begin(ctx context.Context, down reactor.Subscriber[T], up reactor.Subscription) {
	s.prepare(ctx, down, nil)
	s.down.OnSubscribe(up)
}

// prepare is begin for a stage whose downstream gets its subscription together
// with the first upstream's, so that each request reaches that one by itself.
func (s *resubscriber[T]) prepare(ctx context.Context, down reactor.Subscriber[T], up reactor.Subscription) {
	s.ctx, s.down, s.self = ctx, protocol.Strict(ctx, down), up
	next := protocol.Push(s.down)
	s.push = func(v T) {
		s.produced++
		s.calling = true
		next(v)
		s.calling = false
	}
}

func (s *resubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Set(up)
	if self := s.self; self != nil {
		s.self = nil
		s.down.OnSubscribe(self)
	}
}

func (s *resubscriber[T]) OnNext(v T) { s.push(v) }

// Push implements protocol.Pusher.
func (s *resubscriber[T]) Push() func(T) { return s.push }

// advance makes the loop of o, the stage itself, subscribe the next upstream.
func (s *resubscriber[T]) advance(o protocol.Drainer) {
	s.wanted = true
	s.loop.Run(o)
}

// due reports, in a drain pass, whether to subscribe the next upstream now: it is
// wanted, and nobody has cancelled.
func (s *resubscriber[T]) due() bool {
	if !s.wanted {
		return false
	}
	s.wanted = false
	n := s.produced
	s.produced = 0
	return s.Next(n)
}

// DrainCrashed implements protocol.Drainer. Subscribing does not panic; a Goexit
// in it was delivered already, as the failure of the upstream concerned.
func (s *resubscriber[T]) DrainCrashed(err error) {
	if !errors.Is(err, reactor.ErrGoexit) {
		reactor.DropError(s.ctx, err)
	}
}
