package executors

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
)

// identity is what the context of a run says about the worker.
type identity struct {
	name   string
	pool   *ThreadPool
	worker *worker // nil where the caller runs the task
}

type identityKey struct{}

// WorkerName returns the name of the worker that runs the task with context ctx,
// for example "io-3", or "" if ctx is not the context of a task on a pool. The
// pprof label "worker" of the goroutine has the same name.
func WorkerName(ctx context.Context) string {
	if ctx == nil {
		return ""
	}
	if id, ok := ctx.Value(identityKey{}).(*identity); ok {
		return id.name
	}
	return ""
}

// callerIdentity is the identity of a task that its submitter runs; ctx is the context of
// the submitter. If the submitter is itself a task on a worker, the identity has the name of
// that worker, but not its Locals, which belong to the submitter. Otherwise it is nil.
func callerIdentity(ctx context.Context) *identity {
	id, ok := ctx.Value(identityKey{}).(*identity)
	if !ok || id.worker == nil {
		return nil
	}
	return &identity{name: id.name, pool: id.pool}
}

// contextFor returns the context for a run, and the same as a runContext if it was made
// for that run; a task with neither a handle nor a context gets the context of the worker.
func (w *worker) contextFor(e *entry) (context.Context, *runContext) {
	if e.h == nil && e.ctx == context.Background() {
		return w.base, nil
	}
	own := newRunContext(e.context(), w.pool, w.id)
	return own, own
}

// runContext is the context of one run. It has the values and the deadline of the
// submitter's context and ends with that, with the pool, or when the task is
// cancelled.
//
// Most tasks never look, so a runContext is only a flag until somebody does. Then
// it makes a standard context, which brings cancellation of derived contexts,
// context.Cause and context.AfterFunc with it.
type runContext struct {
	up      context.Context              // of the submitter; immutable
	pool    *ThreadPool                  // immutable
	id      *identity                    // immutable; nil where the caller runs the task and is no worker
	made    atomic.Pointer[innerContext] // set once, by whoever looks first
	stopped atomic.Pointer[error]        // why the run is to end, once it is; stopFor sets it, and reads made afterwards
}

type innerContext struct {
	context.Context
	cancel    context.CancelCauseFunc
	unwatched func() bool
}

func newRunContext(up context.Context, p *ThreadPool, id *identity) *runContext {
	return &runContext{up: up, pool: p, id: id}
}

// Deadline returns that of the submitter.
func (c *runContext) Deadline() (time.Time, bool) { return c.up.Deadline() }

// Done returns the channel that is closed when the run is to end.
func (c *runContext) Done() <-chan struct{} { return c.inner().Done() }

// Err returns why the run is to end, in the words of package context.
func (c *runContext) Err() error {
	in := c.made.Load()
	if in == nil {
		if c.stopped.Load() == nil && c.pool.ctx.Err() == nil && c.up.Err() == nil {
			return nil
		}
		in = c.inner() // which keeps the first reason
	}
	if err := in.Err(); err != nil {
		return err
	}
	c.overtake(in)
	return in.Err()
}

// Value knows the worker and its labels, what the submitter's context knows, and
// the private key by which package context finds a cancellable parent.
func (c *runContext) Value(key any) any {
	switch key.(type) {
	case identityKey:
		if c.id == nil {
			break
		}
		return c.id
	case *int: // the type of context's private key, and maybe of some that aren't
		if v := c.inner().Value(key); v != nil {
			return v
		}
	}
	return c.up.Value(key)
}

func (c *runContext) inner() *innerContext {
	if in := c.made.Load(); in != nil {
		return in
	}
	in := new(innerContext)
	if c.up.Done() == nil {
		in.Context, in.cancel = context.WithCancelCause(c.pool.ctx)
		in.unwatched = func() bool { return true }
	} else {
		in.Context, in.cancel = context.WithCancelCause(c.up)
		in.unwatched = live.AfterContext(c.pool.ctx, in)
	}
	chaos.Yield()
	if !c.made.CompareAndSwap(nil, in) {
		in.end()
		return c.made.Load()
	}
	chaos.Yield()
	c.overtake(in)
	return in
}

// overtake ends in if the run is to end: that may have been said when there was no in, or who ends in may
// still be on the way.
func (c *runContext) overtake(in *innerContext) {
	switch why := c.stopped.Load(); {
	case why != nil:
		in.cancel(*why)
	case c.pool.ctx.Err() != nil:
		in.cancel(ErrShutdown)
	default:
		return
	}
	in.unwatched()
}

// stop ends the context for the reason why; later calls do nothing.
func (c *runContext) stop(why error) {
	why = reactor.NonNil(why)
	c.stopFor(&why)
}

func (c *runContext) stopFor(why *error) {
	if !c.stopped.CompareAndSwap(nil, why) {
		return
	}
	chaos.Yield()
	if in := c.made.Load(); in != nil {
		in.cancel(*why)
	}
}

// ended is the reason with which contexts end after their run: a variable, since stopFor keeps a pointer.
var ended = context.Canceled

// release ends the context after its run, and ends its watches over the contexts above.
func (c *runContext) release() {
	c.stopFor(&ended)
	if in := c.made.Load(); in != nil {
		in.end()
	}
}

// ContextEnded implements [live.Ended], for the context of the pool.
func (in *innerContext) ContextEnded() { in.cancel(ErrShutdown) }

func (in *innerContext) end() {
	in.unwatched()
	in.cancel(nil)
}
