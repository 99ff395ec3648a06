package elementwise

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// Function is the definition of an operator by what one call of a function makes of an
// element of type T: a result of type R, or none, or the error of the stream.
type Function[T, R any] interface {
	Apply(v T) (r R, ok bool, err error)
}

// Stepping is a [Function] that says the same as a function for an element: what a
// stage is as part of a loop. down is the stage below, which may be a part of it ([Defined]), or takes
// what protocol.Push returns for it.
type Stepping[T, R any] = interface {
	Step(stage *Stage, down reactor.Subscriber[R]) func(T)
}

// Mapping is a [Function] with a result for every element, and no error; so its
// Step needs no [Stage].
type Mapping[T, R any] interface {
	Function[T, R]
	Step(down reactor.Subscriber[R]) func(T)
}

// Defined is a subscriber of [Map] or [Choose] whose definition is a D. The stage above it may do its
// work, too: call the function of the definition, and go on with the stage below.
type Defined[D, R any] = interface {
	Definition() (def D, stage *Stage, down reactor.Subscriber[R])
}

// Map subscribes s to src through the stage that def defines.
func Map[T, R any, D Mapping[T, R]](ctx context.Context, def D, src reactor.Publisher[T], s reactor.Subscriber[R]) {
	if cont := upstream.Continuing(ctx); cont != nil {
		subscribeContinuing(ctx, cont, Ends, def, src, s)
		return
	}
	src.Subscribe(ctx, &mapping[T, R, D]{down: protocol.Strict(ctx, s), def: def})
}

// mapping never ends by itself, so it needs neither upstream's subscription nor a
// flag that it has ended.
type mapping[T, R any, D Mapping[T, R]] struct {
	protocol.Inner
	down reactor.Subscriber[R]
	def  D
}

func (s *mapping[T, R, D]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *mapping[T, R, D]) OnNext(v T) {
	r, _, _ := s.def.Apply(v)
	s.down.OnNext(r)
}

// Push implements protocol.Pusher.
func (s *mapping[T, R, D]) Push() func(T) { return s.def.Step(s.down) }

// Definition implements [Defined]. There is no [Stage].
func (s *mapping[T, R, D]) Definition() (D, *Stage, reactor.Subscriber[R]) { return s.def, nil, s.down }

func (s *mapping[T, R, D]) OnError(err error) { s.down.OnError(err) }

func (s *mapping[T, R, D]) OnComplete() { s.down.OnComplete() }

// Choose subscribes s to src through the stage that def defines, whose function may
// leave elements out, and may fail.
func Choose[T, R any, D Function[T, R]](ctx context.Context, kind Kind, def D, src reactor.Publisher[T], s reactor.Subscriber[R]) {
	if cont := upstream.Continuing(ctx); cont != nil {
		subscribeContinuing(ctx, cont, kind, def, src, s)
		return
	}
	sub := &choosing[T, R, D]{down: protocol.Strict(ctx, s), def: def}
	Init[T](&sub.stage, ctx, kind)
	src.Subscribe(ctx, sub)
}

type choosing[T, R any, D Function[T, R]] struct {
	protocol.Inner
	stage Stage
	down  reactor.Subscriber[R]
	def   D
}

func (s *choosing[T, R, D]) OnSubscribe(up reactor.Subscription) { s.stage.OnSubscribe(up, s.down) }

func (s *choosing[T, R, D]) OnNext(v T) {
	if s.stage.IsDone() && s.stage.Dropped(v) {
		return
	}
	r, ok, err := s.def.Apply(v)
	if ok && err == nil {
		s.down.OnNext(r)
		return
	}
	s.leaveOut(v, err)
}

// Push implements protocol.Pusher.
func (s *choosing[T, R, D]) Push() func(T) {
	if def, ok := any(s.def).(Stepping[T, R]); ok {
		return def.Step(&s.stage, s.down)
	}
	next := protocol.Push(s.down)
	return func(v T) {
		if s.stage.IsDone() && s.stage.Dropped(v) {
			return
		}
		r, ok, err := s.def.Apply(v)
		if ok && err == nil {
			next(r)
			return
		}
		s.leaveOut(v, err)
	}
}

// Definition implements [Defined].
func (s *choosing[T, R, D]) Definition() (D, *Stage, reactor.Subscriber[R]) {
	return s.def, &s.stage, s.down
}

// leaveOut is called for an element without a result.
func (s *choosing[T, R, D]) leaveOut(v T, err error) {
	if err != nil {
		s.stage.Fail(err, v, s.down)
		return
	}
	s.stage.Reject(v)
}

func (s *choosing[T, R, D]) OnError(err error) { s.stage.OnError(err, s.down) }

func (s *choosing[T, R, D]) OnComplete() { s.stage.OnComplete(s.down) }
