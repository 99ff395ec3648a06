package sinks

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// OneSink is a sink for at most one element: a promise. Its outcome, an element, an error
// or none, goes to all who have subscribed and to all who come later; an element waits for
// demand. All methods may be called from any goroutine.
type OneSink[T any] struct {
	promise *promise[T]
	guard   *guard // nil for an unsafe sink
}

// EmptySink is a sink without elements: it completes or fails, for all who have subscribed
// and all who come later, and needs no demand. All methods may be called from any
// goroutine.
type EmptySink[T any] struct {
	promise *promise[T]
	guard   *guard // nil for an unsafe sink
}

func (s *OneSink[T]) made() *promise[T] {
	if s.promise == nil {
		unmade("OneSink", "One")
	}
	return s.promise
}

func (s *EmptySink[T]) made() *promise[T] {
	if s.promise == nil {
		unmade("EmptySink", "Empty")
	}
	return s.promise
}

// Subscribe makes sub a subscriber (see [reactor.Publisher]).
func (s *OneSink[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s.made().Subscribe(ctx, sub)
}

// Source returns only the publisher side of the sink, for code that must not emit.
func (s *OneSink[T]) Source() reactor.Publisher[T] { return s.made() }

// CurrentSubscriberCount returns the number of subscribers, 0 after the end.
func (s *OneSink[T]) CurrentSubscriberCount() int { return s.made().set.Len() }

// TryEmitValue emits v and completes. Unless the result is OK, v is still the caller's.
func (s *OneSink[T]) TryEmitValue(v T) EmitResult {
	return s.made().try(s.guard, reactor.NextSignal(v))
}

// TryEmitEmpty completes without an element.
func (s *OneSink[T]) TryEmitEmpty() EmitResult {
	return s.made().try(s.guard, reactor.CompleteSignal[T]())
}

// TryEmitError fails the sink with err.
func (s *OneSink[T]) TryEmitError(err error) EmitResult {
	return s.made().try(s.guard, reactor.ErrorSignal[T](err))
}

// EmitValue is TryEmitValue, but tries again as long as h says so. If v is not accepted, it
// returns an [*EmissionError], and v is reported as dropped (FailTerminated) or still the
// caller's (FailNonSerialized).
func (s *OneSink[T]) EmitValue(v T, h FailureHandler) error {
	result := retrying(h, reactor.KindNext, func() EmitResult { return s.TryEmitValue(v) })
	if result == FailTerminated {
		reactor.DropNext(context.Background(), v)
	}
	return result.Err()
}

// EmitEmpty is TryEmitEmpty, but tries again as long as h says so. If the completion is not
// accepted, it returns an [*EmissionError].
func (s *OneSink[T]) EmitEmpty(h FailureHandler) error {
	return retrying(h, reactor.KindComplete, s.TryEmitEmpty).Err()
}

// EmitError is TryEmitError, but tries again as long as h says so. If the error is not
// accepted, it returns an [*EmissionError]; on a sink that has ended before, err is
// reported as dropped.
func (s *OneSink[T]) EmitError(err error, h FailureHandler) error {
	return emitError(err, h, context.Background, s.TryEmitError)
}

// Subscribe makes sub a subscriber (see [reactor.Publisher]).
func (s *EmptySink[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s.made().Subscribe(ctx, sub)
}

// Source returns only the publisher side of the sink, for code that must not emit.
func (s *EmptySink[T]) Source() reactor.Publisher[T] { return s.made() }

// CurrentSubscriberCount returns the number of subscribers, 0 after the end.
func (s *EmptySink[T]) CurrentSubscriberCount() int { return s.made().set.Len() }

// TryEmitEmpty completes the sink.
func (s *EmptySink[T]) TryEmitEmpty() EmitResult {
	return s.made().try(s.guard, reactor.CompleteSignal[T]())
}

// TryEmitError fails the sink with err.
func (s *EmptySink[T]) TryEmitError(err error) EmitResult {
	return s.made().try(s.guard, reactor.ErrorSignal[T](err))
}

// EmitEmpty is TryEmitEmpty, but tries again as long as h says so. If the completion is not
// accepted, it returns an [*EmissionError].
func (s *EmptySink[T]) EmitEmpty(h FailureHandler) error {
	return retrying(h, reactor.KindComplete, s.TryEmitEmpty).Err()
}

// EmitError is TryEmitError, but tries again as long as h says so. If the error is not
// accepted, it returns an [*EmissionError]; on a sink that has ended before, err is
// reported as dropped.
func (s *EmptySink[T]) EmitError(err error, h FailureHandler) error {
	return emitError(err, h, context.Background, s.TryEmitError)
}

// promise is one outcome for any number of subscribers.
type promise[T any] struct {
	protocol.Op
	set     multicast.Set[*single.Waiter[T]]
	outcome atomic.Pointer[reactor.Signal[T]] // stored before set is closed
}

func (p *promise[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := single.NewWaiter(ctx, s, p)
	defer p.add(sub) // also if downstream ends the goroutine
	sub.Introduce()
}

func (p *promise[T]) add(sub *single.Waiter[T]) {
	switch {
	case sub.IsOver():
	case !p.set.Add(sub):
		sub.Settle(*p.outcome.Load(), nil)
	case sub.IsOver():
		p.set.Remove(sub)
	}
}

// try settles the promise for one emission.
func (p *promise[T]) try(g *guard, sig reactor.Signal[T]) EmitResult {
	if !g.enter() {
		return FailNonSerialized
	}
	defer g.leave()
	if !p.outcome.CompareAndSwap(nil, &sig) {
		return FailTerminated
	}
	multicast.Each(p.set.Close(), func(sub *single.Waiter[T]) { sub.Settle(sig, nil) })
	return OK
}

// Leave takes sub out of those who wait.
func (p *promise[T]) Leave(sub *single.Waiter[T]) { p.set.Remove(sub) }
