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
// stage is as part of a loop. down is the stage below, which may be a part of it ([Below]), or takes
// what protocol.Push returns for it. stage is nil under [Map].
type Stepping[T, R any] = interface {
	Step(stage *Stage, down reactor.Subscriber[R]) func(T)
}

// Map subscribes s to src through the stage that def defines: a function with a result for every element,
// and no error, which is [Stepping].
func Map[T, R any](ctx context.Context, def Function[T, R], src reactor.Publisher[T], s reactor.Subscriber[R]) {
	if cont := upstream.Continuing(ctx); cont != nil {
		subscribeContinuing(ctx, cont, Ends, def, src, s)
		return
	}
	src.Subscribe(ctx, &mapping[T, R]{down: protocol.Strict(ctx, s), def: def})
}

// mapping never ends by itself, so it needs neither upstream's subscription nor a
// flag that it has ended.
//
// The definition is an interface here and in choosing, not a type parameter: the program would compile the
// stage once more for every operator.
type mapping[T, R any] struct {
	protocol.Inner
	down reactor.Subscriber[R]
	def  Function[T, R]
}

func (s *mapping[T, R]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *mapping[T, R]) OnNext(v T) {
	r, _, _ := s.def.Apply(v)
	s.down.OnNext(r)
}

// Push implements protocol.Pusher.
func (s *mapping[T, R]) Push() func(T) { return s.def.(Stepping[T, R]).Step(nil, s.down) }

func (s *mapping[T, R]) OnError(err error) { s.down.OnError(err) }

func (s *mapping[T, R]) OnComplete() { s.down.OnComplete() }

// Choose subscribes s to src through the stage that def defines, whose function may
// leave elements out, and may fail.
func Choose[T, R any](ctx context.Context, kind Kind, def Function[T, R], src reactor.Publisher[T], s reactor.Subscriber[R]) {
	if cont := upstream.Continuing(ctx); cont != nil {
		subscribeContinuing(ctx, cont, kind, def, src, s)
		return
	}
	sub := &choosing[T, R]{down: protocol.Strict(ctx, s), def: def}
	Init[T](&sub.stage, ctx, kind)
	src.Subscribe(ctx, sub)
}

type choosing[T, R any] struct {
	protocol.Inner
	stage Stage
	down  reactor.Subscriber[R]
	def   Function[T, R]
}

func (s *choosing[T, R]) OnSubscribe(up reactor.Subscription) {
	s.stage.OnSubscribe(up, signals(s.down))
}

func (s *choosing[T, R]) OnNext(v T) {
	if s.stage.IsDone() && s.stage.Dropped(v) {
		return
	}
	r, ok, err := s.def.Apply(v)
	if ok && err == nil {
		s.down.OnNext(r)
		return
	}
	leaveOut(&s.stage, s.down, v, err)
}

// Push implements protocol.Pusher.
func (s *choosing[T, R]) Push() func(T) {
	if def, ok := s.def.(Stepping[T, R]); ok {
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
		leaveOut(&s.stage, s.down, v, err)
	}
}

func (s *choosing[T, R]) OnError(err error) { s.stage.OnError(err, signals(s.down)) }

func (s *choosing[T, R]) OnComplete() { s.stage.OnComplete(signals(s.down)) }

// leaveOut is called for an element without a result.
func leaveOut[T, R any](s *Stage, down reactor.Subscriber[R], v T, err error) {
	if err != nil {
		s.Fail(err, v, signals(down))
		return
	}
	s.Reject(v)
}

// Below returns what a stage that emits elements of type T finds below it, if that is one of [Map] or
// [Choose] that keeps the type: its definition, its [Stage] (nil under Map), and who is below. So it can do its
// work, too: call the function of the definition, and go on with the stage below.
func Below[T any](down reactor.Subscriber[T]) (def any, stage *Stage, below reactor.Subscriber[T]) {
	switch d := down.(type) {
	case *mapping[T, T]:
		return d.def, nil, d.down
	case leaving:
		def, stage, at := d.parts()
		if at, same := at.(*reactor.Subscriber[T]); same {
			return def, stage, *at
		}
	}
	return nil, nil, nil
}

// leaving is a [choosing] of any types: so a program compiles that for the types that it has such stages of.
type leaving interface {
	// parts returns the definition, the stage, and where the subscriber below is kept.
	parts() (def any, stage *Stage, down any)
}

func (s *choosing[T, R]) parts() (def any, stage *Stage, down any) {
	return s.def, &s.stage, &s.down
}
