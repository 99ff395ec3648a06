package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// usingWhenSubscriber stands behind the used publisher of [UsingWhen].
type usingWhenSubscriber[T, R, C any] struct {
	protocol.Inner
	p         *usingWhenPublisher[T, R, C]
	ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription
	resource  R                  // taken by who begins to clean
	later     *protocol.Deferred // what downstream has got as its subscription, nil if nothing yet
	cleaning  atomic.Bool        // the resource is being released, or was
	cancelled atomic.Bool        // downstream does not wait for the end
	call      protocol.Calling   // inside down.OnNext; signals of upstream only
	value     T                  // the one element of a Mono; written before held is set, touched by the one who takes it
	held      atomic.Bool        // value waits for the end of the cleanup
}

func (s *usingWhenSubscriber[T, R, C]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if s.later != nil {
		s.later.Set(s)
		return
	}
	s.down.OnSubscribe(s)
}

func (s *usingWhenSubscriber[T, R, C]) OnNext(v T) {
	if s.p.single {
		s.discardValue()       // it is not the only one
		if s.cleaning.Load() { // who cleans may be about to take the one before
			reactor.Discard(s.ctx, v)
			return
		}
		s.value = v
		s.held.Store(true)
		if s.cleaning.Load() {
			s.discardValue()
		}
		return
	}
	s.call.Deliver(s.down, v)
}

func (s *usingWhenSubscriber[T, R, C]) OnError(err error) {
	if s.call.Failed() {
		// Downstream failed, which is a cancellation here.
		defer s.down.OnError(err) // also if the cleanup ends the goroutine
		s.abandon()
		return
	}
	if s.cleaning.Swap(true) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.clean(
		func() reactor.Publisher[C] { return s.p.cleanup.Error(pending.Take(&s.resource), err) },
		func(second error) { s.fail(failure.Both(second, err)) },
		func(second error) {
			if second == nil {
				s.fail(err)
			} else {
				s.fail(cleanupFailure("after the stream had failed", failure.Both(second, err)))
			}
		},
	)
}

func (s *usingWhenSubscriber[T, R, C]) OnComplete() {
	if s.cleaning.Swap(true) {
		return
	}
	s.clean(
		func() reactor.Publisher[C] { return s.p.cleanup.Complete(pending.Take(&s.resource)) },
		s.fail,
		func(err error) {
			if err == nil {
				s.complete()
			} else {
				s.fail(cleanupFailure("after the stream had completed", reactor.OperatorError(s.ctx, err, nil)))
			}
		},
	)
}

func (s *usingWhenSubscriber[T, R, C]) Request(n int64) { s.up.Request(n) }

func (s *usingWhenSubscriber[T, R, C]) Cancel() {
	if s.cancelled.Swap(true) || s.cleaning.Load() {
		return
	}
	defer s.abandon() // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

// abandon runs the cleanup of a cancelled stream, for which nobody waits.
func (s *usingWhenSubscriber[T, R, C]) abandon() {
	if s.cleaning.Swap(true) {
		return
	}
	drop := func(err error) {
		if err != nil {
			reactor.DropError(s.ctx, cleanupFailure("after the stream was cancelled", err))
		}
	}
	// Deferred: the discard hook may end the goroutine.
	defer s.clean(func() reactor.Publisher[C] { return s.p.cleanup.Cancel(pending.Take(&s.resource)) }, drop, drop)
	s.discardValue()
}

// clean runs the cleanup that supplier returns, or calls broken if supplier fails;
// ended gets the outcome.
func (s *usingWhenSubscriber[T, R, C]) clean(supplier func() reactor.Publisher[C], broken, ended func(error)) {
	var src reactor.Publisher[C]
	if failure.Guard(
		func() { src = protocol.Trust("usingWhen", supplier()) },
		func(err error) { broken(reactor.OperatorError(s.ctx, err, nil)) },
	) {
		src.Subscribe(context.WithoutCancel(s.ctx), &cleanupSubscriber[C]{ctx: s.ctx, ended: ended})
	}
}

func (s *usingWhenSubscriber[T, R, C]) complete() {
	if s.cancelled.Load() {
		s.discardValue()
		return
	}
	if s.held.Swap(false) {
		single.Last(s.ctx, s.down, pending.Take(&s.value))
		return
	}
	s.down.OnComplete()
}

func (s *usingWhenSubscriber[T, R, C]) fail(err error) {
	defer func() { // also if the discard hook ends the goroutine
		if s.cancelled.Load() {
			reactor.DropError(s.ctx, err)
			return
		}
		s.down.OnError(err)
	}()
	s.discardValue()
}

func (s *usingWhenSubscriber[T, R, C]) discardValue() {
	if s.held.Swap(false) {
		reactor.Discard(s.ctx, pending.Take(&s.value))
	}
}

func cleanupFailure(when string, err error) error {
	return &reactor.OpError{Op: "usingWhen", Kind: reactor.ErrCleanup, Detail: when, Cause: err}
}

// cleanupSubscriber runs a cleanup to its end.
type cleanupSubscriber[C any] struct {
	protocol.Inner
	ctx   context.Context
	ended func(error)
}

func (s *cleanupSubscriber[C]) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }

func (s *cleanupSubscriber[C]) OnNext(v C) { paired.Spend(s.ctx, v) }

func (s *cleanupSubscriber[C]) OnError(err error) { s.ended(err) }

func (s *cleanupSubscriber[C]) OnComplete() { s.ended(nil) }
