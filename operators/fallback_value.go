package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/stage/single"
)

// fallbackValue is the subscription to one element that stands in for an upstream that has
// ended: the first request emits it and completes.
type fallbackValue[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	value T
	ended reactor.Subscription // to the upstream; a cancellation goes there as well
	spent *atomic.Bool         // emitted or given up
}

// Request emits the element, the first time.
func (f *fallbackValue[T]) Request(int64) {
	if !f.spent.Swap(true) {
		single.Last(f.ctx, f.down, f.value)
	}
}

// Cancel gives the element up.
func (f *fallbackValue[T]) Cancel() {
	f.ended.Cancel()
	f.spent.Store(true)
}
