package pending

import (
	"context"

	"github.com/goreactor/reactor"
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

// DiscardEach passes the elements of a buffer to the hook.
func DiscardEach[T any](discard func(any), items []T) {
	for _, v := range items {
		discard(v)
	}
}

// DiscardAll passes the elements of a buffer to the hook, if there is one.
func DiscardAll[T any](discard func(any), buf []T) {
	if discard != nil {
		DiscardEach(discard, buf)
	}
}
