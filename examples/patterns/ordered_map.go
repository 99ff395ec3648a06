package main

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var orderedMap = pattern{
	slug:     "ordered-parallel-map",
	title:    "Ordered parallel map",
	what:     "Three calls run at a time; the results are in the order of the arguments.",
	gained:   "Results are handed on as soon as those before them are there, and the source is asked for more only then: it works on a stream without end. The slice needs all arguments and all results in memory.",
	stay:     "There is a slice, and a slice is wanted: errgroup with an index is as short, and reads as what it is.",
	channels: orderedMapChannels,
	streams:  orderedMapStreams,
}

func orderedMapChannels(ctx context.Context, out io.Writer) error {
	ids := []int{3, 1, 2, 6, 5}
	pages := make([]string, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(3)
	for i, id := range ids {
		group.Go(func() (err error) {
			pages[i], err = fetch(ctx, id)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, page := range pages {
		fmt.Fprintln(out, page)
	}
	return nil
}

func orderedMapStreams(ctx context.Context, out io.Writer) error {
	return flux.Just(3, 1, 2, 6, 5).
		FlatMapSequential(func(id int) mono.Mono[string] {
			return mono.FromFunc(func(ctx context.Context) (string, error) { return fetch(ctx, id) }).
				SubscribeOn(schedulers.BoundedElastic())
		}, flux.Concurrency(3)).
		ForEach(ctx, func(page string) { fmt.Fprintln(out, page) })
}
