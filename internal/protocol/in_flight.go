package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// InFlight is where a stage keeps the element that it is sending down, or with which it calls
// a user function: if that call panics or ends its goroutine, the element is here and nowhere
// else. Only the goroutine that may send elements down touches it; in most stages that is the
// owner of the drain. Zero value: empty.
type InFlight[T any] struct {
	element T
	full    bool
}

// Hold keeps v, which is about to be sent.
func (f *InFlight[T]) Hold(v T) { f.element, f.full = v, true }

// Room returns the place for an element; after the element was put there, Take says so. The two are
// Hold for a function that makes elements: a large element is copied once less.
func (f *InFlight[T]) Room() *T { return &f.element }

// Take says that the element in the Room is about to be sent.
func (f *InFlight[T]) Take() { f.full = true }

// Clear is called when the element has arrived, or now belongs to somebody else.
func (f *InFlight[T]) Clear() { f.element, f.full = *new(T), false }

// Sent is Clear for loops: the element counts as gone, but its memory is kept until the next
// one comes or Clear is called, which the loop does at its end (§3.13).
func (f *InFlight[T]) Sent() { f.full = false }

// Full reports whether an element is in flight.
func (f *InFlight[T]) Full() bool { return f.full }

// Element returns the element in flight, which stays in flight.
func (f *InFlight[T]) Element() T { return f.element }

// Send sends v down by push, which returns when it has arrived. Its body is written out, as is that
// of SendNext: being so small, it is inlined into the loop.
//
// Send and the methods below have a type parameter of their own so that they are compiled where
// they are called, and not for every type of element that a stage sends.
func (f *InFlight[T]) Send[F ~func(T)](push F, v T) {
	*f = InFlight[T]{v, true}
	push(v)
	*f = InFlight[T]{}
}

// SendNext is Send within a loop, which calls Clear at its end.
func (f *InFlight[T]) SendNext[F ~func(T)](push F, v T) {
	f.element, f.full = v, true
	push(v)
	f.full = false
}

// SendHeld sends down the element that Hold keeps.
func (f *InFlight[T]) SendHeld[F ~func(T)](push F) {
	push(f.element)
	f.Clear()
}

// give clears f and returns the element that was in it. Not inlined: it hardly ever runs, nor
// do its callers.
//
//go:noinline
func (f *InFlight[T]) give() (v any, full bool) {
	if !f.full {
		return nil, false
	}
	v = f.element
	f.Clear()
	return v, true
}

// Discard discards the element in flight, if there is one.
func (f *InFlight[T]) Discard[C context.Context](ctx C) {
	if v, full := f.give(); full {
		reactor.Discard(ctx, v)
	}
}

// Unwind clears what a stage has sent from OnNext, when OnError says that this
// has failed with err. The element is discarded, unless a stage further down has it: see
// [failure.IsSettled].
func (f *InFlight[T]) Unwind[C context.Context](ctx C, err error) {
	if v, full := f.give(); full && !failure.IsSettled(err) {
		reactor.Discard(ctx, v)
	}
}

// UnwindLate is Unwind for an element of upstream that waits until another element has gone down.
// The guard upstream discards it, but not if [failure.IsSettled] reports true for err.
func (f *InFlight[T]) UnwindLate[C context.Context](ctx C, err error) {
	if v, full := f.give(); full && failure.IsSettled(err) {
		reactor.Discard(ctx, v)
	}
}

// Crash is the last part of [Drainer.DrainCrashed]: the work of the pass failed with err. The
// stage has cancelled upstream and discarded all but the element in flight. With that element
// the error passes the operator-error hook; the element is discarded and the error goes down.
// If the stage was over before, down has its terminal signal, and the error is reported as
// dropped.
func (f *InFlight[T]) Crash[C context.Context](ctx C, down Signals, over bool, err error) {
	v, full := f.give()
	crashedWith(ctx, down, over, v, full, err)
}

// crashedWith is [InFlight.Crash] for v, which was in flight if full.
func crashedWith(ctx context.Context, down Signals, over bool, v any, full bool, err error) {
	switch {
	case over:
		if full && !failure.IsSettled(err) {
			reactor.Discard(ctx, v)
		}
		reactor.DropError(ctx, err)
	case full || failure.IsSettled(err):
		Crash(ctx, down, err, v)
	default:
		defer func() { down.OnError(err) }() // also if the hook ends the goroutine
		err = reactor.OperatorError(ctx, err, nil)
	}
}
