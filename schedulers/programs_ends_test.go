package schedulers_test

// How tasks, workers and schedulers of a random program (programs_test.go) are disposed. Who does so is noted before, and when it was over
// afterwards: in between both is right.

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/schedulers"
)

// dispose disposes k, if it has a handle, for the task by, or for a client.
func (p *program) dispose(k, by *task) {
	if k == nil {
		return
	}
	p.mu.Lock()
	h := k.handle
	if h != nil {
		k.by = append(k.by, by)
	}
	p.mu.Unlock()
	if h == nil {
		return
	}
	h.Dispose()
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.disposed == 0 && k != by {
		k.disposed = p.now()
	}
	if !h.IsDisposed() {
		p.Fail("task %d: it was disposed, and is not", k.id)
	}
}

// disposeLane disposes the worker of l, if it has one.
func (p *program) disposeLane(l *lane, by *task) {
	if l.w == nil {
		return
	}
	p.mu.Lock()
	l.by = append(l.by, by)
	p.mu.Unlock()
	l.w.Dispose()
	if !l.w.IsDisposed() {
		p.Fail("worker %d: it was disposed, and is not", l.id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.disposed == 0 && (by == nil || by.lane != l) {
		l.disposed = p.now()
	}
}

// closes notes that a disposal of the scheduler begins.
func (p *program) closes() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing == 0 {
		p.closing = p.now()
	}
}

// force disposes the scheduler.
func (p *program) force(by *task) {
	p.closes()
	if p.traits.owns {
		p.mu.Lock()
		p.forced = append(p.forced, by)
		p.mu.Unlock()
	}
	if p.source != nil && by == nil && p.Number%2 == 0 {
		p.source.Dispose()
		p.mu.Lock()
		p.foreign = true
		p.mu.Unlock()
	}
	p.s.Dispose()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traits.owns && by == nil && p.forcing == 0 {
		p.forcing = p.now()
	}
}

// close disposes the scheduler gracefully.
func (p *program) close(ctx context.Context, drops bool) error {
	p.closes()
	var opts []schedulers.DisposeOption
	p.mu.Lock()
	if drops {
		p.drops = true
		opts = append(opts, schedulers.DropDelayed())
	}
	var accepted []*task
	for _, k := range p.books.All() {
		if k.accepted {
			accepted = append(accepted, k)
		}
	}
	p.mu.Unlock()
	if err := p.s.DisposeGracefully(ctx, opts...); err != nil {
		return err
	}
	p.closed(accepted)
	return nil
}

// end ends the program, somehow.
func (p *program) end(r *rand.Rand) {
	ctx, cancel := context.WithTimeout(background, programs.Milliseconds(r, 1, 50))
	defer cancel()
	switch how := r.IntN(10); {
	case how < 2:
		p.force(nil)
	case how < 4:
		_ = p.close(ctx, false)
	case how < 6:
		_ = p.close(ctx, true)
	case how == 6 && p.pool != nil:
		p.mu.Lock()
		p.foreign = true
		p.mu.Unlock()
		p.closes()
		if r.IntN(2) == 0 {
			p.pool.Shutdown()
		} else {
			p.pool.ShutdownNow()
		}
	}
}

// endsAtLast ends what there still is.
func (p *program) endsAtLast() {
	limit, cancel := context.WithTimeout(background, time.Hour)
	defer cancel()
	if err := p.close(limit, false); err != nil && !p.traits.immediate {
		if p.source == nil || !p.traits.loses { // a pinned worker does not hear of what the executor of its source drops
			p.Fail("the scheduler does not end: %v", err)
		}
		p.s.Dispose()
	}
	if p.source != nil {
		if err := p.source.DisposeGracefully(limit); err != nil {
			p.Fail("the source does not end: %v", err)
			p.source.Dispose()
		}
	}
}
