package sinks

import (
	"context"

	"github.com/goreactor/reactor"
)

// ManySink is a sink for any number of elements. [Many] and [Unsafe] make it, and decide
// which subscribers get an element and which elements may wait. All methods may be called
// from any goroutine.
type ManySink[T any] struct {
	core  core[T]
	guard *guard // nil for an unsafe sink
}

// core is what distinguishes the sinks. Emissions are serial, but may come from within the
// delivery of another one.
type core[T any] interface {
	reactor.Publisher[T]
	next(v T) EmitResult
	end(err error) EmitResult // nil completes
	subscribers() int
	// line returns where emissions wait.
	line() *line
	// context returns the context whose hooks take what EmitNext can't deliver.
	context() context.Context
}

// made returns the core, and panics for a sink that no function of this package has made.
func (s *ManySink[T]) made() core[T] {
	if s.core == nil {
		unmade("ManySink", "Many")
	}
	return s.core
}

func unmade(sink, by string) {
	panic("reactor: sink: the zero " + sink + " can't be used, sinks." + by + " makes one")
}

// Subscribe makes sub a subscriber (see [reactor.Publisher]).
func (s *ManySink[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s.made().Subscribe(ctx, sub)
}

// Source returns only the publisher side of the sink, for code that must not emit.
func (s *ManySink[T]) Source() reactor.Publisher[T] { return s.made() }

// CurrentSubscriberCount returns the number of subscribers.
func (s *ManySink[T]) CurrentSubscriberCount() int { return s.made().subscribers() }

// TryEmitNext emits v. Unless the result is OK, v is still the caller's.
func (s *ManySink[T]) TryEmitNext(v T) EmitResult {
	if !s.guard.enter() {
		return FailNonSerialized
	}
	defer s.guard.leave()
	return s.made().next(v)
}

// TryEmitError fails the sink with err.
func (s *ManySink[T]) TryEmitError(err error) EmitResult { return s.tryEnd(reactor.NonNil(err)) }

// TryEmitComplete completes the sink.
func (s *ManySink[T]) TryEmitComplete() EmitResult { return s.tryEnd(nil) }

func (s *ManySink[T]) tryEnd(err error) EmitResult {
	if !s.guard.enter() {
		return FailNonSerialized
	}
	defer s.guard.leave()
	return s.made().end(err)
}

// EmitNext emits v, and tries again as long as h says so. If v is not accepted, it returns
// an [*EmissionError], and v is discarded (FailOverflow, FailCancelled,
// FailZeroSubscriber), reported as dropped (FailTerminated), or still the caller's
// (FailNonSerialized). An overflow also fails the sink.
func (s *ManySink[T]) EmitNext(v T, h FailureHandler) error {
	result := retrying(h, reactor.KindNext, func() EmitResult { return s.TryEmitNext(v) })
	switch result {
	case FailTerminated:
		reactor.DropNext(s.made().context(), v)
	case FailCancelled, FailZeroSubscriber:
		reactor.Discard(s.made().context(), v)
	case FailOverflow:
		ctx := s.made().context()
		reactor.Discard(ctx, v)
		overflow := reactor.Failure("sink", reactor.ErrOverflow, "no room or no demand for an element")
		// It fails only if the sink has ended meanwhile, or on overlapping calls: the
		// caller hears of the overflow in any case.
		_ = s.EmitError(overflow, h)
	}
	return result.Err()
}

// EmitError fails the sink with err, and tries again as long as h says so. If the error is
// not accepted, it returns an [*EmissionError]; on a sink that has ended before, err is
// reported as dropped.
func (s *ManySink[T]) EmitError(err error, h FailureHandler) error {
	return emitError(err, h, s.made().context, s.TryEmitError)
}

// EmitComplete completes the sink, and tries again as long as h says so. If the completion
// is not accepted, it returns an [*EmissionError].
func (s *ManySink[T]) EmitComplete(h FailureHandler) error {
	return retrying(h, reactor.KindComplete, s.TryEmitComplete).Err()
}

func emitError(err error, h FailureHandler, ctx func() context.Context, try func(error) EmitResult) error {
	err = reactor.NonNil(err)
	result := retrying(h, reactor.KindError, func() EmitResult { return try(err) })
	if result == OK {
		return nil
	}
	if result == FailTerminated {
		reactor.DropError(ctx(), err)
	}
	return &EmissionError{Result: result, Cause: err}
}
