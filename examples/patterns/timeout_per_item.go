package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var timeoutPerItem = pattern{
	slug:     "timeout-per-item",
	title:    "Timeout for each item",
	what:     "Each call has 25 ms; one that takes longer is skipped.",
	gained:   "The timeout holds also for a call that does not look at its context. `ErrTimeout` of this stream is told from a deadline that somebody else has set.",
	stay:     "One call after the other, all of them looking at their context: `context.WithTimeout` in a loop is just as short.",
	channels: timeoutPerItemChannels,
	streams:  timeoutPerItemStreams,
}

func timeoutPerItemChannels(ctx context.Context, out io.Writer) error {
	for _, id := range []int{1, 3, 2} {
		call, cancel := context.WithTimeout(ctx, 25*time.Millisecond)
		page, err := fetch(call, id)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			fmt.Fprintln(out, id, "takes too long")
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, page)
	}
	return nil
}

func timeoutPerItemStreams(ctx context.Context, out io.Writer) error {
	return flux.Just(1, 3, 2).
		ConcatMap(func(id int) mono.Mono[string] {
			return mono.FromFunc(func(ctx context.Context) (string, error) { return fetch(ctx, id) }).
				SubscribeOn(schedulers.BoundedElastic()).
				Timeout(25*time.Millisecond).
				OnErrorReturn(fmt.Sprint(id, " takes too long"), mono.WhenIs(reactor.ErrTimeout))
		}).
		ForEach(ctx, func(page string) { fmt.Fprintln(out, page) })
}
