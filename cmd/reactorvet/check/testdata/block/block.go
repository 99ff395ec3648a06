package block

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func print(int, error) {}

func load(ctx context.Context, n int) mono.Mono[int] { return mono.Just(n) }

func waits(n int) int {
	v, _ := load(context.Background(), n).Block(context.Background()) // want `Block waits in a function of Map`
	return v
}

type loader struct{}

func (loader) waits(n int) int {
	v, _ := load(context.Background(), n).Block(context.Background()) // want `Block waits in a function of Map`
	return v
}

func found(ctx context.Context, f flux.Flux[int]) []flux.Flux[int] {
	literal := func(n int) int {
		v, _ := load(ctx, n).Block(ctx) // want `Block waits in a function of Map`
		return v
	}
	return []flux.Flux[int]{
		f.Map(func(n int) int {
			v, _ := load(ctx, n).Block(ctx) // want `Block waits in a function of Map, and holds the worker that the stream may need: use FlatMap, or PublishOn\(schedulers\.BoundedElastic\(\)\) before it`
			return v
		}),
		f.Filter(func(n int) bool {
			list, err := f.Collect(ctx) // want `Collect waits in a function of Filter`
			return err == nil && len(list) > n
		}),
		f.DoOnNext(func(n int) {
			func() {
				for range f.All(ctx) { // want `All waits in a function of DoOnNext`
				}
			}()
			go print(load(ctx, n).Block(ctx))              // want `Block waits in a function of DoOnNext`
			_, _, _ = load(ctx, n).ToFuture(ctx).Wait(ctx) // want `Wait waits in a function of DoOnNext`
		}),
		f.Map(waits),
		f.Map(loader{}.waits),
		f.Map(literal),
		f.PublishOn(schedulers.BoundedElastic()).PublishOn(schedulers.Parallel()).Map(func(n int) int {
			v, _ := f.BlockFirst(ctx) // want `BlockFirst waits in a function of Map`
			return v
		}),
	}
}

func fine(ctx context.Context, f flux.Flux[int]) []flux.Flux[int] {
	return []flux.Flux[int]{
		f.PublishOn(schedulers.BoundedElastic()).Map(func(n int) int {
			v, _ := load(ctx, n).Block(ctx)
			return v
		}),
		f.Map(func(n int) int {
			go func() { _, _ = load(ctx, n).Block(ctx) }()
			go load(ctx, n).Block(ctx)
			return n
		}),
		f.FlatMap(func(n int) mono.Mono[int] {
			return mono.FromFunc(func(ctx context.Context) (int, error) { return load(ctx, n).Block(ctx) })
		}),
		flux.Defer(func(ctx context.Context) flux.Flux[int] {
			v, _ := load(ctx, 1).Block(ctx)
			return flux.Just(v)
		}),
		flux.From(f.Parallel(2).Map(func(n int) int { return n }).Sequential()),
		f.As(func(f flux.Flux[int]) flux.Flux[int] { // here and now
			n, _ := load(ctx, 1).Block(ctx)
			return f.Take(n)
		}),
	}
}
