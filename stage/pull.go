package stage

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Puller defines a source that computes its elements. P is a pointer to the state of a
// subscription.
type Puller[T, P any] interface {
	// Pull hands elements to [Emitter.Next] as long as [Emitter.Open] reports true and there are
	// some, and reports whether there are more. It runs where elements are requested, on one
	// goroutine at a time, and is called again when there is demand. It must not wait for something
	// that may never come, because a cancellation takes effect only when it returns. For elements
	// that other goroutines send use flux.Create, package sinks, or an [Outlet].
	Pull(state P, out *Emitter[T]) (more bool)
}

// Opening is implemented by a state that has something to open when its subscription begins. If
// Open fails, the stream fails, and Close is not called.
type Opening interface {
	// Open runs where the source is subscribed, with the context of the subscription.
	Open(ctx context.Context) error
}

// Closing is implemented by a state that has something to release. Close is called once, after the
// end, the cancellation or a failure. A panic of Close is reported as a dropped error.
type Closing interface {
	// Close runs where the source emits or is cancelled.
	Close()
}

// Pull returns a source whose elements def computes. initial is the state with which each
// subscription begins. No goroutine is started; requests from within OnNext do not recurse. If a
// call of def sends no element and still reports that there are more, the stream ends with
// reactor.ErrIllegalState.
func Pull[T, S any, D Puller[T, *S]](operator string, initial S, def D) reactor.Publisher[T] {
	return &pull[T, S, D]{operator: operator, initial: initial, def: def}
}

type pull[T, S any, D Puller[T, *S]] struct {
	protocol.Op
	operator string
	initial  S
	def      D
}

func (p *pull[T, S, D]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &pulling[T, S, D]{of: p, state: p.initial}
	sub.ctx, sub.down = ctx, protocol.Strict(ctx, s)
	if o, ok := any(&sub.state).(Opening); ok {
		var err error
		fails := func(err error) { protocol.Fail(sub.down, reactor.OperatorError(ctx, err, nil)) }
		if !failure.Guard(func() { err = o.Open(ctx) }, fails) {
			return
		}
		if err != nil {
			fails(err)
			return
		}
	}
	sub.loop.Init(sub)
	sub.push = protocol.Push(sub.down)
	sub.down.OnSubscribe(&sub.loop)
}

// Emitter takes the elements of a source. It is valid only during the call of Pull that has got it.
type Emitter[T any] struct {
	push   func(T) // hands elements to down
	left   int64   // demand that is left, without item; owner of the loop
	landed int64   // what left was when the last element had arrived: item is on its way if left differs
	item   T       // the element sent last; owner of the loop
	loop   protocol.PullLoop
	err    error // what Fail was called with; owner of the loop
	down   reactor.Subscriber[T]
	ctx    context.Context
}

// Open reports whether an element may be sent: there is demand, and nobody has cancelled.
func (e *Emitter[T]) Open() bool { return e.left > 0 && !e.loop.Cancelled() }

// Next sends v. Open must have reported true since the last call.
func (e *Emitter[T]) Next(v T) {
	e.item = v
	e.left--
	e.push(v)
	e.landed = e.left
}

// Fail makes the stream end with err, and reports false, for Pull to return. A nil err becomes an
// error that says so. Of several errors the first one counts, the others are reported as dropped.
func (e *Emitter[T]) Fail(err error) bool {
	if e.err != nil {
		reactor.DropError(e.ctx, err)
		return false
	}
	e.err = reactor.NonNil(err)
	return false
}

// Context returns the context of the subscription, for calls that take one. A cancellation of the
// subscription does not end it.
func (e *Emitter[T]) Context() context.Context { return e.ctx }

// pulling is touched by the owner of the loop only, but for the loop.
type pulling[T, S any, D Puller[T, *S]] struct {
	Emitter[T]
	of    *pull[T, S, D]
	state S
	close bool // Close was called
}

// Pull is what a protocol.PullLoop calls.
func (s *pulling[T, S, D]) Pull(n int64) bool {
	for s.left, s.landed = n, n; s.left > 0; {
		before := s.left
		more := s.of.def.Pull(&s.state, &s.Emitter)
		switch {
		case s.loop.Cancelled():
			s.dropFailure()
			return true
		case s.left < 0:
			s.dropFailure()
			s.err = reactor.Failure(s.of.operator, reactor.ErrOverflow, "more elements than were requested")
		case s.err == nil && more && s.left == before:
			s.err = reactor.Failure(s.of.operator, reactor.ErrIllegalState, "Pull has neither sent an element nor ended")
		}
		if s.err != nil || !more {
			s.finish()
			return true
		}
	}
	s.item = *new(T) // §3.13
	return false
}

// dropFailure reports what Fail was called with as dropped, if the stream ends without it.
func (e *Emitter[T]) dropFailure() {
	if err := e.err; err != nil {
		e.err = nil
		reactor.DropError(e.ctx, err)
	}
}

// finish sends the end.
func (s *pulling[T, S, D]) finish() {
	err := s.err
	s.err = nil // it is told here
	if err != nil {
		err = reactor.OperatorError(s.ctx, err, nil)
	}
	s.loop.Finish(s.down, err)
}

// Crashed is what a protocol.PullLoop calls.
func (s *pulling[T, S, D]) Crashed(err error) {
	defer s.dropFailure() // also if downstream ends the goroutine: the definition has failed behind a call of Fail
	if s.left != s.landed {
		protocol.Crash(s.ctx, s.down, err, s.item)
		return
	}
	s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
}

// Release is what a protocol.PullLoop calls.
func (s *pulling[T, S, D]) Release() {
	if s.close {
		return
	}
	s.close, s.item = true, *new(T)
	if c, ok := any(&s.state).(Closing); ok {
		failure.Guard(c.Close, func(err error) { reactor.DropError(s.ctx, err) })
	}
}
