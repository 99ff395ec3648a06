package operators

import (
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// concatMapInner receives the signals of the inner publishers, one after the other.
type concatMapInner[T, R any] struct {
	protocol.Inner
	arbiter  protocol.Arbiter // the demand, and the subscription of the current publisher
	main     *concatMapSubscriber[T, R]
	produced int64            // elements of the current publisher
	call     protocol.Calling // on the way down

	// Touched by the signals of the current publisher only.
	runs   bool    // main.out is told of its runs
	plain  bool    // it feeds what is below by itself, see pass
	inRuns func(R) // what Push returns then; made by the first that tells of them
	others func(R) // what it returns else; made by the first of these
}

func (in *concatMapInner[T, R]) OnSubscribe(up reactor.Subscription) {
	if in.main.out.Attach(up) { // else the next publisher may begin before a run of this one is over, on another goroutine
		in.runs = true
		in.pass(up)
	}
	in.arbiter.Set(up)
}

// pass lets a publisher whose elements involve no function of the user send them straight to the
// stage below, if everything is requested, so that nobody has to count: the publisher checks before
// each element whether it was cancelled.
func (in *concatMapInner[T, R]) pass(up reactor.Subscription) {
	sync, ok := up.(protocol.Synchronous)
	in.plain = ok && sync.Feeds(in) && in.arbiter.IsUnbounded()
}

func (in *concatMapInner[T, R]) OnNext(v R) {
	s := in.main
	if s.stop.Load() {
		pending.Discard(s.discard, v)
		return
	}
	in.produced++
	in.call.Begin()
	if s.errors != errorsAtOnce || s.done.Load() {
		// Nobody else sends a terminal signal.
		s.PushDown(v)
	} else if !s.out.DeliverTo(s.PushDown, v) {
		pending.Discard(s.discard, v)
	}
	in.call.End()
}

// Push implements protocol.Pusher. One function serves all publishers.
func (in *concatMapInner[T, R]) Push() func(R) {
	if in.plain {
		return in.main.PushDown
	}
	if !in.runs {
		if in.others == nil {
			in.others = in.OnNext
		}
		return in.others
	}
	if in.inRuns == nil {
		in.inRuns = in.pushInRuns()
	}
	return in.inRuns
}

// pushInRuns returns the function that does the work of OnNext in runs: code that ends the stream
// from elsewhere has set stop before.
//
// Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (in *concatMapInner[T, R]) pushInRuns() func(R) {
	s, push := in.main, in.main.PushDown
	return func(v R) {
		if s.stop.Load() {
			pending.Discard(s.discard, v)
			return
		}
		in.produced++
		in.call.Next(push, v)
	}
}

func (in *concatMapInner[T, R]) OnError(err error) {
	s := in.main
	if in.call.Failed() || in.plain {
		// It is the failure of an element on its way down from here.
		in.plain = false
		s.abort(err)
		return
	}
	if s.stop.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.cont.TakeAnd(err, nil, in.endWith)
}

// endWith ends the current publisher with its failure, or nil if that was taken.
func (in *concatMapInner[T, R]) endWith(err error) {
	s := in.main
	if err == nil {
		in.OnComplete()
		return
	}
	if s.errors == errorsAtOnce {
		s.abort(err)
		return
	}
	defer in.OnComplete() // also if a function that hears of what follows ends the goroutine
	if s.errors == errorsAtBoundary {
		defer s.done.Store(true)
		defer s.keep(err)
		s.up.Cancel()
		return
	}
	s.keep(err)
}

func (in *concatMapInner[T, R]) OnComplete() {
	s := in.main
	n := in.produced
	in.produced, in.plain = 0, false
	in.arbiter.Produced(n)
	if in.runs {
		in.runs = false // the next one may ask for a function before it has sent OnSubscribe
		s.out.EndRun()
	}
	chaos.Yield()
	s.active.Store(false)
	s.drain.Run(s)
}

// cancelInner cancels the publisher that is at work.
func (s *concatMapSubscriber[T, R]) cancelInner() {
	s.caller.stop(s.ctx)
	s.inner.arbiter.Cancel()
}

// abort ends the stream with an error that isn't held back, when no inner publisher is at
// work any more. The failure of an element on its way down comes here too.
func (s *concatMapSubscriber[T, R]) abort(err error) {
	s.stop.Store(true)
	defer s.drain.Run(s)
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		if unheard := s.out.SourceEnd(err); unheard != nil {
			reactor.DropError(s.ctx, unheard)
		}
	})
}

