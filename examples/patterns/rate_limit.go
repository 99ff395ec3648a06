package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/flux"
)

var rateLimit = pattern{
	slug:     "rate-limit",
	title:    "Rate limit",
	what:     "One call every hundred milliseconds, however fast the source is.",
	gained:   "`Throttle(100, time.Second, flux.Burst(10))` is any rate, with a burst; what was not used during a standstill is not made up for. At most 32 elements wait, so nothing piles up. Under virtual time a test of an hour takes no time.",
	stay:     "Calls come from many places that share one budget: a limiter such as `golang.org/x/time/rate` is a value that they can share.",
	channels: rateLimitChannels,
	streams:  rateLimitStreams,
}

func rateLimitChannels(ctx context.Context, out io.Writer) error {
	start := time.Now()
	turn := time.NewTicker(100 * time.Millisecond)
	defer turn.Stop()
	for id := range 3 {
		fmt.Fprintln(out, "call", id, "at", since(start))
		select {
		case <-turn.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func rateLimitStreams(ctx context.Context, out io.Writer) error {
	start := time.Now()
	return flux.Range(0, 3).
		Throttle(1, 100*time.Millisecond).
		ForEach(ctx, func(id int) { fmt.Fprintln(out, "call", id, "at", since(start)) })
}
