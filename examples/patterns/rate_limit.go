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
	gained:   "The source is asked for the next element when its turn has come, so nothing piles up. Under virtual time a test of an hour takes no time.",
	stay:     "Calls come from many places that share one budget: a limiter such as `golang.org/x/time/rate` is a value that they can share.",
	channels: rateLimitChannels,
	streams:  rateLimitStreams,
}

func rateLimitChannels(ctx context.Context, out io.Writer) error {
	start := time.Now()
	turn := time.NewTicker(100 * time.Millisecond)
	defer turn.Stop()
	for id := range 3 {
		select {
		case <-turn.C:
			fmt.Fprintln(out, "call", id, "at", since(start))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func rateLimitStreams(ctx context.Context, out io.Writer) error {
	start := time.Now()
	return flux.Range(0, 3).
		DelayElements(100*time.Millisecond).
		ForEach(ctx, func(id int) { fmt.Fprintln(out, "call", id, "at", since(start)) })
}
