package main

import (
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

var firstResult = pattern{
	slug:     "first-result-wins",
	title:    "First result wins",
	what:     "Three mirrors are asked; the first that has an answer is heard, the others are cancelled. The fastest one fails.",
	gained:   "Cancelling the losers is part of the operator. If all fail, the error has the errors of all of them.",
	stay:     "There are two, and one of them is a timeout: that is a `select`.",
	channels: firstResultChannels,
	streams:  firstResultStreams,
}

func firstResultChannels(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		page string
		err  error
	}
	mirrors := []int{9, 4, 6}
	answers := make(chan answer, len(mirrors)) // with room for the losers
	for _, id := range mirrors {
		go func() {
			page, err := fetch(ctx, id)
			answers <- answer{page, err}
		}()
	}
	var last error
	for range mirrors {
		a := <-answers
		if a.err == nil {
			fmt.Fprintln(out, a.page)
			return nil
		}
		last = a.err
	}
	return last
}

func firstResultStreams(ctx context.Context, out io.Writer) error {
	var mirrors []mono.Mono[string]
	for _, id := range []int{9, 4, 6} {
		mirrors = append(mirrors, mono.FromFunc(func(ctx context.Context) (string, error) { return fetch(ctx, id) }).
			SubscribeOn(schedulers.BoundedElastic()))
	}
	page, err := mono.FirstWithValue(mirrors...).Block(ctx)
	fmt.Fprintln(out, page)
	return err
}
