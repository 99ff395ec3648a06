package main

import (
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor/flux"
)

var toRange = pattern{
	slug:     "stream-to-range",
	title:    "Stream to range",
	what:     "A function returns elements as they come, and perhaps an error; the caller ranges over them.",
	gained:   "The error arrives in the loop, not on a second channel that somebody has to remember. `break` cancels the source and waits until it has been told.",
	stay:     "The caller needs a `select` over several such streams. `ToChan` makes channels of a stream then.",
	channels: toRangeChannels,
	streams:  toRangeStreams,
}

func toRangeChannels(ctx context.Context, out io.Writer) error {
	pages := func(ctx context.Context) (<-chan string, <-chan error) {
		found, failed := make(chan string), make(chan error, 1)
		go func() {
			defer close(failed)
			defer close(found)
			for _, id := range []int{1, 2, 4} {
				page, err := fetch(ctx, id)
				if err != nil {
					failed <- err
					return
				}
				select {
				case found <- page:
				case <-ctx.Done():
					failed <- context.Cause(ctx)
					return
				}
			}
		}()
		return found, failed
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // or a loop that is left leaks the goroutine
	found, failed := pages(ctx)
	for page := range found {
		fmt.Fprintln(out, page)
	}
	if err := <-failed; err != nil {
		fmt.Fprintln(out, "failed:", err)
	}
	return nil
}

func toRangeStreams(ctx context.Context, out io.Writer) error {
	pages := flux.Just(1, 2, 4).TryMap(func(id int) (string, error) { return fetch(ctx, id) })

	for page, err := range pages.All(ctx) {
		if err != nil {
			fmt.Fprintln(out, "failed:", err)
			break
		}
		fmt.Fprintln(out, page)
	}
	return nil
}
