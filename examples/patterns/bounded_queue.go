package main

import (
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/sinks"
)

var boundedQueue = pattern{
	slug:     "bounded-queue",
	title:    "Bounded queue",
	what:     "Two elements may wait; a producer that brings more is told so and goes on.",
	gained:   "The answer to a full queue is a value with a name, and the queue can be a stage: `OnBackpressureBuffer` drops the newest, the oldest, or fails. An error or the end comes after what waits.",
	stay:     "The producer is to wait. A channel with a size does that, and needs nothing else.",
	channels: boundedQueueChannels,
	streams:  boundedQueueStreams,
}

func boundedQueueChannels(ctx context.Context, out io.Writer) error {
	queue := make(chan int, 2)
	for v := range 4 {
		select {
		case queue <- v:
		default:
			fmt.Fprintln(out, v, "is one too many")
		}
	}
	close(queue)
	for v := range queue {
		fmt.Fprintln(out, "got", v)
	}
	return nil
}

func boundedQueueStreams(ctx context.Context, out io.Writer) error {
	queue := sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.Capacity(2))
	for v := range 4 {
		if !queue.TryEmitNext(v).IsSuccess() {
			fmt.Fprintln(out, v, "is one too many")
		}
	}
	queue.TryEmitComplete()
	return flux.From(queue.Source()).
		ForEach(ctx, func(v int) { fmt.Fprintln(out, "got", v) })
}
