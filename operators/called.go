package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// caller calls the functions of [FromFunc] in the place of their subscriptions, for a stage that
// has one of these functions at work at a time: most of them have returned when a subscription
// would begin. The zero value is ready.
type caller struct {
	call atomic.Pointer[callContext] // of the function that runs, nil if none does, or noMoreCalls
}

// noMoreCalls is the call of a stage that has stopped.
var noMoreCalls = new(callContext)

// begin returns the context for a function, or nil: then the stage has stopped, or it is called again from within one.
func (c *caller) begin(ctx context.Context) *callContext {
	call := &callContext{of: ctx}
	chaos.Yield()
	if !c.call.CompareAndSwap(nil, call) {
		return nil
	}
	return call
}

// ended reports whether the function that got call was let run to its end. It is called once.
func (c *caller) ended(call *callContext) bool {
	chaos.Yield()
	return c.call.CompareAndSwap(call, nil)
}

// stop ends the context of the function that runs, and lets none begin any more.
func (c *caller) stop(ctx context.Context) {
	if call := c.call.Swap(noMoreCalls); call != nil && call != noMoreCalls {
		call.cancelled(ctx)
	}
}
