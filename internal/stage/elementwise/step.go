package elementwise

import (
	"context"
	"unsafe"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Step is the definition of an operator by the function for an element. P is a pointer
// to what it remembers for each subscription; next is the function of the stage below.
// It may be called more than once for a subscription, with the same state.
type Step[T, R, P any] interface {
	Step(state P, next func(R)) func(T)
}

// Starting is a state that has to know when the subscription is there.
type Starting interface{ Start() }

// Subscribe subscribes s to src through the stage that def defines, which emits one
// element for each, and never ends by itself. initial is its state to begin with.
func Subscribe[T, R, S any, D Step[T, R, *S]](ctx context.Context, def D, initial S, src reactor.Publisher[T], s reactor.Subscriber[R]) {
	src.Subscribe(ctx, &passing[T, R, S, D]{state: initial, down: protocol.Strict(ctx, s), def: def})
}

type passing[T, R, S any, D Step[T, R, *S]] struct {
	protocol.Inner
	state S                // touched by the signals of upstream only
	down  protocol.Signals // a reactor.Subscriber[R], or a built in front of it
	def   D
}

func (s *passing[T, R, S, D]) OnSubscribe(up reactor.Subscription) {
	if unsafe.Sizeof(s.state) > 0 { // known to the compiler
		if state, ok := any(&s.state).(Starting); ok {
			state.Start()
		}
	}
	s.down.OnSubscribe(up)
}

func (s *passing[T, R, S, D]) OnNext(v T) {
	if b, ok := s.down.(*built[T]); ok {
		b.push(v)
		return
	}
	push := s.Push()
	s.down = &built[T]{Signals: s.down, push: push}
	push(v)
}

// Push implements protocol.Pusher.
func (s *passing[T, R, S, D]) Push() func(T) { return s.def.Step(&s.state, pushTo[T, R](s.down)) }

func (s *passing[T, R, S, D]) OnError(err error) { s.down.OnError(err) }

func (s *passing[T, R, S, D]) OnComplete() { s.down.OnComplete() }

// built is downstream with the function that was built in front of it, where upstream
// calls OnNext. Most take the function themselves, and the subscriber has no room for it.
type built[T any] struct {
	protocol.Signals
	push func(T)
}

// pushTo returns the function that hands elements to down.
func pushTo[T, R any](down protocol.Signals) func(R) {
	if b, ok := down.(*built[T]); ok {
		down = b.Signals
	}
	return protocol.Push(down.(reactor.Subscriber[R]))
}

// Ending is the state of a definition that may leave elements out or end the stream:
// by itself, or embedded in a struct with what else is remembered.
type Ending struct {
	Stage
	down protocol.Signals // a reactor.Subscriber, or a built in front of it
}

func (s *Ending) ending() *Ending { return s }

// Fail ends the stage because its function failed with err on the element v: upstream
// is cancelled, v is discarded, and err goes down.
func (s *Ending) Fail(err error, v any) { s.fail(err, v, s.down) }

// Complete ends the stage before upstream has ended, which is cancelled.
func (s *Ending) Complete() { s.complete(s.down) }

// CompleteWithout discards v, and ends the stage.
func (s *Ending) CompleteWithout(v any) {
	reactor.Discard(s.ctx, v)
	s.complete(s.down)
}

// EndingState is what S has to be for a stage that may end: an [Ending], or a struct
// that embeds one.
type EndingState[S any] interface {
	*S
	ending() *Ending
}

// SubscribeEnding subscribes s to src through the stage that def defines, which may leave
// elements out and end the stream.
func SubscribeEnding[T, R, S any, P EndingState[S], D Step[T, R, P]](ctx context.Context, kind Kind, def D, src reactor.Publisher[T], s reactor.Subscriber[R]) {
	sub := &ending[T, R, S, P, D]{def: def}
	e := P(&sub.state).ending()
	e.init(ctx, kind, discardHook[T](ctx, kind))
	e.down = protocol.Strict(ctx, s)
	src.Subscribe(ctx, sub)
}

type ending[T, R, S any, P EndingState[S], D Step[T, R, P]] struct {
	protocol.Inner
	state S // touched by the signals of upstream only, but for the demand of its Ending
	def   D
}

func (s *ending[T, R, S, P, D]) OnSubscribe(up reactor.Subscription) {
	e := P(&s.state).ending()
	e.onSubscribe(up, e.down)
}

func (s *ending[T, R, S, P, D]) OnNext(v T) {
	e := P(&s.state).ending()
	if b, ok := e.down.(*built[T]); ok {
		b.push(v)
		return
	}
	push := s.Push()
	e.down = &built[T]{Signals: e.down, push: push}
	push(v)
}

// Push implements protocol.Pusher.
func (s *ending[T, R, S, P, D]) Push() func(T) {
	state := P(&s.state)
	return s.def.Step(state, pushTo[T, R](state.ending().down))
}

func (s *ending[T, R, S, P, D]) OnError(err error) {
	e := P(&s.state).ending()
	e.onError(err, e.down)
}

func (s *ending[T, R, S, P, D]) OnComplete() {
	e := P(&s.state).ending()
	e.onComplete(e.down)
}
