package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
)

var ticker = pattern{
	slug:     "ticker",
	title:    "Ticker",
	what:     "Something is done every hundred milliseconds, three times.",
	gained:   "Nothing to stop. A tick that nobody was ready for is an error, or what `OnBackpressureDrop` makes of it; a `time.Ticker` drops it without a word.",
	stay:     "The loop has a `select` with other cases.",
	channels: tickerChannels,
	streams:  tickerStreams,
}

func tickerChannels(ctx context.Context, out io.Writer) error {
	start := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := range 3 {
		select {
		case <-tick.C:
			fmt.Fprintln(out, "tick", n, "at", since(start))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func tickerStreams(ctx context.Context, out io.Writer) error {
	start := time.Now()
	return flux.Interval(100*time.Millisecond).
		Take(3).
		ForEach(ctx, func(n int64) { fmt.Fprintln(out, "tick", n, "at", since(start)) })
}
