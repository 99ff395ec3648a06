package direct

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/upstream"
)

// Callable is a publisher of at most one element that can be had without
// subscribing, at once and without blocking: just, empty, error, a supplier.
// Operators that would subscribe to it may call it instead.
type Callable[T any] = interface {
	// Call returns the element and true, or false for none, or the error; v is the zero value in both other
	// cases. It may panic as a user function may. Either failure is one of the caller's, who tells the
	// operator-error hook of it.
	Call(ctx context.Context) (v T, ok bool, err error)
}

// CallMark marks a publisher of this module that is a Callable. Embed it beside Op.
type CallMark struct{}

// IsCallable implements what MarkOf asks for.
func (CallMark) IsCallable() bool { return true }

// ChainMark marks a stage that may be the end of a chain of functions which can be computed where it stands; it says by itself
// whether it is. Embed it beside Op.
type ChainMark struct{}

// IsCallable implements what MarkOf asks for.
func (ChainMark) IsCallable() bool { return false }

// MarkOf reports whether p has one of these marks, and which: they are what a stage may do in the place of a subscription. A test for a mark
// is cheaper than one for a generic interface, which costs most where the answer is no.
func MarkOf(p any) (callable, marked bool) {
	if m, ok := p.(interface{ IsCallable() bool }); ok {
		return m.IsCallable(), true
	}
	return false, false
}

// AsCallable returns p as a Callable if it is marked as one.
func AsCallable[T any](p reactor.Publisher[T]) (c Callable[T], ok bool) {
	if callable, _ := MarkOf(p); callable {
		c, ok = p.(Callable[T])
	}
	return c, ok
}

// Source is a publisher of at most one element whose whole chain, from a Callable
// source on, consists of functions of that element. A call that blocks for the
// element may compute it on the spot instead of subscribing. A stage may not, unless it is a Chain:
// events have to come in the order that a subscription gives them.
//
// What is computed directly calls no hooks: [MayCompute] says whether that is so.
type Source[T any] = interface {
	// Direct returns the element and true, or false for none, or the error; v is the zero value in both other
	// cases. It may panic as a user function may, and it may block in such a function.
	Direct(ctx context.Context) (v T, ok bool, err error)
}

// Mark marks a publisher of this module that is a Source. Embed it beside Op. A stage that is one if what it stands behind
// is has the method by itself.
type Mark struct{}

// Computable reports whether it is.
func (Mark) Computable() bool { return true }

// Is reports whether src is marked as a Source. A test for the mark is cheaper than one for the generic interface,
// which costs most where the answer is no; and it is asked where a chain is consumed, not at each assembly of a stage.
//
//go:noinline
func Is(src any) bool {
	m, ok := src.(interface{ Computable() bool })
	return ok && m.Computable()
}

// MayCompute reports whether nothing in ctx or in the process wants to hear of what
// happens to elements inside a subscription.
func MayCompute(ctx context.Context) bool {
	return !reactor.HasHooks(ctx) && upstream.Continuing(ctx) == nil
}
