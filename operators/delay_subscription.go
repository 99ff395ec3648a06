package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// DelaySubscription subscribes to src when other emits or completes.
//
//	other:  ----- x
//	src:          1 - 2 - 3 |
//	out:    ----- 1 - 2 - 3 |
//
// An error of other ends the stream. Demand is kept until src is subscribed, and then
// passes through. Cancelling cancels other, or src once src is subscribed. src is
// subscribed on the goroutine of other.
func DelaySubscription[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[T] {
	return &delaySubscriptionPublisher[T, U]{
		src:   protocol.Trust("delaySubscription", src),
		other: protocol.Trust("delaySubscription", other),
	}
}

// DelaySubscriptionFor subscribes to src when d has passed.
//
//	        DelaySubscriptionFor(5 steps)
//	src:          1 - 2 - 3 |
//	out:    ----- 1 - 2 - 3 |
//
// Demand is kept until then. src is subscribed on schedulers.Parallel() unless
// [On] names another scheduler; if it refuses the timer, the stream fails with
// reactor.ErrRejected.
func DelaySubscriptionFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	return &delaySubscriptionPublisher[T, int64]{
		src:   protocol.Trust("delaySubscription", src),
		other: newDelay("delaySubscription", d, opts),
	}
}

type delaySubscriptionPublisher[T, U any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	other reactor.Publisher[U]
}

func (p *delaySubscriptionPublisher[T, U]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	p.other.Subscribe(ctx, &delaySubscriptionOther[T, U]{ctx: ctx, down: protocol.Strict(ctx, sub), src: p.src})
}

// delaySubscriptionOther waits for the first signal of other. It is downstream's
// subscription, too.
type delaySubscriptionOther[T, U any] struct {
	protocol.Inner
	protocol.Deferred // to src
	ctx               context.Context
	down              reactor.Subscriber[T]
	src               reactor.Publisher[T]
	other             protocol.Deferred
	done              bool // touched by other's signals
}

func (s *delaySubscriptionOther[T, U]) OnSubscribe(up reactor.Subscription) {
	defer func() { // also if downstream ends the goroutine
		if s.other.Set(up) {
			up.Request(reactor.Unbounded)
		}
	}()
	s.down.OnSubscribe(s)
}

func (s *delaySubscriptionOther[T, U]) OnNext(v U) {
	defer paired.Spend(s.ctx, v)
	if !s.done {
		s.done = true
		defer s.subscribe() // also if a function that hears of what follows ends the goroutine
		s.other.Cancel()
	}
}

func (s *delaySubscriptionOther[T, U]) OnError(err error) {
	if s.done || !s.other.Close() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *delaySubscriptionOther[T, U]) OnComplete() {
	if !s.done {
		s.done = true
		s.other.Close()
		s.subscribe()
	}
}

// Cancel cancels whatever is subscribed.
func (s *delaySubscriptionOther[T, U]) Cancel() {
	defer s.Deferred.Cancel() // also if a function that hears of the first ends the goroutine
	s.other.Cancel()
}

func (s *delaySubscriptionOther[T, U]) subscribe() {
	if !s.IsCancelled() {
		s.src.Subscribe(s.ctx, &delaySubscriptionMain[T]{down: s.down, link: &s.Deferred})
	}
}

// delaySubscriptionMain passes on the signals of src.
type delaySubscriptionMain[T any] struct {
	protocol.Inner
	down reactor.Subscriber[T]
	link *protocol.Deferred
}

func (s *delaySubscriptionMain[T]) OnSubscribe(up reactor.Subscription) { s.link.Set(up) }

func (s *delaySubscriptionMain[T]) OnNext(v T) { s.down.OnNext(v) }

// Push implements protocol.Pusher.
func (s *delaySubscriptionMain[T]) Push() func(T) { return protocol.Push(s.down) }

func (s *delaySubscriptionMain[T]) OnError(err error) { s.down.OnError(err) }

func (s *delaySubscriptionMain[T]) OnComplete() { s.down.OnComplete() }
