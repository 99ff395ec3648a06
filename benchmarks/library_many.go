package benchmarks

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// This library: several sources, streams of streams, many subscribers.

func libTwoThreads() int {
	return libSum(flux.Range(0, Size).SubscribeOn(schedulers.Parallel()).PublishOn(schedulers.Parallel()))
}

func libSingles() int {
	return libSum(flux.Range(0, Singles).FlatMap(func(i int) flux.Flux[int] { return flux.Just(i) }))
}

func libSinglesMono() int {
	return libSum(flux.Range(0, Singles).FlatMap(func(i int) mono.Mono[int] { return mono.Just(i) }))
}

func libSinglesHidden() int {
	return libSum(flux.Range(0, Singles).FlatMap(func(i int) flux.Flux[int] { return flux.Just(i).Hide() }))
}

func libConcatMap() int {
	return libSum(flux.Range(0, Inner).ConcatMap(func(i int) flux.Flux[int] { return flux.Range(i, Inner) }))
}

func libSleepers() int {
	return libSum(flux.Range(0, Sleepers).FlatMap(func(v int) mono.Mono[int] {
		return mono.FromCallable(func() (int, error) {
			time.Sleep(time.Millisecond)
			return v, nil
		}).SubscribeOn(elastic)
	}, flux.Concurrency(Awake)))
}

// elastic has room for all that are awake in P5: the shared one has ten for each processor.
var elastic = func() schedulers.Scheduler {
	s, err := schedulers.NewBoundedElastic(Awake, 100_000, "bench")
	if err != nil {
		panic(err)
	}
	return s
}()

func libGroups() int {
	return libSum(flux.Range(0, Size).GroupBy(key).FlatMap(func(group flux.GroupedFlux[int, int]) mono.Mono[int] {
		return group.Count()
	}, flux.Concurrency(Keys)))
}

func libZip() int { return libSum(flux.Zip(flux.Range(0, Size), flux.Range(0, Size), plus)) }

func libConcat() int {
	return libSum(flux.Concat(libParts(func(f flux.Flux[int]) flux.Flux[int] { return f })...))
}

func libParts(each func(flux.Flux[int]) flux.Flux[int]) []reactor.Publisher[int] {
	parts := make([]reactor.Publisher[int], Sources)
	for i := range parts {
		parts[i] = each(flux.Range(i*Size/Sources, Size/Sources))
	}
	return parts
}

func libMerge(each func(flux.Flux[int]) flux.Flux[int]) int {
	return libSum(flux.Merge(libParts(each)...))
}

func libMergeParallel() int {
	return libMerge(func(f flux.Flux[int]) flux.Flux[int] { return f.SubscribeOn(schedulers.Parallel()) })
}

func libMergeElastic() int {
	return libMerge(func(f flux.Flux[int]) flux.Flux[int] { return f.SubscribeOn(schedulers.BoundedElastic()) })
}

func libMergeHidden() int {
	return libMerge(func(f flux.Flux[int]) flux.Flux[int] { return f.Hide().SubscribeOn(schedulers.Parallel()) })
}

// libAudience subscribes eight times to a stream, lets emit send it, and adds what they
// got.
func libAudience(ctx context.Context, f flux.Flux[int], emit func()) int {
	sums := make([]int, Audience)
	ended := 0
	for i := range sums {
		f.SubscribeFunc(ctx, func(v int) { sums[i] += v },
			flux.OnComplete(func() { ended++ }), flux.OnError(func(err error) { panic(err) }))
	}
	emit()
	if ended != Audience {
		panic("not all have seen the end")
	}
	return total(sums)
}

// libEmit sends the elements of P9 to a sink.
func libEmit(sink *sinks.ManySink[int]) func() {
	return func() {
		for v := range emitted() {
			if r := sink.TryEmitNext(v); r != sinks.OK {
				panic(r)
			}
		}
		if r := sink.TryEmitComplete(); r != sinks.OK {
			panic(r)
		}
	}
}

func libHot(ctx context.Context, sink *sinks.ManySink[int]) int {
	return libAudience(ctx, flux.From(sink), libEmit(sink))
}

func libHotDirect() int {
	return libHot(context.Background(), sinks.Many().Multicast().DirectAllOrNothing[int]())
}

func libHotBuffer() int {
	return libHot(context.Background(), sinks.Many().Multicast().OnBackpressureBuffer[int]())
}

func libHotDirectCtx() int {
	return within(func(ctx context.Context) (int, error) {
		return libHot(ctx, sinks.Many().Multicast().DirectAllOrNothing[int]()), nil
	})
}

func libHotBufferCtx() int {
	return within(func(ctx context.Context) (int, error) {
		return libHot(ctx, sinks.Many().Multicast().OnBackpressureBuffer[int]()), nil
	})
}

func libHotPublish() int {
	return libAudience(context.Background(), flux.Range(0, emitted()).Publish().AutoConnect(Audience), func() {})
}
