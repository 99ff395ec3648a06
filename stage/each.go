package stage

import (
	"context"
	"unsafe"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Step defines an operator by the function that handles one element. P is a pointer to the state of
// a subscription; next is the function of the stage below. Step may be called more than once for a
// subscription, with the same state, and before [Starting.Start].
type Step[T, R, P any] interface {
	// Step returns the function for an element.
	Step(state P, next func(R)) func(T)
}

// Starting is implemented by a state that has to know when the subscription is there, before the
// first element. Start is not called on a state of [Each] without fields, which has nothing to
// prepare.
type Starting interface {
	// Start is called before downstream has the subscription. A panic ends the stream. Step may
	// have been called before: the function that it returned sees what Start sets.
	Start()
}

// Each returns the publisher of an operator that emits one element for each element of src and
// never ends by itself. initial is the state with which each subscription begins. A nil src panics
// and names the operator, whose name begins with a small letter.
//
// Demand, cancellation and the end of src pass through. The function that def builds runs
// where src emits.
func Each[T, R, S any, D Step[T, R, *S]](operator string, src reactor.Publisher[T], initial S, def D) reactor.Publisher[R] {
	return &each[T, R, S, D]{op: operator, src: protocol.Trust(operator, src), initial: initial, def: def}
}

type each[T, R, S any, D Step[T, R, *S]] struct {
	protocol.Op
	op      string
	src     reactor.Publisher[T]
	initial S
	def     D
}

func (p *each[T, R, S, D]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	down := protocol.Strict(ctx, s)
	if unsafe.Sizeof(p.initial) > 0 { // known to the compiler
		if _, ok := any(&p.initial).(Starting); ok {
			both := &struct {
				sub   passing[T, R, S, D]
				first starting
			}{}
			both.sub = passing[T, R, S, D]{state: p.initial, down: &both.first, of: p}
			both.first = starting{Signals: down, ctx: ctx, state: any(&both.sub.state).(Starting)}
			p.src.Subscribe(ctx, &both.sub)
			return
		}
	}
	p.src.Subscribe(ctx, &passing[T, R, S, D]{state: p.initial, down: down, of: p})
}

type passing[T, R, S any, D Step[T, R, *S]] struct {
	protocol.Inner
	state S                // touched by the signals of upstream only
	down  protocol.Signals // a reactor.Subscriber[R], or a built or starting in front of it
	of    *each[T, R, S, D]
}

func (s *passing[T, R, S, D]) OnSubscribe(up reactor.Subscription) {
	if b, ok := s.down.(*starting); ok {
		if !b.start(up) {
			return
		}
		s.down = b.Signals
	}
	s.down.OnSubscribe(up)
}

// starting is downstream of a state that wants to start, until it has. If it could not, the stream has ended.
type starting struct {
	protocol.Signals
	ctx   context.Context
	state Starting
}

// start calls Start and reports whether the stage can begin. If not, its stream has ended.
func (b *starting) start(up reactor.Subscription) bool {
	return failure.Guard(b.state.Start, func(err error) {
		failure.InTurn(up.Cancel, func() { // each may end the goroutine
			b.Signals.OnSubscribe(protocol.Empty)
		}, func() { b.Signals.OnError(reactor.OperatorError(b.ctx, err, nil)) })
	})
}

func (s *passing[T, R, S, D]) OnNext(v T) {
	if b, ok := s.down.(*built[T]); ok {
		b.push(v)
		return
	}
	if b, ok := s.down.(*starting); ok {
		reactor.DropNext(b.ctx, v)
		return
	}
	push := s.Push()
	s.down = &built[T]{Signals: s.down, push: push}
	push(v)
}

// Push implements protocol.Pusher.
func (s *passing[T, R, S, D]) Push() func(T) { return s.of.def.Step(&s.state, pushTo[T, R](s.down)) }

func (s *passing[T, R, S, D]) OnError(err error) { s.down.OnError(err) }

func (s *passing[T, R, S, D]) OnComplete() { s.down.OnComplete() }

// OnError is for what comes although the state could not start, as is OnComplete.
func (b *starting) OnError(err error) { reactor.DropError(b.ctx, err) }

func (b *starting) OnComplete() {}

// built is downstream with the function that was built in front of it, where upstream
// calls OnNext. Most take the function themselves, and the subscriber has no room for it.
type built[T any] struct {
	protocol.Signals
	push func(T)
}

// pushTo returns the function that hands elements to down.
func pushTo[T, R any](down protocol.Signals) func(R) {
	switch b := down.(type) {
	case *built[T]:
		down = b.Signals
	case *starting:
		down = b.Signals
	}
	return protocol.Push(down.(reactor.Subscriber[R]))
}
