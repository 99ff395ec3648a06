package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// price is something that takes a while and runs on worker.
func price(n int, worker schedulers.Scheduler) mono.Mono[int] {
	return mono.Delay(10*time.Millisecond, mono.On(worker)).Map(func(int64) int { return 100 * n })
}

// blockInMap waits for a stream on a worker that must not wait.
func blockInMap(ctx context.Context, out io.Writer) error {
	return flux.Range(1, 3).
		PublishOn(schedulers.Parallel()).
		TryMap(func(n int) (int, error) { return price(n, schedulers.Parallel()).Block(ctx) }).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// blockInAGoroutine gets round that by a goroutine and a channel, and waits all the same: for a
// task of the worker that it holds.
func blockInAGoroutine(ctx context.Context, out io.Writer) error {
	workers, err := schedulers.NewParallel("pricing", 1)
	if err != nil {
		return err
	}
	defer workers.Dispose()
	return flux.Range(1, 3).
		PublishOn(workers).
		Map(func(n int) int {
			done := make(chan int, 1)
			go func() {
				v, _ := price(n, workers).Block(ctx)
				done <- v
			}()
			return <-done
		}).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// blockingOnParallel waits for something that has nothing to do with streams.
func blockingOnParallel(ctx context.Context, out io.Writer) error {
	answers := make(chan int)
	return flux.Range(1, 3).
		PublishOn(schedulers.Parallel()).
		Map(func(n int) int {
			select {
			case a := <-answers:
				return a
			case <-ctx.Done():
				return n
			}
		}).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// lastWorker waits on the only worker of a pool for a task that needs this worker.
func lastWorker(ctx context.Context, out io.Writer) error {
	files, err := schedulers.NewBoundedElastic(1, 100, "files")
	if err != nil {
		return err
	}
	defer files.Dispose()
	read := func(name string) mono.Mono[string] {
		return mono.FromCallable(func() (string, error) { return "contents of " + name, nil }).SubscribeOn(files)
	}
	index := mono.FromCallable(func() (string, error) { return read("a.txt").Block(ctx) }).SubscribeOn(files)
	text, err := index.Block(ctx)
	fmt.Fprintln(out, text)
	return err
}

// virtualTimeStands waits for a time that nobody lets pass.
func virtualTimeStands(ctx context.Context, out io.Writer) error {
	clock := reactortest.NewVirtualTime()
	tick, err := flux.Interval(time.Hour, flux.On(clock)).BlockFirst(ctx)
	fmt.Fprintln(out, tick)
	return err
}
