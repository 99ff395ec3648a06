package flux_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// A bad argument panics when the chain is put together, and says which operator got
// what. That every function has such a check is what proofs/archtest looks after.
func TestBadArguments(t *testing.T) {
	src := flux.Just(1)
	inner := func(int) flux.Flux[int] { return src }
	//reactorvet:ignore they panic when they are put together
	for want, assemble := range map[string]func(){
		"map: the mapper is nil":                                       func() { src.Map((func(int) int)(nil)) },
		"filter: the predicate is nil":                                 func() { src.Filter(nil) },
		"filterWhen: the test is nil":                                  func() { src.FilterWhen((func(int) mono.Mono[bool])(nil)) },
		"flatMap: the mapper is nil":                                   func() { src.FlatMap((func(int) flux.Flux[int])(nil)) },
		"concatMap: the mapper is nil":                                 func() { src.ConcatMap((func(int) flux.Flux[int])(nil)) },
		"flatMap: concurrency must be positive, got -1":                func() { src.FlatMap(inner, flux.Concurrency(-1)) },
		"flatMap: concurrency must be positive, got 0":                 func() { src.FlatMap(inner, flux.Concurrency(0)) },
		"publishOn: the scheduler is nil":                              func() { src.PublishOn(nil) },
		"publishOn: prefetch must be positive, got -4":                 func() { src.PublishOn(schedulers.Parallel(), flux.Prefetch(-4)) },
		"subscribeOn: the scheduler is nil":                            func() { src.SubscribeOn(nil) },
		"buffer: size must be positive, got 0":                         func() { src.Buffer(0) },
		"window: size must be positive, got -2":                        func() { src.Window(-2) },
		"limitRate: high tide must be positive, got 0":                 func() { src.LimitRate(0) },
		"throttle: burst must be positive, got 0":                      func() { src.Throttle(1, 1, flux.Burst(0)) },
		"take: count must not be negative, got -1":                     func() { src.Take(-1) },
		"skip: count must not be negative, got -7":                     func() { src.Skip(-7) },
		"repeat: times must not be negative, got -1":                   func() { src.Repeat(flux.Times(-1)) },
		"retry: times must not be negative, got -3":                    func() { src.Retry(flux.Times(-3)) },
		"onBackpressureBuffer: capacity must be positive, got 0":       func() { src.OnBackpressureBuffer(flux.Capacity(0)) },
		"range: count must not be negative, got -1":                    func() { flux.Range(0, -1) },
		"buffer: stride must be positive, got 0":                       func() { src.Buffer(1, flux.Stride(0)) },
		"window: stride must be positive, got -1":                      func() { src.Window(1, flux.Stride(-1)) },
		"bufferFor: time between two buffers must be positive, got 0s": func() { src.BufferFor(1, flux.OpenEvery(0)) },
		"windowFor: time between two windows must be positive, got 0s": func() { src.WindowFor(1, flux.OpenEvery(0)) },
		"contextWrite: the key is nil":                                 func() { src.ContextWriteValue(nil, 1) },
		"interval: option 2 is nil":                                    func() { flux.Interval(1, flux.InitialDelay(1), nil) },
		"merge: option 1 is nil":                                       func() { flux.MergeSlice([]flux.Flux[int]{src}, nil) },
		"subscribe: option 1 is nil":                                   func() { src.SubscribeFunc(context.Background(), nil, nil) },
		"as: the function is nil":                                      func() { src.As((func(flux.Flux[int]) int)(nil)) },
		"groupBy: the key function is nil":                             func() { src.GroupBy((func(int) int)(nil)) },
		"tryFlatMap: concurrency must be positive, got 0":              func() { src.TryFlatMap(func(int) (flux.Flux[int], error) { return src, nil }, flux.Concurrency(0)) },
		"flatMapSignal: prefetch must be positive, got -2":             func() { src.FlatMapSignal(inner, nil, nil, flux.Prefetch(-2)) },
		"toChan: prefetch must be positive, got 0":                     func() { src.ToChan(context.Background(), flux.Prefetch(0)) },
		"onBackpressureBuffer: there is no BufferOverflowStrategy(3)":  func() { src.OnBackpressureBuffer(flux.Capacity(1), flux.BufferDropOldest+1) },
		"replay: the scheduler is nil":                                 func() { src.Replay(flux.On(nil)) },
		"refCount: the scheduler is nil":                               func() { src.Publish().RefCount(1, flux.On(nil)) },
		"subscribe: §1.9: the subscriber is nil":                       func() { src.Subscribe(context.Background(), nil) },
	} {
		func() {
			defer func() { assert.Equal(t, "reactor: "+want, recover()) }()
			assemble()
		}()
	}
}
