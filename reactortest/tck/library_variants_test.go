package tck

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/sinks"
)

type closer struct{}

func (closer) Close() error { return nil }

func open(context.Context) (closer, error) { return closer{}, nil }

func equal(a, b int) bool { return a == b }

func never(int) monoOf { return mono.Never[int]() }

func both(a, b int) []reactor.Publisher[int] { return []reactor.Publisher[int]{upTo(a), upTo(b)} }

func first(all []int) int { return all[0] }

func last(all []int) int { return all[len(all)-1] }

func container() *[]int { return new([]int) }

func put(c *[]int, v int) { *c = append(*c, v) }

// direct is a sink that keeps nothing, fed with n elements once its subscriber is there and has asked
// for all of them; a buffer is that subscriber.
func direct(open func() *sinks.ManySink[int]) func(n int) fluxOf {
	return func(n int) fluxOf {
		return flux.Defer(func(context.Context) fluxOf {
			s := open()
			return flux.From[int](s).OnBackpressureBuffer().MergeWith(flux.Defer(func(context.Context) fluxOf {
				filled(s, n) //reactorvet:ignore the sink is filled, its stream is s
				return flux.Empty[int]()
			}))
		})
	}
}

// variantRows are the forms of the operators in libraryRows that say the same with more, or with
// less, and more sinks.
var variantRows = []row{
	// Sources.
	source("GenerateStateless", func(n int) fluxOf {
		return flux.Defer(func(context.Context) fluxOf {
			i := 0
			return flux.GenerateStateless(func(s *flux.SyncSink[int]) {
				if i == n {
					s.Complete()
				} else {
					s.Next(i)
				}
				i++
			})
		})
	}),
	source("OnTrigger", func(n int) flux.Flux[time.Time] {
		return flux.OnTrigger(executors.Periodic{Period: ms}).Take(n).OnBackpressureBuffer()
	}, atMost(20), atLeast(1)),
	source("UsingCloser", func(n int) fluxOf { return flux.UsingCloser(open, func(closer) fluxOf { return upTo(n) }) }),
	source("UsingWhenOutcome", func(n int) fluxOf {
		return flux.UsingWhenOutcome(mono.Just(n), upTo, one, func(int, error) monoOf { return one(1) }, one)
	}),
	source("Mono.At", func(int) mono.Mono[time.Time] { return mono.At(time.Now().Add(ms)) }, atMost(1), atLeast(1)),
	source("Mono.FromChan", func(n int) monoOf {
		ch := make(chan int, 1)
		if n > 0 {
			ch <- 1
		}
		close(ch)
		return mono.FromChan(ch)
	}, atMost(1)),
	source("Mono.FromRunnable", func(int) monoOf {
		return mono.FromRunnable[int](func() error { return nil }).DefaultIfEmpty(1)
	}, atMost(1), atLeast(1)),
	source("Mono.FromFuture", func(int) monoOf { return mono.FromFuture(mono.Just(1).ToFuture(context.Background())) }, atMost(1), atLeast(1)),
	source("Mono.Using", func(n int) monoOf {
		return mono.Using(func(context.Context) (int, error) { return n, nil }, func(n int) monoOf { return mono.From(upTo(n)) }, func(int) error { return nil })
	}, atMost(1)),
	source("Mono.UsingCloser", func(n int) monoOf {
		return mono.UsingCloser(open, func(closer) monoOf { return mono.From(upTo(n)) })
	}, atMost(1)),
	source("Mono.UsingWhen", func(n int) monoOf {
		return mono.UsingWhen(mono.Just(n), func(n int) monoOf { return mono.From(upTo(n)) }, one)
	}, atMost(1)),
	source("Mono.UsingWhenOutcome", func(n int) monoOf {
		return mono.UsingWhenOutcome(mono.Just(n), func(n int) monoOf { return mono.From(upTo(n)) }, one,
			func(int, error) monoOf { return one(1) }, one)
	}, atMost(1)),

	// One element after the other.
	source("TryScanSeed", func(n int) fluxOf {
		return upTo(n-1).TryScanSeed(0, func(a, b int) (int, error) { return a + b, nil })
	}, atLeast(1)),
	source("TryScanWith", func(n int) fluxOf {
		return upTo(n-1).TryScanWith(func() (int, error) { return 0, nil }, func(a, b int) (int, error) { return a + b, nil })
	}, atLeast(1)),
	through("DistinctIn", func(f fluxOf) fluxOf {
		return f.DistinctIn(func() int { return 0 }, func(int, int) bool { return true }, func(int) {})
	}),
	through("DistinctUntilChangedFunc", func(f fluxOf) fluxOf { return f.DistinctUntilChangedFunc(same, equal) }),
	through("DoOnErrorAs", func(f fluxOf) fluxOf { return f.DoOnErrorAs(func(*reactor.OpError) {}) }),
	through("Tag", func(f fluxOf) fluxOf { return f.Tag("k", "v") }),
	through("FlatMapSignal", func(f fluxOf) fluxOf {
		return f.FlatMapSignal(mono.Just[int], mono.Error[int], mono.Empty[int])
	}, notAsProcessor),
	source("FlatMapSignal of an end", func(n int) fluxOf {
		return flux.Empty[int]().FlatMapSignal(upTo, func(error) fluxOf { return upTo(0) }, func() fluxOf { return upTo(n) })
	}),
	through("FlatMapSeq2", func(f fluxOf) fluxOf {
		return f.FlatMapSeq2(func(v int) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) { yield(v, nil) }
		})
	}),
	through("TryFlatMap", func(f fluxOf) fluxOf { return f.TryFlatMap(func(v int) (fluxOf, error) { return flux.Just(v), nil }) }),
	through("TryFlatMapSlice", func(f fluxOf) fluxOf { return f.TryFlatMapSlice(func(v int) ([]int, error) { return []int{v}, nil }) }),
	through("ConcatMapSeq", func(f fluxOf) fluxOf {
		return f.ConcatMapSeq(func(v int) iter.Seq[int] { return slices.Values([]int{v}) })
	}),
	through("CollectInto", func(f fluxOf) mono.Mono[*[]int] { return f.CollectInto(container, put) }, atMost(1), atLeast(1)),
	through("ThenEmpty", func(f fluxOf) mono.Mono[struct{}] {
		return f.ThenEmpty(flux.Empty[int]()).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	through("OnBackpressureBufferFunc", func(f fluxOf) fluxOf { return f.OnBackpressureBufferFunc(func(int) {}, flux.Capacity(2000)) }, some),
	through("OnBackpressureBufferTimeout", func(f fluxOf) fluxOf {
		return f.OnBackpressureBufferTimeout(time.Hour, 2000, func(int) {})
	}, some, notAsProcessor),
	source("OnBackpressureDropFunc", func(n int) fluxOf {
		return upTo(n).DelayElements(ms).OnBackpressureDropFunc(func(int) {}).OnBackpressureBuffer()
	}, atMost(30)),
	source("OnBackpressureError", func(n int) fluxOf { return upTo(n).OnBackpressureError().OnBackpressureBuffer() }, some),
	source("SampleTimeout", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).SampleTimeout(one).OnBackpressureBuffer()
	}, atMost(30)),
	through("TimeoutWhenFallback", func(f fluxOf) fluxOf {
		return f.TimeoutWhenFallback(mono.Never[int](), never, flux.Empty[int]())
	}),

	// Combining.
	source("StartWith", func(n int) fluxOf { return upTo(n / 2).StartWith(upTo(n - n/2)) }),
	source("MergeSlice", func(n int) fluxOf { return flux.MergeSlice(both(n/2, n-n/2)) }),
	source("MergeSequentialAll", func(n int) fluxOf { return flux.MergeSequentialAll[int](flux.Just(upTo(n/2), upTo(n-n/2))) }),
	source("MergeComparingWith", func(n int) fluxOf { return upTo(n/2).MergeComparingWith(upTo(n-n/2), cmp.Compare[int]) }),
	source("CombineLatest3", func(n int) fluxOf {
		return flux.CombineLatest3(one(1), one(1), upTo(n), func(_, _, v int) int { return v })
	}),
	source("CombineLatest4", func(n int) fluxOf {
		return flux.CombineLatest4(one(1), one(1), one(1), upTo(n), func(_, _, _, v int) int { return v })
	}),
	source("CombineLatest5", func(n int) fluxOf {
		return flux.CombineLatest5(one(1), one(1), one(1), one(1), upTo(n), func(_, _, _, _, v int) int { return v })
	}),
	source("CombineLatest6", func(n int) fluxOf {
		return flux.CombineLatest6(one(1), one(1), one(1), one(1), one(1), upTo(n), func(_, _, _, _, _, v int) int { return v })
	}),
	source("CombineLatestSlice", func(n int) fluxOf { return flux.CombineLatestSlice(both(1, n), last) }),
	source("GroupJoin", func(n int) fluxOf {
		return upTo(n).GroupJoin(flux.Empty[int](), never, never, func(v int, _ fluxOf) int { return v }).OnBackpressureBuffer()
	}, atMost(100)),
	source("Zip3", func(n int) fluxOf { return flux.Zip3(upTo(n), upTo(n), upTo(n), func(_, _, v int) int { return v }) }, some),
	source("Zip4", func(n int) fluxOf {
		return flux.Zip4(upTo(n), upTo(n), upTo(n), upTo(n), func(_, _, _, v int) int { return v })
	}, some),
	source("Zip5", func(n int) fluxOf {
		return flux.Zip5(upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), func(_, _, _, _, v int) int { return v })
	}, some),
	source("Zip6", func(n int) fluxOf {
		return flux.Zip6(upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), func(_, _, _, _, _, v int) int { return v })
	}, some),
	source("Zip7", func(n int) fluxOf {
		return flux.Zip7(upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), func(_, _, _, _, _, _, v int) int { return v })
	}, some),
	source("Zip8", func(n int) fluxOf {
		return flux.Zip8(upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), upTo(n), func(_, _, _, _, _, _, _, v int) int { return v })
	}, some),
	source("ZipSlice", func(n int) fluxOf { return flux.ZipSlice(both(n, n+1), first) }, some),
	source("ZipSeq", func(n int) fluxOf { return flux.ZipSeq[int](slices.Values(both(n, n+1)), first) }, some),

	// Buffers, windows and groups.
	through("BufferInto", func(f fluxOf) flux.Flux[*[]int] {
		return f.BufferInto(1, container, func(c *[]int, v int) bool { put(c, v); return true })
	}),
	source("BufferOther", func(int) flux.Flux[[]int] { return upTo(3).BufferOther(flux.Never[int]()).OnBackpressureBuffer() }, atMost(1), atLeast(1)),
	source("BufferFor", func(int) flux.Flux[[]int] { return upTo(3).BufferFor(time.Hour).OnBackpressureBuffer() }, atMost(1), atLeast(1)),
	source("BufferWhen", func(int) flux.Flux[[]int] {
		return upTo(3).DelayElements(ms).BufferWhen(mono.Just(1), never).OnBackpressureBuffer()
	}, atMost(1), atLeast(1)),
	through("BufferWhile", func(f fluxOf) flux.Flux[[]int] { return f.BufferWhile(yes) }, atMost(1)),
	through("BufferUntilChangedFunc", func(f fluxOf) flux.Flux[[]int] { return f.BufferUntilChangedFunc(same, equal) }),
	source("WindowOther", func(n int) fluxOf { return upTo(n).WindowOther(flux.Never[int]()).FlatMap(itself) }, some),
	source("WindowOther that closes", func(n int) fluxOf {
		return upTo(n).DelayElements(ms).WindowOther(flux.Interval(3 * ms).OnBackpressureDrop()).ConcatMap(itself)
	}, atMost(30)),
	source("WindowWhen", func(n int) fluxOf {
		return upTo(n).WindowWhen(flux.Just(1).ConcatWith(flux.Never[int]()), never).FlatMap(itself)
	}, some),
	// Not with ConcatMap, which cancels the window before the stream of windows: between the two the
	// rest of the window is asked for, and that of an endless one is endless.
	source("WindowWhile", func(n int) fluxOf { return upTo(n).WindowWhile(yes).FlatMap(itself) }),
	through("WindowUntilChanged", func(f fluxOf) fluxOf { return f.WindowUntilChanged(same).ConcatMap(itself) }, notAsProcessor),
	through("WindowUntilChangedFunc", func(f fluxOf) fluxOf { return f.WindowUntilChangedFunc(same, equal).ConcatMap(itself) }, notAsProcessor),
	source("WindowTimeout", func(n int) fluxOf { return upTo(n).WindowTimeout(3, time.Hour).ConcatMap(itself) }, atMost(90)), // concatMap asks for 32 windows
	source("GroupByMap", func(n int) fluxOf {
		return upTo(n).GroupByMap(func(v int) int { return v % 3 }, same).FlatMap(func(g flux.GroupedFlux[int, int]) fluxOf { return flux.From[int](g) })
	}),

	// In parallel.
	source("ParallelFrom", func(n int) fluxOf { return flux.ParallelFrom(both(n/2, n-n/2)...).Sequential() }),
	through("Parallel.Checkpoint", func(f fluxOf) fluxOf { return f.Parallel(2).Checkpoint("here").Sequential().OnErrorMap(errors.Unwrap) }, notAsProcessor),
	through("Parallel.Tag", func(f fluxOf) fluxOf { return f.Parallel(2).Tag("k", "v").Sequential() }, notAsProcessor),
	source("Parallel.Collect", func(int) flux.Flux[*[]int] { return upTo(5).Parallel(2).Collect(container, put).Sequential().Take(1) }, atMost(1), atLeast(1)),
	through("Parallel.CollectSorted", func(f fluxOf) mono.Mono[[]int] { return f.Parallel(2).CollectSorted(cmp.Compare[int]) }, atMost(1), atLeast(1)),
	through("Parallel.Then", func(f fluxOf) mono.Mono[struct{}] {
		return f.Parallel(2).Then().DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	source("Parallel.Groups", func(n int) fluxOf {
		return upTo(n).Parallel(2).Groups(func(_ int, f fluxOf) fluxOf { return f }).FlatMap(itself)
	}),
	through("Parallel.TransformGroups", func(f fluxOf) fluxOf { return f.Parallel(2).TransformGroups(itself).Sequential() }, notAsProcessor),

	// Monos.
	single("Mono.And", func(m monoOf) mono.Mono[struct{}] { return m.And(one(1)).DefaultIfEmpty(struct{}{}) }, atLeast(1), keepsFailures),
	single("Mono.CacheFor", func(m monoOf) monoOf { return m.CacheFor(func(reactor.Signal[int]) time.Duration { return time.Hour }) }),
	single("Mono.CacheInvalidateIf", func(m monoOf) monoOf { return m.DefaultIfEmpty(1).CacheInvalidateIf(no) }, atLeast(1)),
	single("Mono.CacheInvalidateWhen", func(m monoOf) monoOf { return m.DefaultIfEmpty(1).CacheInvalidateWhen(never, nil) }, atLeast(1)),
	single("Mono.Dematerialize", func(m monoOf) monoOf { return mono.Dematerialize(m.Materialize()) }, keepsFailures),
	single("Mono.DoAfterTerminate", func(m monoOf) monoOf { return m.DoAfterTerminate(nothing) }),
	single("Mono.DoOnEach", func(m monoOf) monoOf { return m.DoOnEach(func(context.Context, reactor.Signal[int]) {}) }),
	single("Mono.DoOnError", func(m monoOf) monoOf { return m.DoOnError(func(error) {}) }),
	single("Mono.DoOnTerminate", func(m monoOf) monoOf { return m.DoOnTerminate(nothing) }),
	single("Mono.RepeatWhenEmpty", func(m monoOf) monoOf { return m.RepeatWhenEmpty(mono.RepeatTimes(1)) }, keepsFailures),
	source("Mono.SequenceEqualFunc", func(int) mono.Mono[bool] { return mono.SequenceEqualFunc(upTo(3), upTo(3), equal) }, atMost(1), atLeast(1)),
	single("Mono.Tag", func(m monoOf) monoOf { return m.Tag("k", "v") }),
	single("Mono.TimeoutFirstFallback", func(m monoOf) monoOf { return m.TimeoutFirstFallback(mono.Never[int](), one(1)) }),
	single("Mono.Transform", func(m monoOf) monoOf { return m.Transform(func(m monoOf) monoOf { return m }) }),
	source("Mono.WhenDelayError", func(int) mono.Mono[struct{}] {
		return mono.WhenDelayError[int](upTo(3), upTo(2)).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	single("Mono.Zip3", func(m monoOf) monoOf { return mono.Zip3(m, one(1), one(1), func(v, _, _ int) int { return v }) }, keepsFailures),
	single("Mono.Zip4", func(m monoOf) monoOf {
		return mono.Zip4(m, one(1), one(1), one(1), func(v, _, _, _ int) int { return v })
	}, keepsFailures),
	single("Mono.Zip5", func(m monoOf) monoOf {
		return mono.Zip5(m, one(1), one(1), one(1), one(1), func(v, _, _, _, _ int) int { return v })
	}, keepsFailures),
	single("Mono.Zip6", func(m monoOf) monoOf {
		return mono.Zip6(m, one(1), one(1), one(1), one(1), one(1), func(v, _, _, _, _, _ int) int { return v })
	}, keepsFailures),
	single("Mono.Zip7", func(m monoOf) monoOf {
		return mono.Zip7(m, one(1), one(1), one(1), one(1), one(1), one(1), func(v, _, _, _, _, _, _ int) int { return v })
	}, keepsFailures),
	single("Mono.Zip8", func(m monoOf) monoOf {
		return mono.Zip8(m, one(1), one(1), one(1), one(1), one(1), one(1), one(1), func(v, _, _, _, _, _, _, _ int) int { return v })
	}, keepsFailures),
	single("Mono.ZipSlice", func(m monoOf) monoOf { return mono.ZipSlice([]monoOf{m, one(1)}, first) }, keepsFailures),

	// Sinks.
	source("Sinks.Unicast without a buffer", direct(func() *sinks.ManySink[int] { return sinks.Many().Unicast().OnBackpressureError[int]() }), some, atLeast(0)),
	source("Sinks.Multicast to all or nobody", direct(func() *sinks.ManySink[int] { return sinks.Many().Multicast().DirectAllOrNothing[int]() }), some),
	source("Sinks.Multicast to who asks", direct(func() *sinks.ManySink[int] { return sinks.Many().Multicast().DirectBestEffort[int]() }), some),
	source("Sinks.Replay of the latest", func(n int) monoOf { return mono.From(filled(sinks.Many().Replay().Latest[int](), n)) }, atMost(1)),
	source("Sinks.Replay of a default", func(int) fluxOf { return filled(sinks.Many().Replay().LatestOrDefault(1), 0) }, atMost(1), atLeast(1)),
	source("Sinks.ManyWithUpstream", func(n int) fluxOf {
		s := sinks.Spec{}.ManyWithUpstream[int]()
		return flux.From[int](s).DoOnSubscribe(func(reactor.Subscription) {
			_, _ = s.SubscribeTo(context.Background(), upTo(n)) // once
		})
	}),
	source("Sinks.Empty", func(int) monoOf {
		s := sinks.Empty[int]()
		s.TryEmitEmpty()
		return mono.From[int](s).DefaultIfEmpty(1)
	}, atMost(1), atLeast(1)),
}
