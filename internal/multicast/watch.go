package multicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
)

// Watch ends something with its context. The zero value is ready.
type Watch struct {
	stop atomic.Pointer[func() bool]
	over atomic.Bool
}

// Start has fn called with the cause of the end of ctx when it comes, unless End is called before.
func (w *Watch) Start(ctx context.Context, fn func(cause error)) {
	if ctx.Done() == nil {
		return
	}
	stop := live.AfterContext(ctx, live.Func(func() { fn(reactor.NonNil(context.Cause(ctx))) }))
	w.stop.Store(&stop)
	chaos.Yield()
	if w.over.Load() {
		stop()
	}
}

// End ends the watch, or the one that is about to begin. The context is kept as long as the Watch is.
func (w *Watch) End() {
	w.over.Store(true)
	chaos.Yield()
	if stop := w.stop.Load(); stop != nil {
		(*stop)()
	}
}
