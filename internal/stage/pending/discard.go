package pending

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Discard passes v to the discard hook, if there is one. It is for stages with elements
// of several types: hook may come from [reactor.DiscardHookFor] another type.
func Discard[T any](hook func(any), v T) {
	if hook != nil {
		hook(v)
	} else if reactor.Owns[T]() {
		reactor.Abandon(context.Background(), v)
	}
}

// DiscardAll passes the elements of a buffer to the hook, if there is one.
func DiscardAll[T any](discard func(any), buf []T) {
	if discard != nil {
		failure.Persist(len(buf), func(i int) bool { discard(buf[i]); return true }) // it may end the goroutine
	}
}

// Unwanted is where a stage discards elements that it may get many of, all under the same context. It looks for the hook
// with the first of them, and boxes none that nobody wants to hear of. One goroutine at a time;
// where there are several, a new one for each element.
type Unwanted[T any] struct {
	hook   func(any) // nil if there is none
	looked bool
	owns   bool // without a hook elements are to be told
}

// Discard is reactor.Discard.
func (u *Unwanted[T]) Discard(ctx context.Context, v T) {
	if !u.looked {
		u.hook, u.looked = reactor.DiscardHook(ctx), true
		u.owns = u.hook == nil && reactor.Owns[T]()
	}
	switch {
	case u.hook != nil:
		u.hook(v)
	case u.owns: // what DiscardHookFor returns is allocated, and a stage that is new each time would have it for each element
		reactor.Abandon(ctx, v)
	}
}