// askBeside asks the source for n more elements before v is dealt with. If a function that hears of
// the request ends the goroutine, nobody deals with v; so the stream fails, unless the source has
// reported that Goexit.
func (s *concatMapSubscriber[T, R]) askBeside(n int64, v T) {
	failure.Unwinding(func() { failure.Beside(s.ctx, v, func() { s.up.Request(n) }) }, func(goexit bool) {
		if goexit && !errors.Is(s.failures.Peek(), reactor.ErrGoexit) {
			s.abort(failure.Recovered(nil))
		}
	})
}

// emit sends the element of a publisher that has just one, now if there is demand.
func (s *concatMapSubscriber[T, R]) emit(v R) {
	if s.alone { // nobody else sends an end
		s.InFlight.Send(s.PushDown, v)
		return
	}
	if !s.inner.arbiter.Take() {
		s.active.Store(true)
		s.inner.OnSubscribe(single.NewScalar(s.ctx, &s.inner, v))
		return
	}
	s.InFlight.Hold(v)
	sent := s.out.DeliverTo(s.PushDown, v)
	s.InFlight.Clear()
	if !sent {
		pending.Discard(s.discard, v)
	}
}

// call takes the element of a publisher that has one at most.
func (s *concatMapSubscriber[T, R]) call(c direct.Callable[R], v T) {
	var (
		r    R
		some bool
		err  error
	)
	returned := failure.Guard(func() { r, some, err = c.Call(s.ctx) }, func(err error) { s.callFailed(v, err) })
	switch {
	case !returned:
	case err != nil:
		s.callFailed(v, err)
	case some:
		s.emit(r)
	}
}

// waits reports whether a function has to wait for demand, or the source for the function.
func (s *concatMapSubscriber[T, R]) waits() bool {
	return s.prefetch == 0 || !s.inner.arbiter.IsUnbounded()
}

// callFunc calls a function as the subscription to its publisher would, if everything is asked for. It reports whether it has.
func (s *concatMapSubscriber[T, R]) callFunc(f funcPublisher[R]) bool {
	if s.waits() {
		return false
	}
	call := s.caller.begin(s.ctx)
	if call == nil {
		return false
	}
	if v, ok := calledBy(f, &s.caller, s.ctx, call, s.inner.OnError); ok {
		s.emit(v)
	}
	return true
}

// compute computes p in the place of a subscription, if everything is asked for. It returns the publisher that has to be subscribed to,
// or nil if there is none: if p could not be computed, p.
func (s *concatMapSubscriber[T, R]) compute(p reactor.Publisher[R], way direct.Way) reactor.Publisher[R] {
	if s.waits() {
		return p
	}
	call := s.caller.beginInPlace(s.ctx, way)
	if call == nil {
		return p
	}
	v, how, rest := computedBy(p, &s.caller, s.ctx, call, s.inner.OnError)
	if how == outcomeOne {
		s.emit(v)
	}
	return rest
}

// fnFailed takes the failure of the function, called with v.
func (s *concatMapSubscriber[T, R]) fnFailed(v T, err error) {
	defer pending.Discard(s.discard, v) // also if what follows, such as a retry, ends the goroutine
	s.cont.TakeAnd(err, v, func(err error) {
		switch {
		case err == nil:
		case s.prefetch == 0 && s.errors == errorsAtEnd && !errors.Is(err, reactor.ErrGoexit):
			s.keep(err)
		default:
			defer func() { s.abort(err) }() // also if the hook ends the goroutine
			err = reactor.OperatorError(s.ctx, err, v)
		}
	})
}

// callFailed takes the failure of the publisher that fn has returned for v.
func (s *concatMapSubscriber[T, R]) callFailed(v T, err error) {
	s.cont.TakeAnd(err, v, func(err error) {
		if err != nil {
			s.callEnds(v, err)
		}
	})
}

// callEnds ends the publisher that fn has returned for v with a failure that was not taken.
func (s *concatMapSubscriber[T, R]) callEnds(v T, err error) {
	defer pending.Discard(s.discard, v) // also if what follows ends the goroutine
	goexit := errors.Is(err, reactor.ErrGoexit)
	err = reactor.OperatorError(s.ctx, err, v)
	if s.errors == errorsAtEnd && !goexit {
		s.keep(err)
	} else {
		s.abort(err)
	}
}
