package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A subscriber that is told of the end of a run ends the goroutine: the source is cancelled all the same.
func TestDisconnectedFromASubscriberThatEndsTheGoroutine(t *testing.T) {
	for name, connectable := range map[string]func(*puppet[int]) ConnectablePublisher[int]{
		"publish": func(src *puppet[int]) ConnectablePublisher[int] { return Publish[int](src) },
		"replay":  func(src *puppet[int]) ConnectablePublisher[int] { return Replay[int](src) },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			shared := connectable(src)
			heard := 0
			SubscribeFunc(context.Background(), shared, nil, OnError(func(error) { heard++; runtime.Goexit() }))
			p := run(shared)
			handle := connectTo(shared)
			racetest.Aside(handle.Dispose)
			assert.Equal(t, 1, heard)
			p.Failed(t, reactor.ErrCancelled)
			assert.Equal(t, int64(1), src.last().cancels.Load())
		})
	}
}

// The source sends too much, and what hears of its cancellation ends the goroutine: subscribers are told.
func TestPublishOverflowWithACancellationThatEndsTheGoroutine(t *testing.T) {
	for name, build := range map[string]func(stream) (stream, func()){
		"publish": func(src stream) (stream, func()) {
			shared := Publish(src, Prefetch(1))
			return shared, func() { connectTo(shared) }
		},
		"selector": func(src stream) (stream, func()) {
			return PublishSelector[int, int](src, func(s stream) stream { return s }, Prefetch(1)), func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			shared, connect := build(DoOnCancel[int](src, runtime.Goexit))
			p := probeOf[int](0)
			shared.Subscribe(ctx, p)
			connect()
			src.last().OnNext(1)
			racetest.Aside(func() { src.last().OnNext(2) })
			p.Failed(t, reactor.ErrOverflow)
			if name == "selector" {
				assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
			}
		})
	}
}

// The run is stopped while an error of the source waits behind an element: subscribers hear of one of them,
// and the other one is dropped.
func TestDisconnectedAsTheSourceFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Publish[int](src)
	var handle reactor.Disposable
	p := probeOf[int](0)
	p.Each = func(int) {
		src.last().OnError(errBoom)
		handle.Dispose()
	}
	shared.Subscribe(ctx, p)
	shared.Connect(ctx, func(d reactor.Disposable) { handle = d })
	src.last().OnNext(1)
	p.Request(1)
	p.Failed(t, reactor.ErrCancelled, 1)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
