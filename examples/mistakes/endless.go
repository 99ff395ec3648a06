package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// endlessInners watches 1000 sensors, and never gets to the 257th.
func endlessInners(ctx context.Context, out io.Writer) error {
	last := 0
	err := flux.Range(1, 1000).
		FlatMap(func(sensor int) flux.Flux[int] {
			return flux.Interval(5 * time.Second).Map(func(int64) int { return sensor })
		}).
		OnBackpressureDrop().
		ForEach(ctx, func(sensor int) { last = max(last, sensor) })
	fmt.Fprintln(out, "the last sensor heard of is", last)
	return err
}

// tooManyGroups has a group per customer, of whom there are more than FlatMap subscribes to.
func tooManyGroups(ctx context.Context, out io.Writer) error {
	return flux.Range(0, 10_000).
		GroupBy(func(n int) int { return n % 1000 }).
		FlatMap(func(g flux.GroupedFlux[int, int]) mono.Mono[int] { return g.Count() }).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// createWithoutDemand puts into a sink as fast as it can for a reader that is slow.
func createWithoutDemand(ctx context.Context, out io.Writer) error {
	return flux.Create(func(s *flux.Sink[int]) {
		for n := range 200_000 {
			s.Next(n)
		}
		s.Complete()
	}).
		DelayElements(time.Second).
		Take(3).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// neverCancelled subscribes for each request and keeps no hand on it.
func neverCancelled(_ context.Context, out io.Writer) error {
	for range 1000 {
		flux.Interval(time.Minute).SubscribeFunc(context.Background(), func(int64) {})
	}
	fmt.Fprintln(out, "timers:", schedulers.Parallel().Stats().Delayed)
	return nil
}

// twoSubscribers lets two read what is for one.
func twoSubscribers(ctx context.Context, out io.Writer) error {
	orders := sinks.Many().Unicast().OnBackpressureBuffer[int]()
	defer flux.From(orders).SubscribeFunc(ctx, func(n int) { fmt.Fprintln(out, n) }).Dispose()
	return flux.From(orders).ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// busyLoopReused has one handler for the emissions of all producers. A subscriber takes its time, and
// that of the handler is up.
func busyLoopReused(ctx context.Context, out io.Writer) error {
	numbers := sinks.Many().Replay().All[int]()
	busy, release := make(chan struct{}), make(chan struct{})
	defer flux.From(numbers).SubscribeFunc(ctx, func(n int) {
		fmt.Fprintln(out, n)
		if n == 1 {
			close(busy)
			<-release
		}
	}).Dispose()
	again := sinks.BusyLooping(5 * time.Millisecond)
	var first sync.WaitGroup
	first.Go(func() { _ = numbers.EmitNext(1, again) })
	<-busy
	err := numbers.EmitNext(2, again)
	close(release)
	first.Wait()
	return err
}
