package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var gracefulStop = pattern{
	slug:     "graceful-stop",
	title:    "Graceful stop",
	what:     "At a signal no more jobs are taken; what has been begun is finished.",
	gained:   "Stopping the source and aborting the work are two different things by construction: the stop completes the source, and completion waits for what is under way; the end of `ctx` aborts.",
	stay:     "There is one worker and one loop.",
	channels: gracefulStopChannels,
	streams:  gracefulStopStreams,
}

func gracefulStopChannels(ctx context.Context, out io.Writer) error {
	stop := make(chan struct{})
	time.AfterFunc(45*time.Millisecond, func() { close(stop) })
	jobs, done := make(chan int), make(chan struct{})
	go func() { // the worker
		defer close(done)
		for id := range jobs {
			fmt.Fprintln(out, work(id))
		}
	}()
	for id := 1; ; id++ {
		select {
		case jobs <- id:
			continue
		case <-stop:
		}
		close(jobs)
		<-done
		fmt.Fprintln(out, "stopped")
		return nil
	}
}

func gracefulStopStreams(ctx context.Context, out io.Writer) error {
	stop := make(chan struct{})
	time.AfterFunc(45*time.Millisecond, func() { close(stop) })
	err := flux.Range(1, 1000).
		TakeUntilOther(flux.FromChan(stop)).
		FlatMap(func(id int) mono.Mono[string] {
			return mono.FromSupplier(func() string { return work(id) }).
				SubscribeOn(schedulers.BoundedElastic())
		}, flux.Concurrency(1)).
		ForEach(ctx, func(page string) { fmt.Fprintln(out, page) })
	fmt.Fprintln(out, "stopped")
	return err
}
