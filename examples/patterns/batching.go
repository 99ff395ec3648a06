package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
)

var batching = pattern{
	slug:     "batching",
	title:    "Batching by size or time",
	what:     "Elements are handled three at a time, but none waits for more than fifty milliseconds.",
	gained:   "One line instead of a timer that has to be started with the first element, stopped at the third, and drained when it had rung meanwhile. What is left at the end is sent, at a cancellation it is discarded. A reader that is too slow for the timer is an error, or holds the source with `FairBackpressure`.",
	stay:     "The batch is the write buffer of something that has `Flush`.",
	channels: batchingChannels,
	streams:  batchingStreams,
}

func batchingChannels(ctx context.Context, out io.Writer) error {
	source := arrivals(0, 10, 20, 30, 200, 210)
	var batch []int
	var full <-chan time.Time // rings when the oldest element has waited long enough
	flush := func() {
		if len(batch) > 0 {
			fmt.Fprintln(out, batch)
		}
		batch, full = nil, nil
	}
	for {
		select {
		case v, open := <-source:
			if !open {
				flush()
				return nil
			}
			if batch = append(batch, v); len(batch) == 1 {
				full = time.After(50 * time.Millisecond)
			}
			if len(batch) == 3 {
				flush()
			}
		case <-full:
			flush()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func batchingStreams(ctx context.Context, out io.Writer) error {
	return flux.FromChan(arrivals(0, 10, 20, 30, 200, 210)).
		BufferTimeout(3, 50*time.Millisecond).
		ForEach(ctx, func(batch []int) { fmt.Fprintln(out, batch) })
}
