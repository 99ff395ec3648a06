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

var workerPool = pattern{
	slug:     "worker-pool",
	title:    "Worker pool",
	what:     "Two workers do five jobs; results are printed as they come.",
	gained:   "No group to wait for and no second goroutine that closes the results. The end of `ctx`, a panic of a job or a reader that stops end the workers; in the code with channels each of these hangs or takes the process down until somebody adds it. The workers come from a pool that is shared and has a limit.",
	stay:     "The jobs arrive on a channel already, run as long as the program, and have no results.",
	channels: workerPoolChannels,
	streams:  workerPoolStreams,
}

func workerPoolChannels(ctx context.Context, out io.Writer) error {
	jobs, results := make(chan int), make(chan string)
	go func() {
		defer close(jobs)
		for _, id := range []int{6, 1, 4, 2, 3} {
			jobs <- id
		}
	}()
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for id := range jobs {
				results <- work(id)
			}
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	for page := range results {
		fmt.Fprintln(out, page)
	}
	return nil
}

func workerPoolStreams(ctx context.Context, out io.Writer) error {
	return flux.Just(6, 1, 4, 2, 3).
		FlatMap(func(id int) mono.Mono[string] {
			return mono.FromSupplier(func() string { return work(id) }).
				SubscribeOn(schedulers.BoundedElastic())
		}, flux.Concurrency(2)).
		ForEach(ctx, func(page string) { fmt.Fprintln(out, page) })
}
