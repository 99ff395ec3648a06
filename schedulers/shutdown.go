package schedulers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// draining holds the shared schedulers that [Shutdown] has taken out of use and that
// have not ended. The list is copied on write, so that it is read without mu held.
var draining struct {
	mu   sync.Mutex
	list []*shared // guarded by mu
}

// Shutdown lets the shared schedulers finish their tasks; call it last in a program
// that must finish its tasks. The schedulers refuse new tasks and end their
// periodic ones at once. Shutdown returns when all other tasks have run; delayed
// tasks run at their time, unless [DropDelayed] is given. The next call of
// [Single], [Parallel] or [BoundedElastic] makes a new scheduler; if a task makes
// one meanwhile, Shutdown waits for the tasks of that scheduler too.
//
// If ctx ends first, the error has the cause of ctx and names the schedulers that
// are still busy. Their tasks go on: another call waits again, [ShutdownNow] stops
// them. A task of a shared scheduler must not call Shutdown: it would wait for
// itself.
//
// A stream that goes on meanwhile fails with [ErrRejected] where it needs a
// scheduler: wait for streams first, or cancel them. A stream that has ended may have
// left a delayed task behind: the end of the grace of RefCount, which cancels the
// source. Shutdown waits for that task too, unless DropDelayed is given. A stream
// that waits only for a periodic task, as Interval does, is told nothing, and waits
// for ever.
func Shutdown(ctx context.Context, opts ...DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is shut down
	}
	for {
		list := drain(take())
		if len(list) == 0 {
			return nil
		}
		errs := make([]error, len(list))
		var wg sync.WaitGroup
		for i, s := range list {
			wg.Go(func() {
				if err := s.Scheduler.DisposeGracefully(ctx, opts...); err != nil {
					errs[i] = fmt.Errorf("schedulers: Shutdown: %s: %w", s.name, err)
					return
				}
				drained(s)
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
}

// drain adds the shared schedulers of snap to those that are being drained, and
// returns them all.
func drain(snap *Snapshot) []*shared {
	draining.mu.Lock()
	defer draining.mu.Unlock()
	draining.list = append(slices.Clip(draining.list), snap.all()...)
	return draining.list
}

// drained removes s from those that are being drained.
func drained(s *shared) {
	draining.mu.Lock()
	defer draining.mu.Unlock()
	draining.list = slices.DeleteFunc(slices.Clone(draining.list), func(d *shared) bool { return d == s })
}

// disposeDraining disposes the shared schedulers that are being drained.
func disposeDraining() {
	draining.mu.Lock()
	list := draining.list
	draining.list = nil
	draining.mu.Unlock()
	for _, s := range list {
		s.Scheduler.Dispose()
	}
}
