package benchmarks

import (
	"context"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// This library: several sources, streams of streams, many subscribers.

func libTwoThreads() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).SubscribeOn(schedulers.Parallel()).PublishOn(schedulers.Parallel())
	}, libSum)
}

func libSingles() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).FlatMap(func(i int) flux.Flux[int] { return flux.Just(i) })
	}, libSum)
}

func libSinglesMono() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).FlatMap(func(i int) mono.Mono[int] { return mono.Just(i) })
	}, libSum)
}

func libSinglesHidden() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).FlatMap(func(i int) flux.Flux[int] { return flux.Just(i).Hide() })
	}, libSum)
}

// loaded is a call that may block, and what makes something of its answer.
func loaded(i int) mono.Mono[int] {
	return mono.FromFunc(func(context.Context) (int, error) { return i, nil }).Map(plusOne)
}

func libSinglesLoaded() Life {
	return of(func(n int) flux.Flux[int] { return flux.Range(0, n).FlatMap(loaded) }, libSum)
}

func libConcatMapLoaded() Life {
	return of(func(n int) flux.Flux[int] { return flux.Range(0, n).ConcatMap(loaded) }, libSum)
}

// libConcatMap has n inner streams.
func libConcatMap() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).ConcatMap(func(i int) flux.Flux[int] { return flux.Range(i, Inner) })
	}, libSum)
}

func libSleepers(pause time.Duration) Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).FlatMap(func(v int) mono.Mono[int] {
			return mono.FromCallable(func() (int, error) {
				time.Sleep(pause)
				return v, nil
			}).SubscribeOn(elastic())
		}, flux.Concurrency(Awake))
	}, libSum)
}

// elastic has room for all that are awake in P5: the shared one has ten for each processor.
var elastic = sync.OnceValue(func() schedulers.Scheduler {
	s, err := schedulers.NewBoundedElastic(Awake, 100_000, "bench")
	fail(err)
	return s
})

func libGroups() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).GroupBy(key).FlatMap(func(group flux.GroupedFlux[int, int]) mono.Mono[int] {
			return group.Count()
		}, flux.Concurrency(Keys))
	}, libSum)
}

func libZip() Life {
	return of(func(n int) flux.Flux[int] { return flux.Zip(flux.Range(0, n), flux.Range(0, n), plus) }, libSum)
}

func libConcat() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Concat(libParts(n, func(f flux.Flux[int]) flux.Flux[int] { return f })...)
	}, libSum)
}

func libParts(n int, each func(flux.Flux[int]) flux.Flux[int]) []reactor.Publisher[int] {
	parts := make([]reactor.Publisher[int], Sources)
	for i := range parts {
		parts[i] = each(flux.Range(i*n/Sources, n/Sources))
	}
	return parts
}

func libMerge(each func(flux.Flux[int]) flux.Flux[int]) Life {
	return of(func(n int) flux.Flux[int] { return flux.Merge(libParts(n, each)...) }, libSum)
}

func libMergeParallel() Life {
	return libMerge(func(f flux.Flux[int]) flux.Flux[int] { return f.SubscribeOn(schedulers.Parallel()) })
}

func libMergeElastic() Life {
	return libMerge(func(f flux.Flux[int]) flux.Flux[int] { return f.SubscribeOn(schedulers.BoundedElastic()) })
}

func libMergeHidden() Life {
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

// hotSink is a sink and how many elements it is to emit.
type hotSink struct {
	*sinks.ManySink[int]
	n int
}

func directSink(n int) hotSink {
	return hotSink{sinks.Many().Multicast().DirectAllOrNothing[int](), n}
}

func bufferSink(n int) hotSink {
	return hotSink{sinks.Many().Multicast().OnBackpressureBuffer[int](), n}
}

func (s hotSink) emit() {
	for v := range s.n {
		if r := s.TryEmitNext(v); r != sinks.OK {
			panic(r)
		}
	}
	if r := s.TryEmitComplete(); r != sinks.OK {
		panic(r)
	}
}

// libHot has n elements of which each subscriber gets all.
func libHot(open func(n int) hotSink) Life {
	return of(open, func(s hotSink) int { return libAudience(context.Background(), flux.From(s.ManySink), s.emit) })
}

// libHotCtx is libHot with subscribers whose context can end.
func libHotCtx(open func(n int) hotSink) Life {
	return of(open, within(func(ctx context.Context, s hotSink) (int, error) {
		return libAudience(ctx, flux.From(s.ManySink), s.emit), nil
	}))
}

func libHotPublish() Life {
	return of(func(n int) flux.Flux[int] { return flux.Range(0, n).Publish().AutoConnect(Audience) },
		func(f flux.Flux[int]) int { return libAudience(context.Background(), f, func() {}) })
}

// libCrowd lets n subscribers come to a hot stream, and go in the order in which they came.
func libCrowd() Life {
	return of(directSink, func(s hotSink) int {
		f := flux.From(s.ManySink)
		ends := make([]reactor.Disposable, s.n)
		for i := range ends {
			ends[i] = f.SubscribeFunc(context.Background(), func(int) {})
		}
		for _, end := range ends {
			end.Dispose()
		}
		return s.n
	})
}
