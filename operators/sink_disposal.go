package operators

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// sinkDisposal holds what a producer wants done at the end of its sink.
type sinkDisposal struct {
	mu        sync.Mutex
	over      bool     // guarded by mu
	cancelled bool     // over by cancellation; guarded by mu
	cancel    []func() // guarded by mu
	dispose   []func() // guarded by mu
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

// end runs what is due, the first time.
func (d *sinkDisposal) end(ctx context.Context, cancelled bool) {
	d.mu.Lock()
	if d.over {
		d.mu.Unlock()
		return
	}
	d.over, d.cancelled = true, cancelled
	cancel, dispose := d.cancel, d.dispose
	d.cancel, d.dispose = nil, nil
	d.mu.Unlock()
	if cancelled {
		for _, fn := range cancel {
			runLate(ctx, fn)
		}
	}
	for _, fn := range dispose {
		runLate(ctx, fn)
	}
}

// runLate calls a function whose failure nobody waits for.
func runLate(ctx context.Context, fn func()) {
	protocol.Guard(fn, func(err error) { reactor.DropError(ctx, err) })
}
