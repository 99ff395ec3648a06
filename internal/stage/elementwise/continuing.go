package elementwise

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// subscribeContinuing subscribes a subscriber that goes on with the next element if the function
// of its definition fails. Not inlined: hardly any
// stream needs it.
//
//go:noinline
func subscribeContinuing[T, R any](
	ctx context.Context, cont *upstream.Continuation, kind Kind, def Function[T, R], src reactor.Publisher[T], s reactor.Subscriber[R],
) {
	sub := &continuing[T, R]{cont: cont, down: protocol.Strict(ctx, s), def: def}
	sub.stage.init(ctx, Rejects, discardHook[T](ctx, kind))
	src.Subscribe(ctx, sub)
}

// continuing guards every call of its function, which is why it exists beside the
// ordinary subscribers.
type continuing[T, R any] struct {
	protocol.Inner
	stage Stage
	cont  *upstream.Continuation
	down  reactor.Subscriber[R]
	def   Function[T, R]
}

func (s *continuing[T, R]) OnSubscribe(up reactor.Subscription) {
	s.stage.OnSubscribe(up, signals(s.down))
}

func (s *continuing[T, R]) OnNext(v T) { takeContinuing(s, v, s.down.OnNext) }

// Push implements protocol.Pusher.
func (s *continuing[T, R]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) { takeContinuing(s, v, next) }
}

// takeContinuing goes on to next with what the function makes of v. It is a function, as is attempt: a method is compiled twice
// for each type of element.
func takeContinuing[T, R any](s *continuing[T, R], v T, next func(R)) {
	if s.stage.Dropped(v) {
		return
	}
	r, ok, err := attempt(s.def, v)
	switch {
	case err != nil:
		s.stage.goOn(s.cont, err, v, signals(s.down))
	case ok:
		next(r)
	default:
		s.stage.Reject(v)
	}
}

// goOn gives up v, the element for which the function has failed with err, and the stream if cont does not take that.
func (s *Stage) goOn(cont *upstream.Continuation, err error, v any, down protocol.Signals) {
	if err = cont.Take(err, v); err != nil {
		s.Fail(err, v, down)
		return
	}
	s.Skip()
}

// attempt calls the function of def and turns a panic into an error. After a Goexit it does
// not return: that unwinds to the guard of the source, as ever.
func attempt[T, R any](def Function[T, R], v T) (r R, ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.Recovered(p)
		}
	}()
	return def.Apply(v)
}

func (s *continuing[T, R]) OnError(err error) { s.stage.OnError(err, signals(s.down)) }

func (s *continuing[T, R]) OnComplete() { s.stage.OnComplete(signals(s.down)) }
