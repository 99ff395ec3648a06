package schedulers

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// identity is what the context of a task says about the worker that runs the task.
type identity struct {
	name        string
	nonBlocking bool
	base        context.Context // carries the pprof labels of the worker
	slot        *slot           // nil if it is not a slot of this package
}

type identityKey struct{}

// WorkerName returns the name of the worker that runs the task with context ctx, for
// example "parallel-3", or "" if ctx is not the context of a task. Functions of
// streams get the context of their subscription, even if a worker runs them; for that
// context the result is "". The pprof label "worker" of the goroutine has the same
// name, whatever runs on it.
func WorkerName(ctx context.Context) string {
	if ctx == nil {
		return ""
	}
	if id, ok := ctx.Value(identityKey{}).(*identity); ok {
		return id.name
	}
	return ""
}

// taskContext is the context of tasks: one per slot for direct Execute, one per
// worker for its Execute, one in every handle, each below the one before.
//
// Most tasks never look at their context, so a taskContext is only a flag until
// somebody does. Then it makes a standard context, which brings cancellation of
// derived contexts, context.Cause and context.AfterFunc with it.
type taskContext struct {
	up      *taskContext                 // nil for that of a slot; changed if a task moves to another slot, before it starts
	id      atomic.Pointer[identity]     // changed if a task moves, under the locks of both slots
	made    atomic.Pointer[innerContext] // set once, by whoever looks first
	stopped atomic.Bool                  // set by stop, before it reads made
	state   atomic.Uint32                // of the task, if the context is a handle: see stateQueued
}

type innerContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Deadline reports that there is none.
func (c *taskContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done returns the channel that is closed when the task is disposed.
func (c *taskContext) Done() <-chan struct{} { return c.inner().Done() }

// Err returns context.Canceled once the task is disposed.
func (c *taskContext) Err() error {
	if in := c.made.Load(); in != nil {
		return in.Err()
	}
	for t := c; t != nil; t = t.up {
		if t.stopped.Load() {
			return context.Canceled
		}
	}
	return nil
}

// Value knows the identity of the worker, its pprof labels, and the private key
// by which package context finds a cancellable parent.
func (c *taskContext) Value(key any) any {
	switch key.(type) {
	case identityKey:
		return c.id.Load()
	case *int: // the type of context's private key
		return c.inner().Value(key)
	}
	return c.id.Load().base.Value(key)
}

func (c *taskContext) inner() *innerContext {
	if in := c.made.Load(); in != nil {
		return in
	}
	parent := c.id.Load().base
	if c.up != nil {
		parent = c.up
	}
	in := new(innerContext)
	in.Context, in.cancel = context.WithCancelCause(parent)
	chaos.Yield()
	if !c.made.CompareAndSwap(nil, in) {
		in.cancel(nil)
		return c.made.Load()
	}
	chaos.Yield()
	if c.stopped.Load() {
		in.cancel(ErrTaskDisposed)
	}
	return in
}

// stop cancels the context because of a disposal.
func (c *taskContext) stop() {
	c.stopped.Store(true)
	chaos.Yield()
	if in := c.made.Load(); in != nil {
		in.cancel(ErrTaskDisposed)
	}
}

// release cuts the context off from the one above after the end of its task.
func (c *taskContext) release() {
	if in := c.made.Load(); in != nil {
		in.cancel(nil)
	}
}
