package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
)

// crawlGroup crawls with a group of goroutines per level.
func crawlGroup(ctx context.Context, web *site, db *store) error {
	load := func(ctx context.Context, path string) (p page, ok bool, err error) {
		delay := backoff
		for attempt := 1; ; attempt++ {
			p, err = web.get(ctx, path)
			if err == nil {
				break
			}
			if errors.Is(err, errGone) {
				return page{}, false, nil
			}
			if !errors.Is(err, errBusy) || attempt == attempts {
				return page{}, false, err
			}
			select {
			case <-time.After(delay/2 + rand.N(delay)):
			case <-ctx.Done():
				return page{}, false, context.Cause(ctx)
			}
			delay *= 2
		}
		p, err = db.save(ctx, p)
		return p, err == nil, err
	}
	limit := rate.NewLimiter(perSecond, 1)
	seen := map[string]bool{pathOf(0): true}
	for level := []string{pathOf(0)}; len(level) > 0; {
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(parallel)
		var mu sync.Mutex
		var pages []page
		for _, path := range level {
			if err := limit.Wait(inner); err != nil {
				break
			}
			group.Go(func() error {
				p, ok, err := load(inner, path)
				if err != nil || !ok {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				pages = append(pages, p)
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		level = unseen(pages, seen)
	}
	return nil
}
