package stage

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// Kind says what a stage does with elements besides emitting them.
type Kind int

const (
	// Ends leaves no element out until it ends: demand passes through untouched, and no replacement
	// is requested for any element, so do not call Skip and Reject.
	Ends = Kind(elementwise.Ends)
	// Skips leaves out elements that it has used up, by [Control.Skip].
	Skips = Kind(elementwise.Skips)
	// Rejects leaves out elements, which are discarded, by [Control.Reject].
	Rejects = Kind(elementwise.Rejects)
)

// Control is the state of a definition that may leave elements out or end the stream: alone, or
// embedded in a struct with other state. Its methods are called from within the function for an
// element.
type Control struct {
	half elementwise.Stage
	down protocol.Signals // a reactor.Subscriber, or a built in front of it
}

func (c *Control) control() *Control { return c }

// starts calls Start and reports whether the stage can begin. If not, its stream has ended.
func (c *Control) starts(state Starting, up reactor.Subscription) bool {
	return failure.Guard(state.Start, func(err error) { c.half.Unstarted(up, err, c.down) })
}

// Dropped reports whether the stream has ended; if it has, v was reported as dropped. A definition
// that may end the stream asks this first, because src may still send elements that were on their
// way. Where each nanosecond counts, ask IsDone before: it costs no call, whereas a call of Dropped
// copies a large element.
func (c *Control) Dropped[T any](v T) bool { return c.half.Dropped(v) }

// IsDone reports whether the stream has ended. Any call of next may end it.
func (c *Control) IsDone() bool { return c.half.IsDone() }

// Skip requests another element in the place of one that the stage has used up.
func (c *Control) Skip() { c.half.Skip() }

// Reject discards v and requests another element in its place.
func (c *Control) Reject[T any](v T) { c.half.Reject(v) }

// Fail ends the stream because a function has failed with err on the element v: src is
// cancelled, v is discarded, and err goes down. If the stream has ended, err is reported as dropped.
func (c *Control) Fail(err error, v any) {
	if c.half.IsDone() {
		c.half.FailLate(err, v)
		return
	}
	c.half.Fail(err, v, c.down)
}

// FailAfter is [Control.Fail] for a function that is called after v has been sent down: v is not
// discarded. A panic of such a function must not leave the definition, because the stage that emits
// would then discard v. If the stream has ended, err is reported as dropped.
func (c *Control) FailAfter(err error, v any) { c.half.FailAfter(err, v, c.down) }

// Complete ends the stream before src has ended, and cancels src.
func (c *Control) Complete() {
	if !c.half.IsDone() {
		c.half.Complete(c.down)
	}
}

// CompleteWithout discards v, and ends the stream.
func (c *Control) CompleteWithout(v any) {
	c.half.Discard(v)
	c.Complete()
}

// State is what S has to be for [Choose]: a [Control], or a struct that embeds one.
type State[S any] interface {
	*S
	control() *Control
}

// Choose returns the publisher of an operator that may leave elements of src out, and may end the
// stream; kind says which. The state of a subscription begins as the zero value of S. A nil src panics and
// names the operator, whose name begins with a small letter.
//
// Demand passes through; Skip and Reject request a replacement for an element that is left out. The
// function that def builds runs on the goroutine on which src emits.
func Choose[T, R, S any, P State[S], D Step[T, R, P]](operator string, kind Kind, src reactor.Publisher[T], def D) reactor.Publisher[R] {
	return &choose[T, R, S, P, D]{op: operator, src: protocol.Trust(operator, src), kind: kind, def: def}
}

type choose[T, R, S any, P State[S], D Step[T, R, P]] struct {
	protocol.Op
	op   string
	kind Kind
	src  reactor.Publisher[T]
	def  D
}

func (p *choose[T, R, S, P, D]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &choosing[T, R, S, P, D]{def: p.def} // and nothing else of p, which hardly anybody keeps
	c := P(&sub.state).control()
	kind := p.kind
	if kind == Skips {
		kind = Rejects // a definition of either kind may call Reject
	}
	elementwise.Init[T](&c.half, ctx, elementwise.Kind(kind))
	c.down = protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type choosing[T, R, S any, P State[S], D Step[T, R, P]] struct {
	protocol.Inner
	state S // touched by the signals of upstream only, but for the demand of its Control
	def   D
}

func (s *choosing[T, R, S, P, D]) OnSubscribe(up reactor.Subscription) {
	c := P(&s.state).control()
	if state, ok := any(P(&s.state)).(Starting); ok && !c.starts(state, up) {
		return
	}
	c.half.OnSubscribe(up, c.down)
}

func (s *choosing[T, R, S, P, D]) OnNext(v T) {
	c := P(&s.state).control()
	if b, ok := c.down.(*built[T]); ok {
		b.push(v)
		return
	}
	push := s.Push()
	c.down = &built[T]{Signals: c.down, push: push}
	push(v)
}

// Push implements protocol.Pusher.
func (s *choosing[T, R, S, P, D]) Push() func(T) {
	state := P(&s.state)
	return s.def.Step(state, pushTo[T, R](state.control().down))
}

func (s *choosing[T, R, S, P, D]) OnError(err error) {
	c := P(&s.state).control()
	c.half.OnError(err, c.down)
}

func (s *choosing[T, R, S, P, D]) OnComplete() {
	c := P(&s.state).control()
	c.half.OnComplete(c.down)
}
