package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// subscribeContinuing subscribes, in place of the subscriber of a stage that calls a
// function for every element, one that goes on when the function fails. step returns
// the result, whether there is one, and the error if the function has one; it may
// panic. An element for which step returns no result goes to skipped, unless that is
// nil, and is replaced by requesting one more.
//
// The stage calls it if protocol.Continuing finds an OnErrorContinue in force. Not
// inlined: hardly any stream needs it.
//
//go:noinline
func subscribeContinuing[T, R any](
	ctx context.Context, cont *protocol.Continuation, src reactor.Publisher[T], s reactor.Subscriber[R],
	step func(T) (R, bool, error), skipped func(any),
) {
	src.Subscribe(ctx, &continuingSubscriber[T, R]{
		ctx: ctx, down: protocol.Strict(ctx, s), step: step, skipped: skipped, cont: cont,
	})
}

// continuingSubscriber guards every call of its function, which is why it exists
// beside the ordinary subscribers.
type continuingSubscriber[T, R any] struct {
	protocol.Inner
	ctx       context.Context
	down      reactor.Subscriber[R]
	up        reactor.Subscription // set by OnSubscribe
	step      func(T) (R, bool, error)
	skipped   func(any)
	cont      *protocol.Continuation
	unbounded atomic.Bool // demand is unlimited: no need to replace what is dropped
	done      bool        // touched by the signals of upstream only
}

func (s *continuingSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *continuingSubscriber[T, R]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	r, ok, err := s.attempt(v)
	if ok && err == nil {
		s.down.OnNext(r)
		return
	}
	if err != nil {
		if err = s.cont.Take(err, v); err != nil {
			s.done = true
			s.up.Cancel()
			err = reactor.OperatorError(s.ctx, err, v)
			reactor.Discard(s.ctx, v)
			s.down.OnError(err)
			return
		}
	} else if s.skipped != nil {
		s.skipped(v)
	}
	if !s.unbounded.Load() {
		s.up.Request(1)
	}
}

// attempt calls the function and turns a panic into an error. After a Goexit it does
// not return: that unwinds to the guard of the source, as ever.
func (s *continuingSubscriber[T, R]) attempt(v T) (r R, ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = protocol.Recovered(p)
		}
	}()
	return s.step(v)
}

func (s *continuingSubscriber[T, R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *continuingSubscriber[T, R]) OnComplete() {
	if !s.done {
		s.done = true
		s.down.OnComplete()
	}
}

func (s *continuingSubscriber[T, R]) Request(n int64) {
	if n == reactor.Unbounded {
		s.unbounded.Store(true)
	}
	s.up.Request(n)
}

func (s *continuingSubscriber[T, R]) Cancel() { s.up.Cancel() }
