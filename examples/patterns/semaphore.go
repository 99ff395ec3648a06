package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var semaphore = pattern{
	slug:     "semaphore",
	title:    "Semaphore",
	what:     "Two parts of a program call the same database, which bears two calls at a time.",
	gained:   "The limit is a pool with a name: it has a queue with a bound, refuses what goes beyond, and tells how busy it is. A call that waits costs a task, not a goroutine.",
	stay:     "Callers are goroutines anyway, such as the handlers of a server: `golang.org/x/sync/semaphore` lets them wait with a context.",
	channels: semaphoreChannels,
	streams:  semaphoreStreams,
}

func semaphoreChannels(ctx context.Context, out io.Writer) error {
	var calling gauge
	tokens := make(chan struct{}, 2)
	var calls sync.WaitGroup
	for range 2 { // parts of the program
		for id := range 4 {
			calls.Go(func() {
				select {
				case tokens <- struct{}{}:
				case <-ctx.Done():
					return
				}
				defer func() { <-tokens }()
				calling.add(1)
				work(id)
				calling.add(-1)
			})
		}
	}
	calls.Wait()
	fmt.Fprintln(out, "at most", calling.most(), "at a time")
	return context.Cause(ctx)
}

func semaphoreStreams(ctx context.Context, out io.Writer) error {
	var calling gauge
	database, err := schedulers.NewBoundedElastic(2, 1000, "database")
	if err != nil {
		return err
	}
	defer database.Dispose()
	part := flux.Range(0, 4).FlatMap(func(id int) mono.Mono[string] {
		return mono.FromSupplier(func() string {
			calling.add(1)
			defer calling.add(-1)
			return work(id)
		}).SubscribeOn(database)
	})
	err = flux.Merge[string](part, part).Run(ctx)
	fmt.Fprintln(out, "at most", calling.most(), "at a time")
	return err
}
