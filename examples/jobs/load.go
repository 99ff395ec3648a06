package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/goreactor/reactor/executors"
)

// load is what the lower table shows: a pool for each rejection policy, and somebody
// who submits more than it can take.
type load struct {
	pools      []*executors.ThreadPool
	submitters sync.WaitGroup
}

func startLoad(ctx context.Context) (*load, error) {
	l := new(load)
	for _, c := range []struct {
		name   string
		policy executors.Policy
	}{
		{"abort", executors.Abort},
		{"caller runs", executors.CallerRuns},
		{"discard", executors.Discard},
		{"discard oldest", executors.DiscardOldest},
	} {
		pool, err := executors.NewThreadPool(2, 4, time.Second, executors.Bounded(8),
			executors.WithName(c.name), executors.WithPolicy(c.policy),
			executors.WithErrorHandler(func(context.Context, error) {})) // the table shows what is dropped
		if err != nil {
			return nil, err
		}
		l.pools = append(l.pools, pool)
		l.submitters.Go(func() { submit(ctx, pool) })
	}
	return l, nil
}

// submit comes in waves: calm seconds, and seconds with twice of what four workers
// can do.
func submit(ctx context.Context, pool *executors.ThreadPool) {
	for n := 0; ctx.Err() == nil; n++ {
		pause := 25 * time.Millisecond
		if n/100%2 == 1 {
			pause = 2500 * time.Microsecond
		}
		// A refusal is counted by the pool; there is nobody else to tell.
		_, _ = pool.Submit(ctx, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, work(20 * time.Millisecond)(ctx)
		})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// stop lets the pools run out.
func (l *load) stop(ctx context.Context) error {
	l.submitters.Wait()
	var errs []error
	for _, p := range l.pools {
		errs = append(errs, p.Close(ctx))
	}
	return errors.Join(errs...)
}
