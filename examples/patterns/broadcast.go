package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

var broadcast = pattern{
	slug:     "broadcast",
	title:    "Broadcast",
	what:     "Every element of one source goes to two consumers: one counts, one adds up.",
	gained:   "The source runs once and at the pace of the slower consumer, and ends when both have gone; a consumer that leaves in the middle does not block the other one.",
	stay:     "Consumers that are plain functions: call one after the other in the loop.",
	channels: broadcastChannels,
	streams:  broadcastStreams,
}

func broadcastChannels(ctx context.Context, out io.Writer) error {
	consumers := []chan int{make(chan int), make(chan int)}
	count, sum := 0, 0
	var done sync.WaitGroup
	done.Go(func() {
		for range consumers[0] {
			count++
		}
	})
	done.Go(func() {
		for v := range consumers[1] {
			sum += v
		}
	})
	for v := range arrivals(10, 20, 30) {
		for _, ch := range consumers {
			ch <- v
		}
	}
	for _, ch := range consumers {
		close(ch)
	}
	done.Wait()
	fmt.Fprintln(out, count, "elements,", sum, "in all")
	return nil
}

func broadcastStreams(ctx context.Context, out io.Writer) error {
	source := flux.FromChan(arrivals(10, 20, 30)).Publish().RefCount(2)
	line, err := mono.Zip(
		source.Count(),
		source.Reduce(func(a, b int) int { return a + b }),
		func(count, sum int) string { return fmt.Sprint(count, " elements, ", sum, " in all") },
	).Block(ctx)
	fmt.Fprintln(out, line)
	return err
}
