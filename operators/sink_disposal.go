package operators

import (
	"context"
	"slices"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// sinkDisposal holds what a producer wants done at the end of its sink.
type sinkDisposal struct {
	mu        sync.Mutex
	over      bool     // guarded by mu
	cancelled bool     // over by cancellation; guarded by mu
	cancel    []func() // guarded by mu
	dispose   []func() // guarded by mu

	own *sinkContext // made when the producer asks for it; guarded by mu
}

// sinkContext is the context of a producer.
type sinkContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

// context returns the context that ends when the sink is over, for a sink whose
// subscription has ctx.
func (d *sinkDisposal) context(ctx context.Context) context.Context {
	d.mu.Lock()
	made := d.own
	d.mu.Unlock()
	if made != nil {
		return made
	}
	own := newSinkContext(ctx) // not under mu: it calls methods of ctx, which may be a type of the user
	d.mu.Lock()
	if d.own == nil {
		d.own = own
	}
	made = d.own
	over, cancelled := d.over, d.cancelled
	d.mu.Unlock()
	if made != own {
		own.cancel(nil) // somebody else was faster
	}
	if over {
		made.end(ctx, cancelled)
	}
	return made
}

func newSinkContext(ctx context.Context) *sinkContext {
	own, cancel := context.WithCancelCause(ctx)
	return &sinkContext{own, cancel}
}

// end ends the context. A nil one was never asked for.
func (c *sinkContext) end(subscription context.Context, cancelled bool) {
	switch {
	case c == nil:
	case !cancelled:
		c.cancel(nil)
	case context.Cause(subscription) != nil:
		c.cancel(context.Cause(subscription))
	default:
		c.cancel(reactor.ErrCancelled)
	}
}

func (d *sinkDisposal) onCancel(ctx context.Context, fn func()) {
	d.mu.Lock()
	if !d.over {
		d.cancel = append(d.cancel, fn)
	}
	run := d.cancelled
	d.mu.Unlock()
	if run {
		runLate(ctx, fn)
	}
}

func (d *sinkDisposal) onDispose(ctx context.Context, fn func()) {
	d.mu.Lock()
	if !d.over {
		d.dispose = append(d.dispose, fn)
	}
	run := d.over
	d.mu.Unlock()
	if run {
		runLate(ctx, fn)
	}
}

// end runs the functions that are due, the first time.
func (d *sinkDisposal) end(ctx context.Context, cancelled bool) {
	d.mu.Lock()
	if d.over {
		d.mu.Unlock()
		return
	}
	d.over, d.cancelled = true, cancelled
	cancel, dispose := d.cancel, d.dispose
	d.cancel, d.dispose = nil, nil
	own := d.own
	d.mu.Unlock()
	own.end(ctx, cancelled) // first: what follows may wait for those who look at it
	due := dispose
	if cancelled {
		due = slices.Concat(cancel, dispose)
	}
	failure.Persist(len(due), func(i int) bool { runLate(ctx, due[i]); return true })
}

// runLate calls a function for whose failure nobody waits.
func runLate(ctx context.Context, fn func()) {
	failure.Guard(fn, func(err error) { reactor.DropError(ctx, err) })
}
