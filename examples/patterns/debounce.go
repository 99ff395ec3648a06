package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
)

var debounce = pattern{
	slug:     "debounce",
	title:    "Debounce",
	what:     "Of elements that follow each other quickly only the last one counts, once it has been quiet for thirty milliseconds.",
	gained:   "One line instead of a timer that is started anew with each element. The last element is sent at the end of the source, and a test needs no waiting.",
	stay:     "The loop has the timer anyway, for other reasons.",
	channels: debounceChannels,
	streams:  debounceStreams,
}

func debounceChannels(ctx context.Context, out io.Writer) error {
	source := arrivals(0, 10, 20, 100, 110, 200)
	var last int
	var quiet <-chan time.Time
	for {
		select {
		case v, open := <-source:
			if !open {
				if quiet != nil {
					fmt.Fprintln(out, last)
				}
				return nil
			}
			last, quiet = v, time.After(30*time.Millisecond)
		case <-quiet:
			fmt.Fprintln(out, last)
			quiet = nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func debounceStreams(ctx context.Context, out io.Writer) error {
	return flux.FromChan(arrivals(0, 10, 20, 100, 110, 200)).
		SampleTimeoutFor(30*time.Millisecond).
		ForEach(ctx, func(v int) { fmt.Fprintln(out, v) })
}
