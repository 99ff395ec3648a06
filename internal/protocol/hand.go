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

// Discard discards the element in hand, if there is one. Not inlined: it hardly ever runs.
//
//go:noinline
func (h *Hand[T]) Discard(ctx context.Context) {
	if h.full {
		v := h.item
		h.LetGo()
		reactor.Discard(ctx, v)
	}
}

// Unwind empties the hand of a stage that has emitted from OnNext, when OnError says that this
// has failed with err. The element is discarded, unless a stage further down has it: see
// [failure.IsSettled].
func (h *Hand[T]) Unwind(ctx context.Context, err error) {
	if failure.IsSettled(err) {
		h.LetGo()
	} else {
		h.Discard(ctx)
	}
}

// UnwindLate is Unwind for an element of upstream that waits until another one has gone down. The
// guard upstream discards it, but not if err [failure.IsSettled].
func (h *Hand[T]) UnwindLate(ctx context.Context, err error) {
	if failure.IsSettled(err) {
		h.Discard(ctx)
	} else {
		h.LetGo()
	}
}

// Crash is the end of [Drainer.DrainCrashed]: what the pass was about failed with err. The
// stage has cancelled upstream and discarded all but the element in hand. With that element
// the error passes the operator-error hook; the element is discarded and the error goes
// down. If the stage was over before, down has its terminal signal, and the error is
// reported as dropped; but not a Goexit, which every guard on the way of its goroutine sees.
//
//go:noinline
func (h *Hand[T]) Crash(ctx context.Context, down Signals, over bool, err error) {
	switch {
	case over:
		if failure.IsSettled(err) {
			h.LetGo()
		}
		h.Discard(ctx)
		if !errors.Is(err, reactor.ErrGoexit) {
			reactor.DropError(ctx, err)
		}
	case h.full:
		v := h.item
		h.LetGo()
		Crash(ctx, down, err, v)
	default:
		down.OnError(reactor.OperatorError(ctx, err, nil))
	}
}
