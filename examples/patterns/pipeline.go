package main

import (
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor/flux"
)

var pipeline = pattern{
	slug:     "pipeline-with-cancel",
	title:    "Pipeline with cancel",
	what:     "Numbers are squared until the first square above fifty; then everything stops.",
	gained:   "A stage is a function, not a goroutine with a channel and a `select`. Leaving the loop cancels the source; there is nothing to forget.",
	stay:     "Stages that keep state of their own for long, talk to each other both ways, and are easier to read as goroutines.",
	channels: pipelineChannels,
	streams:  pipelineStreams,
}

func pipelineChannels(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	numbers, squares := make(chan int), make(chan int)
	go func() {
		defer close(numbers)
		for n := 1; ; n++ {
			select {
			case numbers <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		defer close(squares)
		for n := range numbers {
			select {
			case squares <- n * n:
			case <-ctx.Done():
				return
			}
		}
	}()
	for square := range squares {
		if square > 50 {
			break
		}
		fmt.Fprintln(out, square)
	}
	return context.Cause(ctx)
}

func pipelineStreams(ctx context.Context, out io.Writer) error {
	squares := flux.FromSeq(func(yield func(int) bool) {
		for n := 1; yield(n); n++ {
		}
	}).Map(func(n int) int { return n * n })

	for square, err := range squares.All(ctx) {
		if err != nil {
			return err
		}
		if square > 50 {
			break
		}
		fmt.Fprintln(out, square)
	}
	return nil
}
