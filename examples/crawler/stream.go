package main

import (
	"context"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// crawlStream crawls with a stream per level.
func crawlStream(ctx context.Context, web *site, db *store) error {
	load := func(path string) mono.Mono[page] {
		return mono.Just(path).
			PublishOn(schedulers.BoundedElastic()).
			TryMapContext(web.get).
			RetryWhen(mono.RetryBackoff(attempts-1, backoff).Filter(mono.WhenIs(errBusy))).
			OnErrorComplete(mono.WhenIs(errGone)).
			TryMapContext(db.save)
	}
	seen := map[string]bool{pathOf(0): true}
	for level := []string{pathOf(0)}; len(level) > 0; {
		pages, err := flux.FromSlice(level).
			Throttle(perSecond, time.Second).
			FlatMap(load, flux.Concurrency(parallel)).
			Collect(ctx)
		if err != nil {
			return err
		}
		level = unseen(pages, seen)
	}
	return nil
}
