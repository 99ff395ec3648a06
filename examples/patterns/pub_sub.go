package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/sinks"
)

var pubSub = pattern{
	slug:     "pub-sub",
	title:    "Publish and subscribe",
	what:     "Whoever has subscribed gets what is published from then on.",
	gained:   "What becomes of a slow subscriber is a choice by name (drop, buffer, replay, fail all), not the size of a channel. Subscribing, leaving and publishing may happen at the same time from anywhere; the list and its lock are gone.",
	stay:     "There is exactly one subscriber, for as long as there is a publisher: that is a channel.",
	channels: pubSubChannels,
	streams:  pubSubStreams,
}

func pubSubChannels(ctx context.Context, out io.Writer) error {
	var mu sync.Mutex
	var subscribers []chan string
	subscribe := func() <-chan string {
		mu.Lock()
		defer mu.Unlock()
		ch := make(chan string, 16)
		subscribers = append(subscribers, ch)
		return ch
	}
	publish := func(news string) {
		mu.Lock()
		defer mu.Unlock()
		for _, ch := range subscribers {
			select {
			case ch <- news:
			default: // too slow
			}
		}
	}

	early := subscribe()
	publish("sunrise")
	late := subscribe()
	publish("noon")
	for _, ch := range subscribers {
		close(ch)
	}
	for news := range early {
		fmt.Fprintln(out, "early:", news)
	}
	for news := range late {
		fmt.Fprintln(out, "late:", news)
	}
	return nil
}

func pubSubStreams(ctx context.Context, out io.Writer) error {
	topic := sinks.Many().Multicast().DirectBestEffort[string]() // too slow: dropped
	subscribe := func(who string) {
		flux.From(topic.Source()).SubscribeFunc(ctx, func(news string) { fmt.Fprintln(out, who, news) })
	}

	subscribe("early:")
	topic.TryEmitNext("sunrise")
	subscribe("late:")
	topic.TryEmitNext("noon")
	topic.TryEmitComplete()
	return nil
}
