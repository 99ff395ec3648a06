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

// CallMark marks a publisher of this module that is a Callable. Embed it beside Op, and Mark or a method Computable, too.
type CallMark struct{}

// IsCallable implements what AsCallable asks for.
func (CallMark) IsCallable() {}

// AsCallable returns p as a Callable if it is marked as one.
func AsCallable[T any](p reactor.Publisher[T]) (c Callable[T], ok bool) {
	if _, ok = p.(interface{ IsCallable() }); ok {
		c, ok = p.(Callable[T])
	}
	return c, ok
}

// Source is a publisher of at most one element whose whole chain, from a Callable
// source on, consists of functions of that element. A call that blocks for the
// element may compute it on the spot instead of subscribing. A stage may not, unless the chain is [InPlace]:
// events have to come in the order that a subscription gives them.
//
// What is computed directly calls no hooks: [MayCompute] says whether that is so.
type Source[T any] = interface {
	// Direct returns the element and true, or false for none, or the error; v is the zero value in both other
	// cases. It may panic as a user function may, and it may block in such a function.
	Direct(ctx context.Context) (v T, ok bool, err error)
}

// Way is what there is in the place of a subscription to a publisher.
type Way int

const (
	_       Way = iota // nothing
	Called             // it is a [Callable] and no [Source]
	Whole              // it is a Source, for a call that blocks
	InPlace            // it is a Source, also for a stage
)

// Mark marks a publisher of this module that is a Source. Embed it beside Op. A stage that is one if what it stands behind
// is has the method by itself, and so has a publisher that a stage may compute, and a Callable that is no Source.
type Mark struct{}

// Computable returns the way.
func (Mark) Computable() Way { return Whole }

// WayOf returns the way that src is marked with. A test for the mark is cheaper than one for the generic interface,
// which costs most where the answer is no; and it is asked where a chain is consumed, not at each assembly of a stage.
//
//go:noinline
func WayOf(src any) Way {
	if m, ok := src.(interface{ Computable() Way }); ok {
		return m.Computable()
	}
	return 0
}

// MayCompute reports whether nothing in ctx or in the process wants to hear of what
// happens to elements inside a subscription.
func MayCompute(ctx context.Context) bool {
	return !reactor.HasHooks(ctx) && upstream.Continuing(ctx) == nil
}
