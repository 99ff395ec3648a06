package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

var fanOut = pattern{
	slug:     "fan-out",
	title:    "Fan-out",
	what:     "A long list is shared out to three goroutines that compute; their results are added up.",
	gained:   "No shared state: each rail has a sum of its own, which `Reduce` brings together. How many goroutines compute is a property of the scheduler, set once for the program.",
	stay:     "Each element takes less time than a hop to another goroutine. Then a loop is best, with both.",
	channels: fanOutChannels,
	streams:  fanOutStreams,
}

func fanOutChannels(ctx context.Context, out io.Writer) error {
	numbers, sums := make(chan int), make(chan int)
	go func() {
		defer close(numbers)
		for n := range 1000 {
			numbers <- n
		}
	}()
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			sum := 0
			for n := range numbers {
				sum += n * n
			}
			sums <- sum
		})
	}
	go func() {
		workers.Wait()
		close(sums)
	}()
	total := 0
	for sum := range sums {
		total += sum
	}
	fmt.Fprintln(out, total)
	return nil
}

func fanOutStreams(ctx context.Context, out io.Writer) error {
	total, err := flux.Range(0, 1000).
		Parallel(3).
		RunOn(schedulers.Parallel()).
		Map(func(n int) int { return n * n }).
		Reduce(func(a, b int) int { return a + b }).
		Block(ctx)
	fmt.Fprintln(out, total)
	return err
}
