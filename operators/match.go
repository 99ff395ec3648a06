package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// AllMatch emits whether pred reports true for every element; it cancels src at the first
// element for which pred reports false. For an empty src the result is true.
//
//	src:  2 --- 4 --- 5 --- 6 |
//	      AllMatch(even)
//	out:  ----------- false |
//
// Demand on src is unbounded. A panic of pred cancels src and ends the stream. An element is
// used up when pred has returned.
func AllMatch[T any](src reactor.Publisher[T], pred func(T) bool) reactor.Publisher[bool] {
	argument.Given("allMatch", "predicate", pred != nil)
	return &matchPublisher[T]{op: "allMatch", src: protocol.Trust("allMatch", src), pred: func(v T) bool { return pred(v) }, decisive: false}
}

// AnyMatch emits whether pred reports true for some element; it cancels src at the first
// such element. For an empty src the result is false.
//
//	src:  1 --- 3 --- 4 --- 5 |
//	      AnyMatch(even)
//	out:  ----------- true |
//
// Demand on src is unbounded. A panic of pred cancels src and ends the stream. An element is
// used up when pred has returned.
func AnyMatch[T any](src reactor.Publisher[T], pred func(T) bool) reactor.Publisher[bool] {
	argument.Given("anyMatch", "predicate", pred != nil)
	return &matchPublisher[T]{op: "anyMatch", src: protocol.Trust("anyMatch", src), pred: pred, decisive: true}
}

// HasElements emits whether src has any element. The first element cancels src and is
// discarded.
//
//	src:  --- 1 --- 2 |
//	      HasElements()
//	out:  --- true |
//
// Demand on src is unbounded. An error before the first element passes.
func HasElements[T any](src reactor.Publisher[T]) reactor.Publisher[bool] {
	return &matchPublisher[T]{op: "hasElements", src: protocol.Trust("hasElements", src), decisive: true}
}

// matchPublisher looks for an element for which pred reports decisive. If it finds one
// it emits decisive, otherwise the opposite.
type matchPublisher[T any] struct {
	protocol.Op
	op       string
	src      reactor.Publisher[T]
	pred     func(T) bool // nil: every element is decisive, and discarded
	decisive bool
}

func (p *matchPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[bool]) {
	sub := &matchSubscriber[T]{p: p, spent: pending.SpentFor[T](ctx)}
	sub.Init(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type matchSubscriber[T any] struct {
	single.Aggregate[bool]
	p     *matchPublisher[T]
	spent func(T) // takes elements that pred has seen; may be nil
}

func (s *matchSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Slot.Ctx, v)
		return
	}
	switch {
	case s.p.pred == nil:
		s.decide(v, func(v T) { reactor.Discard(s.Slot.Ctx, v) })
	case s.p.pred(v) == s.p.decisive:
		s.decide(v, s.spent)
	case s.spent != nil:
		s.spent(v)
	}
}

// decide ends the stream because of v. Each step is made, even if a function that hears of the
// step before ends the goroutine.
func (s *matchSubscriber[T]) decide(v T, spent func(T)) {
	s.Done = true
	failure.InTurn(
		s.Up.Cancel, // first: a source of windows would send the next one for one that is told
		func() {
			if spent != nil {
				spent(v)
			}
		},
		func() { s.Slot.Complete(s.p.decisive) },
	)
}

func (s *matchSubscriber[T]) OnComplete() { s.Result(!s.p.decisive) }
