package protocol

import (
	"context"
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Hand is where a stage keeps the element that it is sending down, or that a user function
// is called with: if that panics or ends its goroutine, the element is here and nowhere else.
// Only the goroutine that may send elements down touches it; in most stages that is the owner
// of the drain. Zero value: empty.
type Hand[T any] struct {
	item T
	full bool
}

// Hold takes v in hand.
func (h *Hand[T]) Hold(v T) { h.item, h.full = v, true }

// Room returns where to put an element that Take takes in hand then. It is Hold for a function that
// makes elements: a large one is copied once less.
func (h *Hand[T]) Room() *T { return &h.item }

// Take takes in hand what is in the Room.
func (h *Hand[T]) Take() { h.full = true }

// LetGo empties the hand: the element has arrived, or is somebody else's now.
func (h *Hand[T]) LetGo() { h.item, h.full = *new(T), false }

// Sent is LetGo for loops: the element counts as gone, but its memory is kept until the next
// one comes or LetGo is called, which the loop does at its end (§3.13).
func (h *Hand[T]) Sent() { h.full = false }

// Full reports whether there is an element in hand.
func (h *Hand[T]) Full() bool { return h.full }

// Item returns the element in hand, which stays there.
func (h *Hand[T]) Item() T { return h.item }

// Send sends v down by push, which returns when it has arrived. It is written out, as is SendNext: so small
// the compiler puts it into the loop.
//
// Send and the methods below have a type parameter of their own so that they are compiled where they are
// called, and not for every type that somebody sends.
func (h *Hand[T]) Send[F ~func(T)](push F, v T) {
	*h = Hand[T]{v, true}
	push(v)
	*h = Hand[T]{}
}

// SendNext is Send within a loop, which calls LetGo at its end.
func (h *Hand[T]) SendNext[F ~func(T)](push F, v T) {
	h.item, h.full = v, true
	push(v)
	h.full = false
}

// SendHeld sends down the element that is in hand already.
func (h *Hand[T]) SendHeld[F ~func(T)](push F) {
	push(h.item)
	h.LetGo()
}

// give empties the hand and returns what was in it. Not inlined: it hardly ever runs, nor do those that
// call it.
//
//go:noinline
func (h *Hand[T]) give() (v any, full bool) {
	if !h.full {
		return nil, false
	}
	v = h.item
	h.LetGo()
	return v, true
}

// Discard discards the element in hand, if there is one.
func (h *Hand[T]) Discard[C context.Context](ctx C) {
	if v, full := h.give(); full {
		reactor.Discard(ctx, v)
	}
}

// Unwind empties the hand of a stage that has emitted from OnNext, when OnError says that this
// has failed with err. The element is discarded, unless a stage further down has it: see
// [failure.IsSettled].
func (h *Hand[T]) Unwind[C context.Context](ctx C, err error) {
	if v, full := h.give(); full && !failure.IsSettled(err) {
		reactor.Discard(ctx, v)
	}
}

// UnwindLate is Unwind for an element of upstream that waits until another one has gone down. The
// guard upstream discards it, but not if err [failure.IsSettled].
func (h *Hand[T]) UnwindLate[C context.Context](ctx C, err error) {
	if v, full := h.give(); full && failure.IsSettled(err) {
		reactor.Discard(ctx, v)
	}
}

// Crash is the end of [Drainer.DrainCrashed]: what the pass was about failed with err. The
// stage has cancelled upstream and discarded all but the element in hand. With that element
// the error passes the operator-error hook; the element is discarded and the error goes
// down. If the stage was over before, down has its terminal signal, and the error is
// reported as dropped; but not a Goexit, which every guard on the way of its goroutine sees.
func (h *Hand[T]) Crash[C context.Context](ctx C, down Signals, over bool, err error) {
	v, full := h.give()
	crashedWith(ctx, down, over, v, full, err)
}

// crashedWith is [Hand.Crash] for what was in a hand.
func crashedWith(ctx context.Context, down Signals, over bool, v any, full bool, err error) {
	switch {
	case over:
		if full && !failure.IsSettled(err) {
			reactor.Discard(ctx, v)
		}
		if !errors.Is(err, reactor.ErrGoexit) {
			reactor.DropError(ctx, err)
		}
	case full:
		Crash(ctx, down, err, v)
	default:
		down.OnError(reactor.OperatorError(ctx, err, nil))
	}
}
