package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor/flux"
)

var mergeSorted = pattern{
	slug:     "merge-sorted",
	title:    "Merge sorted sources",
	what:     "Two sources are sorted; what comes out is sorted as well.",
	gained:   "It works for any number of sources, none of which is read further ahead than its prefetch.",
	stay:     "The sources are slices: concatenate and sort them.",
	channels: mergeSortedChannels,
	streams:  mergeSortedStreams,
}

func mergeSortedChannels(ctx context.Context, out io.Writer) error {
	send := func(items ...int) <-chan int {
		ch := make(chan int)
		go func() {
			defer close(ch)
			for _, v := range items {
				select {
				case ch <- v:
				case <-ctx.Done():
					return
				}
			}
		}()
		return ch
	}
	a, b := send(1, 4, 9), send(2, 3, 10)
	x, moreA := <-a
	y, moreB := <-b
	for moreA || moreB {
		if moreA && (!moreB || x <= y) {
			fmt.Fprintln(out, x)
			x, moreA = <-a
		} else {
			fmt.Fprintln(out, y)
			y, moreB = <-b
		}
	}
	return context.Cause(ctx)
}

func mergeSortedStreams(ctx context.Context, out io.Writer) error {
	return flux.Just(1, 4, 9).
		MergeComparingWith(flux.Just(2, 3, 10), cmp.Compare[int]).
		ForEach(ctx, func(v int) { fmt.Fprintln(out, v) })
}
