package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var errorGroup = pattern{
	slug:     "error-group",
	title:    "Error group",
	what:     "Five calls, three at a time. One fails: the others are cancelled, the rest is never begun, and the error is returned.",
	gained:   "Results come as values of a stream, not through variables that several goroutines write. A panic of one call is an error too. `DelayErrors` lets the others finish and joins what failed. `Concurrency(3)` is `SetLimit(3)` because each call has a `SubscribeOn`; without it one call follows the other.",
	stay:     "Calls that are all different and have no results in common: `g.Go` for each is the best there is. A stream joins such a group by `g.Go(func() error { return f.Run(ctx) })`.",
	channels: errorGroupChannels,
	streams:  errorGroupStreams,
}

func errorGroupChannels(ctx context.Context, out io.Writer) error {
	var finished atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(3)
	for _, id := range []int{1, 4, 2, 9, 8} {
		group.Go(func() error {
			_, err := fetch(ctx, id)
			if err == nil {
				finished.Add(1)
			}
			return err
		})
	}
	err := group.Wait()
	fmt.Fprintln(out, finished.Load(), "finished, then:", err)
	return nil
}

func errorGroupStreams(ctx context.Context, out io.Writer) error {
	finished := 0
	err := flux.Just(1, 4, 2, 9, 8).
		FlatMap(func(id int) mono.Mono[string] {
			return mono.FromFunc(func(ctx context.Context) (string, error) { return fetch(ctx, id) }).
				SubscribeOn(schedulers.BoundedElastic())
		}, flux.Concurrency(3)).
		ForEach(ctx, func(string) { finished++ })
	fmt.Fprintln(out, finished, "finished, then:", err)
	return nil
}
