package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/goreactor/reactor/flux"
)

var fanIn = pattern{
	slug:     "fan-in",
	title:    "Fan-in",
	what:     "What two sources send becomes one stream, in the order in which it comes.",
	gained:   "No goroutine for each source to forward it, and no group to know when all are done. When the reader stops, the sources are no longer read.",
	stay:     "There are two sources, known by name, and one `select` handles them differently.",
	channels: fanInChannels,
	streams:  fanInStreams,
}

func fanInChannels(ctx context.Context, out io.Writer) error {
	merged := make(chan int)
	var open sync.WaitGroup
	for _, source := range []<-chan int{arrivals(10, 30, 50), arrivals(20, 40)} {
		open.Go(func() {
			for v := range source {
				select {
				case merged <- v:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		open.Wait()
		close(merged)
	}()
	for v := range merged {
		fmt.Fprintln(out, v)
	}
	return context.Cause(ctx)
}

func fanInStreams(ctx context.Context, out io.Writer) error {
	return flux.Merge[int](flux.FromChan(arrivals(10, 30, 50)), flux.FromChan(arrivals(20, 40))).
		ForEach(ctx, func(v int) { fmt.Fprintln(out, v) })
}
