package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// callContext is the context of functions that a subscription calls: it has the values and the
// deadline of the subscription's context, and ends when the subscriber cancels, by stop. It is not
// derived from the context of the subscription: the end of that context arrives as a cancellation,
// and so nothing has to be released when a function has returned. It is an object of its own: the
// result of a function may go on using it, and keeps no subscriber alive by that.
//
// Many functions never look at their context, so it is only a flag until one does. Then it makes a
// standard context, for cancellation of derived contexts, context.Cause and context.AfterFunc.
type callContext struct {
	of      context.Context                // of the subscription; immutable
	made    atomic.Pointer[endableContext] // set once, by whoever looks first
	stopped atomic.Pointer[error]          // why; set before made is read
}

type endableContext struct {
	context.Context
	end context.CancelCauseFunc
}

// Deadline returns that of the subscription.
func (c *callContext) Deadline() (time.Time, bool) { return c.of.Deadline() }

// Done returns the channel that is closed when the subscriber cancels.
func (c *callContext) Done() <-chan struct{} { return c.inner().Done() }

// Err returns context.Canceled once the subscriber has cancelled.
func (c *callContext) Err() error {
	if in := c.made.Load(); in != nil {
		return in.Err()
	}
	if c.stopped.Load() != nil {
		return context.Canceled
	}
	return nil
}

// Value returns what the context of the subscription returns; it also answers the private key by
// which package context finds a cancellable parent.
func (c *callContext) Value(key any) any {
	if _, ok := key.(*int); ok { // the type of context's private key, and maybe of some that aren't
		return c.inner().Value(key)
	}
	return c.of.Value(key)
}

func (c *callContext) inner() *endableContext {
	if in := c.made.Load(); in != nil {
		return in
	}
	in := new(endableContext)
	in.Context, in.end = context.WithCancelCause(context.WithoutCancel(c.of))
	chaos.Yield()
	if !c.made.CompareAndSwap(nil, in) {
		in.end(nil)
		return c.made.Load()
	}
	chaos.Yield()
	if why := c.stopped.Load(); why != nil {
		in.end(*why)
	}
	return in
}

// cancelled ends the context because the subscription that ctx is the context of was cancelled.
func (c *callContext) cancelled(ctx context.Context) {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = reactor.ErrCancelled
	}
	c.stop(cause)
}

// stop ends the context because of why. It is called once.
func (c *callContext) stop(why error) {
	c.stopped.Store(&why)
	chaos.Yield()
	if in := c.made.Load(); in != nil {
		in.end(why)
	}
}
