package tck

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

const ms = time.Millisecond

func upTo(n int) fluxOf { return flux.Range(1, n) }

func integers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func yes(int) bool                         { return true }
func no(int) bool                          { return false }
func nothing()                             {}
func same(v int) int                       { return v }
func try(v int) (int, error)               { return v, nil }
func add(a, b int) int                     { return a + b }
func one(int) mono.Mono[int]               { return mono.Just(1) }
func counted(n int) reactor.Publisher[int] { return upTo(n) }

func itself(f fluxOf) fluxOf { return f }

// ownLocks returns a manager that nobody else has.
func ownLocks() *keylock.Manager {
	m, err := keylock.New(keylock.IdleTTL(0), keylock.LeaseTime(0))
	if err != nil {
		panic(err)
	}
	return m
}

// filled puts n integers and the end into a sink.
func filled(s *sinks.ManySink[int], n int) fluxOf {
	for i := range n {
		s.TryEmitNext(i)
	}
	s.TryEmitComplete()
	return flux.From[int](s)
}

func quietly() flux.LogOption {
	return flux.LogTo(slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// libraryRows are the sources and operators. A row says how to make n elements, or what to do with a
// Flux or Mono, and what is special about it.
var libraryRows = []row{
	// Sources.
	source("Just", func(n int) fluxOf { return flux.Just(integers(n)...) }, some),
	source("FromSlice", func(n int) fluxOf { return flux.FromSlice(integers(n)) }, some),
	source("FromSeq", func(n int) fluxOf { return flux.FromSeq(slices.Values(integers(n))) }, some),
	source("FromSeq2", func(n int) fluxOf {
		return flux.FromSeq2(func(yield func(int, error) bool) {
			for i := range n {
				if !yield(i, nil) {
					return
				}
			}
		})
	}),
	source("FromChan", func(n int) fluxOf {
		ch := make(chan int, n)
		for i := range n {
			ch <- i
		}
		close(ch)
		return flux.FromChan(ch)
	}, some),
	source("Range", func(n int) fluxOf { return flux.Range(1, n) }),
	source("Defer", func(n int) fluxOf { return flux.Defer(func(context.Context) fluxOf { return upTo(n) }) }),
	source("From", func(n int) fluxOf { return flux.From(counted(n)) }),
	source("From a foreign publisher", func(n int) fluxOf {
		return flux.From[int](&flawed{n: int64(n)})
	}),
	source("Interval", func(n int) flux.Flux[int64] {
		return flux.Interval(ms).Take(n).OnBackpressureBuffer()
	}, atMost(100), atLeast(1)),
	source("Create", func(n int) fluxOf {
		return flux.Create(func(s *flux.Sink[int]) {
			for i := range n {
				s.Next(i)
			}
			s.Complete()
		})
	}, some),
	source("Push", func(n int) fluxOf {
		return flux.Push(func(s *flux.Sink[int]) {
			for i := range n {
				s.Next(i)
			}
			s.Complete()
		})
	}, some),
	source("Generate", func(n int) fluxOf {
		return flux.Generate(func() int { return 0 }, func(i int, s *flux.SyncSink[int]) int {
			if i == n {
				s.Complete()
			} else {
				s.Next(i)
			}
			return i + 1
		})
	}),
	source("Using", func(n int) fluxOf {
		return flux.Using(func(context.Context) (int, error) { return n, nil }, upTo, func(int) error { return nil })
	}),
	source("UsingWhen", func(n int) fluxOf {
		return flux.UsingWhen(mono.Just(n), upTo, one)
	}),
	source("Mono.Just", func(int) monoOf { return mono.Just(1) }, atMost(1), atLeast(1)),
	source("Mono.FromCallable", func(int) monoOf { return mono.FromCallable(func() (int, error) { return 1, nil }) }, atMost(1), atLeast(1)),
	source("Mono.FromFunc", func(int) monoOf {
		return mono.FromFunc(func(context.Context) (int, error) { return 1, nil })
	}, atMost(1), atLeast(1)),
	source("Mono.FromSupplier", func(int) monoOf { return mono.FromSupplier(func() int { return 1 }) }, atMost(1), atLeast(1)),
	source("Mono.FromOptional", func(n int) monoOf {
		return mono.FromOptional(func() (int, bool, error) { return 1, n == 1, nil })
	}, atMost(1)),
	source("Mono.JustOrEmpty", func(n int) monoOf { return mono.JustOrEmpty(1, n == 1) }, atMost(1)),
	source("Mono.Create", func(n int) monoOf {
		return mono.Create(func(s *mono.Sink[int]) {
			if n == 0 {
				s.Complete()
			} else {
				s.Success(1)
			}
		})
	}, atMost(1)),
	source("Mono.Defer", func(n int) monoOf {
		return mono.Defer(func(context.Context) monoOf { return mono.From(upTo(n)) })
	}, atMost(1)),
	source("Mono.Delay", func(int) mono.Mono[int64] { return mono.Delay(ms) }, atMost(1), atLeast(1)),
	source("Mono.From", func(n int) monoOf { return mono.From(upTo(n)) }, atMost(1)),

	// One to one.
	through("Map", func(f fluxOf) fluxOf { return f.Map(same) }),
	through("TryMap", func(f fluxOf) fluxOf { return f.TryMap(try) }),
	through("TryMapContext", func(f fluxOf) fluxOf {
		return f.TryMapContext(func(_ context.Context, v int) (int, error) { return v, nil })
	}),
	through("TryFilterContext", func(f fluxOf) fluxOf {
		return f.TryFilterContext(func(context.Context, int) (bool, error) { return true, nil })
	}),
	through("TryDoOnNextContext", func(f fluxOf) fluxOf {
		return f.TryDoOnNextContext(func(context.Context, int) error { return nil })
	}),
	through("MapIndexed", func(f fluxOf) fluxOf { return f.MapIndexed(func(_ int, v int) int { return v }) }),
	through("MapOptional", func(f fluxOf) fluxOf { return f.MapOptional(func(v int) (int, bool) { return v, true }) }),
	through("TryMapOptional", func(f fluxOf) fluxOf {
		return f.TryMapOptional(func(v int) (int, bool, error) { return v, true, nil })
	}),
	through("Handle", func(f fluxOf) fluxOf { return f.Handle(func(v int, s *flux.SyncSink[int]) { s.Next(v) }) }),
	through("Cast", func(f fluxOf) fluxOf { return f.Cast[int]() }),
	through("OfType", func(f fluxOf) fluxOf { return f.OfType[int]() }),
	through("Index", func(f fluxOf) flux.Flux[reactor.Indexed[int]] { return f.Index() }),
	through("Scan", func(f fluxOf) fluxOf { return f.Scan(func(_, v int) int { return v }) }),
	through("TryScan", func(f fluxOf) fluxOf { return f.TryScan(func(_, v int) (int, error) { return v, nil }) }),
	source("Pairwise", func(n int) fluxOf { return upTo(n + 1).Pairwise(add) }, some),
	source("ScanSeed", func(n int) fluxOf { return upTo(n-1).ScanSeed(0, add) }, atLeast(1)),
	source("ScanWith", func(n int) fluxOf { return upTo(n-1).ScanWith(func() int { return 0 }, add) }, atLeast(1)),
	source("Materialize", func(n int) flux.Flux[reactor.Signal[int]] { return upTo(n - 1).Materialize() }, atLeast(1)),
	source("Dematerialize", func(n int) fluxOf { return flux.Dematerialize(upTo(n).Materialize()) }),
	through("Hide", func(f fluxOf) fluxOf { return f.Hide() }),
	through("Name", func(f fluxOf) fluxOf { return f.Name("x").Tag("k", "v") }),
	through("Transform", func(f fluxOf) fluxOf { return f.Transform(func(f fluxOf) fluxOf { return f }) }),
	through("TransformDeferred", func(f fluxOf) fluxOf { return f.TransformDeferred(func(f fluxOf) fluxOf { return f }) }),
	through("ContextWrite", func(f fluxOf) fluxOf {
		return f.ContextWrite(func(ctx context.Context) context.Context { return ctx })
	}),
	through("ContextWriteValue", func(f fluxOf) fluxOf { return f.ContextWriteValue("k", "v") }),
	through("Timestamp", func(f fluxOf) fluxOf { return f.Timestamp(func(_ time.Time, v int) int { return v }) }),
	through("Elapsed", func(f fluxOf) fluxOf { return f.Elapsed(func(_ time.Duration, v int) int { return v }) }),
	through("Timed", func(f fluxOf) flux.Flux[reactor.Timed[int]] { return f.Timed() }),

	// Peeking.
	through("DoOnNext", func(f fluxOf) fluxOf { return f.DoOnNext(func(int) {}) }),
	through("TryDoOnNext", func(f fluxOf) fluxOf { return f.TryDoOnNext(func(int) error { return nil }) }),
	through("DoOnEach", func(f fluxOf) fluxOf { return f.DoOnEach(func(context.Context, reactor.Signal[int]) {}) }),
	through("DoOnError", func(f fluxOf) fluxOf { return f.DoOnError(func(error) {}) }),
	through("DoOnComplete", func(f fluxOf) fluxOf { return f.DoOnComplete(nothing) }),
	through("DoOnTerminate", func(f fluxOf) fluxOf { return f.DoOnTerminate(nothing) }),
	through("DoAfterTerminate", func(f fluxOf) fluxOf { return f.DoAfterTerminate(nothing) }),
	through("DoFinally", func(f fluxOf) fluxOf { return f.DoFinally(func(reactor.SignalKind) {}) }),
	through("DoFirst", func(f fluxOf) fluxOf { return f.DoFirst(nothing) }),
	through("DoOnSubscribe", func(f fluxOf) fluxOf { return f.DoOnSubscribe(func(reactor.Subscription) {}) }),
	through("DoOnRequest", func(f fluxOf) fluxOf { return f.DoOnRequest(func(int64) {}) }),
	through("DoOnCancel", func(f fluxOf) fluxOf { return f.DoOnCancel(nothing) }),
	through("DoOnDiscard", func(f fluxOf) fluxOf { return f.DoOnDiscard(func(int) {}) }),
	through("Log", func(f fluxOf) fluxOf { return f.Log(quietly()) }),
	through("Checkpoint", func(f fluxOf) fluxOf { return f.Checkpoint("here").OnErrorMap(errors.Unwrap) }),
	through("Tap", func(f fluxOf) fluxOf {
		return f.Tap(func(context.Context) *flux.SignalListener[int] { return &flux.SignalListener[int]{} })
	}),

	// Filtering.
	through("Filter", func(f fluxOf) fluxOf { return f.Filter(yes) }),
	source("Filter half", func(n int) fluxOf {
		return flux.Range(1, 2*min(n, math.MaxInt/2)).Filter(func(v int) bool { return v%2 == 0 })
	}),
	through("TryFilter", func(f fluxOf) fluxOf { return f.TryFilter(func(int) (bool, error) { return true, nil }) }),
	through("FilterWhen", func(f fluxOf) fluxOf {
		return f.FilterWhen(func(int) mono.Mono[bool] { return mono.Just(true) })
	}),
	source("Take", func(n int) fluxOf { return flux.Range(0, 1<<30).Take(n) }, some),
	through("Take more", func(f fluxOf) fluxOf { return f.Take(math.MaxInt) }),
	through("TakeLast", func(f fluxOf) fluxOf { return f.TakeLast(1000) }, some, notAsProcessor),
	through("TakeWhile", func(f fluxOf) fluxOf { return f.TakeWhile(yes) }),
	through("TakeUntil", func(f fluxOf) fluxOf { return f.TakeUntil(no) }),
	through("TakeFor", func(f fluxOf) fluxOf { return f.TakeFor(time.Hour) }),
	through("TakeUntilOther", func(f fluxOf) fluxOf { return f.TakeUntilOther(flux.Never[int]()) }),
	source("Skip", func(n int) fluxOf { return upTo(n + 2).Skip(2) }, some),
	source("SkipLast", func(n int) fluxOf { return upTo(n + 2).SkipLast(2) }, some),
	through("SkipWhile", func(f fluxOf) fluxOf { return f.SkipWhile(no) }),
	through("SkipUntil", func(f fluxOf) fluxOf { return f.SkipUntil(yes) }),
	through("SkipFor", func(f fluxOf) fluxOf { return f.SkipFor(0) }),
	through("SkipUntilOther", func(f fluxOf) fluxOf { return f.SkipUntilOther(mono.Just(1)) }),
	through("Distinct", func(f fluxOf) fluxOf { return f.Distinct(same) }),
	through("DistinctUntilChanged", func(f fluxOf) fluxOf { return f.DistinctUntilChanged(same) }),
	through("Sort", func(f fluxOf) fluxOf { return f.Sort(cmp.Compare[int]) }, some, notAsProcessor),
	source("Sample", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).Sample(flux.Interval(ms)).OnBackpressureBuffer()
	}, atMost(30)),
	source("SampleEvery", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).SampleEvery(ms).OnBackpressureBuffer()
	}, atMost(30)),
	source("SampleFirst", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).SampleFirst(one).OnBackpressureBuffer()
	}, atMost(30)),
	source("SampleFirstFor", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).SampleFirstFor(ms).OnBackpressureBuffer()
	}, atMost(30)),
	source("SampleTimeoutFor", func(n int) fluxOf {
		return upTo(n).DelayElements(10 * ms).SampleTimeoutFor(ms).OnBackpressureBuffer()
	}, atMost(30)),

	// One element of many.
	source("ElementAt", func(int) monoOf { return upTo(5).ElementAt(2) }, atMost(1), atLeast(1)),
	source("ElementAtOr", func(int) monoOf { return upTo(5).ElementAtOr(7, 1) }, atMost(1), atLeast(1)),
	source("Last", func(int) monoOf { return upTo(5).Last() }, atMost(1), atLeast(1)),
	source("LastOr", func(int) monoOf { return upTo(0).LastOr(1) }, atMost(1), atLeast(1)),
	source("Next", func(n int) monoOf { return upTo(n).Next() }, atMost(1)),
	source("Single", func(n int) monoOf { return upTo(n).Single() }, atMost(1), atLeast(1)),
	source("SingleOrEmpty", func(n int) monoOf { return upTo(n).SingleOrEmpty() }, atMost(1)),
	source("SingleOrDefault", func(int) monoOf { return upTo(0).SingleOrDefault(1) }, atMost(1), atLeast(1)),
	through("Count", func(f fluxOf) mono.Mono[int] { return f.Count() }, atMost(1), atLeast(1)),
	through("AllMatch", func(f fluxOf) mono.Mono[bool] { return f.AllMatch(yes) }, atMost(1), atLeast(1)),
	through("AnyMatch", func(f fluxOf) mono.Mono[bool] { return f.AnyMatch(yes) }, atMost(1), atLeast(1)),
	through("HasElements", func(f fluxOf) mono.Mono[bool] { return f.HasElements() }, atMost(1), atLeast(1)),
	through("Reduce", func(f fluxOf) monoOf { return f.Reduce(add) }, atMost(1)),
	through("TryReduce", func(f fluxOf) monoOf {
		return f.TryReduce(func(a, b int) (int, error) { return add(a, b), nil })
	}, atMost(1)),
	through("TryFold", func(f fluxOf) monoOf {
		return f.TryFold(0, func(a, b int) (int, error) { return add(a, b), nil })
	}, atMost(1), atLeast(1)),
	through("TryFoldWith", func(f fluxOf) monoOf {
		return f.TryFoldWith(func() int { return 0 }, func(a, b int) (int, error) { return add(a, b), nil })
	}, atMost(1), atLeast(1)),
	through("Fold", func(f fluxOf) monoOf { return f.Fold(0, add) }, atMost(1), atLeast(1)),
	through("FoldWith", func(f fluxOf) monoOf { return f.FoldWith(func() int { return 0 }, add) }, atMost(1), atLeast(1)),
	through("CollectSlice", func(f fluxOf) mono.Mono[[]int] { return f.CollectSlice() }, atMost(1), atLeast(1)),
	through("CollectSorted", func(f fluxOf) mono.Mono[[]int] { return f.CollectSorted(cmp.Compare[int]) }, atMost(1), atLeast(1)),
	through("CollectMap", func(f fluxOf) mono.Mono[map[int]int] { return f.CollectMap(same) }, atMost(1), atLeast(1)),
	through("CollectMultimap", func(f fluxOf) mono.Mono[map[int][]int] { return f.CollectMultimap(same) }, atMost(1), atLeast(1)),
	source("Mono.SequenceEqual", func(int) mono.Mono[bool] { return mono.SequenceEqual(upTo(3), upTo(3)) }, atMost(1), atLeast(1)),
	source("IgnoreElements", func(n int) monoOf { return upTo(5).IgnoreElements().SwitchIfEmpty(mono.From(upTo(n))) }, atMost(1)),

	// Afterwards.
	through("ThenReturn", func(f fluxOf) monoOf { return f.ThenReturn(1) }, atMost(1), atLeast(1)),
	source("ThenMany", func(n int) fluxOf { return upTo(3).ThenMany(upTo(n)) }),
	source("ThenMono", func(n int) monoOf { return upTo(3).ThenMono(mono.From(upTo(n))) }, atMost(1)),
	source("Then", func(int) mono.Mono[struct{}] { return upTo(3).Then().DefaultIfEmpty(struct{}{}) }, atMost(1), atLeast(1)),
	source("Mono.When", func(int) mono.Mono[struct{}] {
		return mono.When[int](upTo(3), upTo(2)).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	source("Mono.When2", func(int) mono.Mono[struct{}] {
		return mono.When2(upTo(3), mono.Just("a")).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	source("Mono.When3", func(int) mono.Mono[struct{}] {
		return mono.When3(upTo(3), mono.Just("a"), mono.Just(true)).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	source("Mono.When4", func(int) mono.Mono[struct{}] {
		return mono.When4(upTo(3), mono.Just("a"), mono.Just(true), mono.Just('x')).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),
	source("Mono.WhenSlice", func(int) mono.Mono[struct{}] {
		return mono.WhenSlice([]fluxOf{upTo(3), upTo(2)}).DefaultIfEmpty(struct{}{})
	}, atMost(1), atLeast(1)),

	// Errors and repetition.
	through("OnErrorComplete", func(f fluxOf) fluxOf { return f.OnErrorComplete() }, keepsFailures),
	through("OnErrorMap", func(f fluxOf) fluxOf { return f.OnErrorMap(func(err error) error { return err }) }),
	through("OnErrorResume", func(f fluxOf) fluxOf {
		return f.OnErrorResume(func(err error) fluxOf { return flux.Error[int](err) })
	}),
	source("OnErrorResume to a fallback", func(n int) fluxOf {
		return flux.Error[int](errBoom).OnErrorResume(func(error) fluxOf { return upTo(n) })
	}),
	through("OnErrorReturn", func(f fluxOf) fluxOf { return f.OnErrorReturn(1) }, keepsFailures),
	through("OnErrorContinue", func(f fluxOf) fluxOf { return f.Map(same).OnErrorContinue(func(error, any) {}) }),
	through("OnErrorStop", func(f fluxOf) fluxOf { return f.OnErrorStop() }),
	through("Retry", func(f fluxOf) fluxOf { return f.Retry(flux.Times(1)) }, notAsProcessor),
	through("RetryWhen", func(f fluxOf) fluxOf { return f.RetryWhen(flux.RetryMax(1)) }, notAsProcessor, keepsFailures),
	through("RetryBackoff", func(f fluxOf) fluxOf { return f.RetryWhen(flux.RetryBackoff(1, ms)) }, notAsProcessor, keepsFailures),
	source("Repeat", func(n int) fluxOf { return flux.Just(1).Repeat(flux.Times(n - 1)) }, atLeast(1)),
	source("RepeatWhen", func(n int) fluxOf { return flux.Just(1).RepeatWhen(flux.RepeatTimes(n - 1)) }, atLeast(1)),
	through("DefaultIfEmpty", func(f fluxOf) fluxOf { return f.DefaultIfEmpty(1) }, atLeast(1), notAsProcessor),
	through("SwitchIfEmpty", func(f fluxOf) fluxOf { return f.SwitchIfEmpty(flux.Empty[int]()) }),
	source("SwitchIfEmpty to the other", func(n int) fluxOf { return flux.Empty[int]().SwitchIfEmpty(upTo(n)) }),
	through("Timeout", func(f fluxOf) fluxOf { return f.Timeout(time.Hour) }),
	through("TimeoutFallback", func(f fluxOf) fluxOf { return f.TimeoutFallback(time.Hour, flux.Empty[int]()) }),
	source("TimeoutFallback to the fallback", func(n int) fluxOf { return flux.Never[int]().TimeoutFallback(ms, upTo(n)) }),
	through("TimeoutFirst", func(f fluxOf) fluxOf { return f.TimeoutFirst(mono.Never[int]()) }),
	through("TimeoutWhen", func(f fluxOf) fluxOf {
		return f.TimeoutWhen(mono.Never[int](), func(int) monoOf { return mono.Never[int]() })
	}),

	// Combining.
	through("ConcatWith", func(f fluxOf) fluxOf { return f.ConcatWith(flux.Empty[int]()) }),
	source("Concat", func(n int) fluxOf { return flux.Concat[int](upTo(n/2), upTo(n-n/2)) }),
	source("ConcatSlice", func(n int) fluxOf { return flux.ConcatSlice([]fluxOf{upTo(n / 2), upTo(n - n/2)}) }),
	source("ConcatDelayError", func(n int) fluxOf { return flux.ConcatDelayError[int](upTo(n/2), upTo(n-n/2)) }),
	source("StartWithValues", func(n int) fluxOf { return upTo(n - 1).StartWithValues(1) }, atLeast(1)),
	source("ConcatWithValues", func(n int) fluxOf { return upTo(n - 1).ConcatWithValues(1) }, atLeast(1)),
	through("MergeWith", func(f fluxOf) fluxOf { return f.MergeWith(flux.Empty[int]()) }, notAsProcessor),
	source("Merge", func(n int) fluxOf { return flux.Merge[int](upTo(n/2), upTo(n-n/2)) }),
	source("MergeDelayError", func(n int) fluxOf { return flux.MergeDelayError[int](upTo(n/2), upTo(n-n/2)) }),
	source("MergeAll", func(n int) fluxOf { return flux.MergeAll[int](flux.Just(upTo(n/2), upTo(n-n/2))) }),
	through("FlatMap of values", func(f fluxOf) fluxOf { return f.FlatMap(mono.Just[int]) }),
	through("FlatMap of publishers", func(f fluxOf) fluxOf {
		return f.FlatMap(func(v int) fluxOf { return flux.Just(v).Hide() })
	}),
	source("FlatMap of many", func(n int) fluxOf { return flux.Just(n/2, n-n/2).FlatMap(upTo, flux.Concurrency(1)) }),
	through("FlatMap on workers", func(f fluxOf) fluxOf {
		return f.FlatMap(func(v int) fluxOf { return flux.Just(v).SubscribeOn(schedulers.Parallel()) })
	}, notAsProcessor),
	through("DelayUntil", func(f fluxOf) fluxOf { return f.DelayUntil(one) }),
	through("Or", func(f fluxOf) fluxOf { return f.Or(flux.Never[int]()) }),
	source("FirstWithSignal", func(n int) fluxOf { return flux.FirstWithSignal[int](flux.Never[int](), upTo(n)) }),
	source("FirstWithSignalSlice", func(n int) fluxOf { return flux.FirstWithSignalSlice([]fluxOf{flux.Never[int](), upTo(n)}) }),
	source("FirstWithValueSlice", func(n int) fluxOf { return flux.FirstWithValueSlice([]fluxOf{flux.Empty[int](), upTo(n)}) }, atLeast(1)),
	source("FirstWithValue", func(n int) fluxOf { return flux.FirstWithValue[int](flux.Empty[int](), upTo(n)) }, atLeast(1)),
	source("Zip", func(n int) fluxOf { return flux.Zip(upTo(n), upTo(n+3), add) }, some),
	through("ZipWith", func(f fluxOf) fluxOf { return f.ZipWith(flux.Range(1, 1<<30), func(a, _ int) int { return a }) }, some, notAsProcessor),
	source("ZipWithSlice", func(n int) fluxOf { return upTo(n).ZipWithSlice(integers(n+1), add) }, some),
	through("ZipWithSeq", func(f fluxOf) fluxOf {
		return f.ZipWithSeq(func(yield func(int) bool) {
			for yield(1) {
			}
		}, func(a, _ int) int { return a })
	}),

	// Many to one, and one after the other.
	through("ConcatMap", func(f fluxOf) fluxOf { return f.ConcatMap(mono.Just[int]) }),
	source("ConcatMap of many", func(n int) fluxOf { return flux.Just(n/2, n-n/2).ConcatMap(upTo) }),
	through("FlatMapSequential", func(f fluxOf) fluxOf { return f.FlatMapSequential(mono.Just[int]) }),
	source("FlatMapSequential of many", func(n int) fluxOf {
		return flux.Just(n/2, n-n/2).FlatMapSequential(upTo)
	}),
	source("SwitchMap", func(n int) fluxOf { return flux.Just(n).SwitchMap(upTo) }),
	source("ExhaustMap", func(n int) fluxOf { return flux.Just(n).Hide().ExhaustMap(upTo) }),
	source("SwitchOnNext", func(n int) fluxOf { return flux.SwitchOnNext[int](flux.Just(upTo(n))) }),
	through("FlatMapSlice", func(f fluxOf) fluxOf { return f.FlatMapSlice(func(v int) []int { return []int{v} }) }),
	through("FlatMapSeq", func(f fluxOf) fluxOf {
		return f.FlatMapSeq(func(v int) iter.Seq[int] { return slices.Values([]int{v}) })
	}),
	source("ConcatMapSlice of many", func(n int) fluxOf { return flux.Just(n).ConcatMapSlice(integers) }, some),
	source("FlatMapMany", func(n int) fluxOf { return flux.FlatMapMany(mono.Just(n), upTo) }),
	source("Expand", func(n int) fluxOf {
		return flux.Just(1).Expand(func(v int) fluxOf { return flux.Range(v+1, min(n-v, 1)) })
	}, atLeast(1), some),
	source("ExpandDeep", func(n int) fluxOf {
		return flux.Just(1).ExpandDeep(func(v int) fluxOf { return flux.Range(v+1, min(n-v, 1)) })
	}, atLeast(1), some),
	source("MergeSequential", func(n int) fluxOf {
		return flux.MergeSequential([]reactor.Publisher[int]{upTo(n / 2), upTo(n - n/2)})
	}),
	source("MergeComparing", func(n int) fluxOf {
		return flux.MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{upTo(n / 2), upTo(n - n/2)})
	}),
	source("MergePriority", func(n int) fluxOf {
		return flux.MergePriority(cmp.Compare[int], []reactor.Publisher[int]{upTo(n / 2), upTo(n - n/2)})
	}),
	source("CombineLatest", func(n int) fluxOf { return flux.CombineLatest(flux.Just(0), upTo(n), add) }),
	through("WithLatestFrom", func(f fluxOf) fluxOf { return f.WithLatestFrom(flux.Just(0), add) }),
	source("Join", func(n int) fluxOf {
		return flux.Just(0).Join(upTo(n),
			func(int) fluxOf { return flux.Never[int]() }, func(int) fluxOf { return flux.Never[int]() }, add).OnBackpressureBuffer()
	}, atMost(100)),
	through("SwitchOnFirst", func(f fluxOf) fluxOf {
		return f.SwitchOnFirst(func(_ reactor.Signal[int], f fluxOf) fluxOf { return f })
	}),

	// Windows.
	source("Window", func(n int) fluxOf { return upTo(n).Window(3).ConcatMap(itself) }),
	source("Window of one", func(n int) fluxOf {
		return upTo(n).Window(1).Map(func(fluxOf) int { return 1 })
	}, some),
	source("WindowUntil", func(n int) fluxOf {
		return upTo(n).WindowUntil(func(v int) bool { return v%3 == 0 }).ConcatMap(itself)
	}),
	source("WindowFor", func(n int) fluxOf { return upTo(n).WindowFor(time.Hour).FlatMap(itself) }, some),

	// Shared.
	source("Publish.AutoConnect", func(n int) fluxOf { return upTo(n).Publish().AutoConnect(1) }),
	source("Publish.RefCount", func(n int) fluxOf { return upTo(n).Publish().RefCount(1) }),
	through("PublishSelector", func(f fluxOf) fluxOf { return f.PublishSelector(itself) }),
	source("Replay.AutoConnect", func(n int) fluxOf { return upTo(n).Replay().AutoConnect(1) }, some),
	source("Replay.RefCount", func(n int) fluxOf { return upTo(n).Replay(flux.History(10)).RefCount(1) }, some),
	source("Share", func(n int) fluxOf { return upTo(n).Share() }),
	source("Cache", func(n int) fluxOf { return upTo(n).Cache() }, some),
	source("ShareNext", func(n int) monoOf { return upTo(n).ShareNext() }, atMost(1)),

	// Sinks.
	source("Sinks.Unicast", func(n int) fluxOf { return filled(sinks.Many().Unicast().OnBackpressureBuffer[int](), n) }, some),
	source("Sinks.Multicast", func(n int) fluxOf {
		return filled(sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.Capacity(1000)), n)
	}, some),
	source("Sinks.Replay", func(n int) fluxOf { return filled(sinks.Many().Replay().All[int](), n) }, some),
	source("Sinks.Replay with a limit", func(n int) fluxOf {
		return filled(sinks.Many().Replay().Limit[int](sinks.History(1000)), n)
	}, some),
	source("Sinks.One", func(n int) fluxOf {
		s := sinks.One[int]()
		if n == 0 {
			s.TryEmitEmpty()
		} else {
			s.TryEmitValue(1)
		}
		return flux.From[int](s)
	}, atMost(1)),

	// Groups and buffers.
	source("GroupBy", func(n int) fluxOf {
		return upTo(n).GroupBy(func(v int) int { return v % 3 }).FlatMap(func(g flux.GroupedFlux[int, int]) fluxOf { return flux.From[int](g) })
	}),
	through("Buffer", func(f fluxOf) flux.Flux[[]int] { return f.Buffer(1) }),
	source("Buffer of three", func(n int) flux.Flux[[]int] { return upTo(3 * n).Buffer(3) }, some),
	source("Buffer that overlaps", func(n int) flux.Flux[[]int] { return upTo(2*n).Buffer(3, flux.Stride(2)) }, some),
	source("Buffer with gaps", func(n int) flux.Flux[[]int] { return upTo(3*n).Buffer(2, flux.Stride(3)) }, some),
	source("BufferAll", func(int) flux.Flux[[]int] { return upTo(3).BufferAll() }, atMost(1), atLeast(1)),
	through("BufferUntil", func(f fluxOf) flux.Flux[[]int] { return f.BufferUntil(yes) }),
	through("BufferUntilChanged", func(f fluxOf) flux.Flux[[]int] { return f.BufferUntilChanged(same) }),
	through("BufferTimeout", func(f fluxOf) flux.Flux[[]int] { return f.BufferTimeout(1, time.Hour, flux.FairBackpressure()) }),

	// Demand.
	through("LimitRate", func(f fluxOf) fluxOf { return f.LimitRate(4) }),
	through("OnBackpressureBuffer", func(f fluxOf) fluxOf { return f.OnBackpressureBuffer() }, some),
	source("OnBackpressureDrop", func(n int) fluxOf { return upTo(n).DelayElements(ms).OnBackpressureDrop().OnBackpressureBuffer() }, atMost(30)),
	source("OnBackpressureLatest", func(n int) fluxOf { return upTo(n).DelayElements(ms).OnBackpressureLatest().OnBackpressureBuffer() }, atMost(30)),

	// Threads and time.
	through("PublishOn", func(f fluxOf) fluxOf { return f.PublishOn(schedulers.Parallel()) }),
	through("PublishOn with a small prefetch", func(f fluxOf) fluxOf { return f.PublishOn(schedulers.Parallel(), flux.Prefetch(1)) }),
	through("SubscribeOn", func(f fluxOf) fluxOf { return f.SubscribeOn(schedulers.Parallel()) }, notAsProcessor),
	through("CancelOn", func(f fluxOf) fluxOf { return f.CancelOn(schedulers.Parallel()) }),
	through("DelayElements", func(f fluxOf) fluxOf { return f.DelayElements(ms) }, atMost(100), keepsFailures),
	through("DelaySequence", func(f fluxOf) fluxOf { return f.DelaySequence(ms) }, some, keepsFailures),
	through("Throttle", func(f fluxOf) fluxOf { return f.Throttle(10, ms, flux.Burst(5)) }, some),
	through("DelaySubscriptionFor", func(f fluxOf) fluxOf { return f.DelaySubscriptionFor(ms) }, notAsProcessor),
	through("DelaySubscription", func(f fluxOf) fluxOf { return f.DelaySubscription(mono.Just(1)) }),

	// In parallel.
	through("Parallel.Transform", func(f fluxOf) fluxOf {
		return f.Parallel(2).Transform(func(p flux.ParallelFlux[int]) flux.ParallelFlux[int] { return p.Map(same) }).Sequential()
	}),
	through("Parallel.Sequential", func(f fluxOf) fluxOf { return f.Parallel(2).Sequential() }),
	through("Parallel.RunOn", func(f fluxOf) fluxOf {
		return f.Parallel(2).RunOn(schedulers.Parallel()).Map(same).Sequential()
	}, notAsProcessor),
	through("Parallel.Ordered", func(f fluxOf) fluxOf { return f.Parallel(2).Ordered(cmp.Compare[int]) }, some, notAsProcessor),
	through("Parallel.Sorted", func(f fluxOf) fluxOf { return f.Parallel(2).Sorted(cmp.Compare[int]) }, some, notAsProcessor),
	through("Parallel.Reduce", func(f fluxOf) monoOf { return f.Parallel(2).Reduce(add) }, atMost(1)),

	// Under a key of package keylock: one of its own for each subscription, which would wait for one another.
	through("keylock.Flux", func(f fluxOf) fluxOf {
		return flux.Defer(func(context.Context) fluxOf { return ownLocks().Flux("k", f) })
	}),
	single("keylock.Mono", func(m monoOf) monoOf {
		return mono.Defer(func(context.Context) monoOf { return ownLocks().Mono("k", m) })
	}),
	source("keylock.Grant", func(int) fluxOf {
		return flux.From[int](mono.Defer(func(context.Context) monoOf {
			return ownLocks().Grant("k").Map(func(l keylock.Lease) int { l.Release(); return 1 })
		}))
	}, atLeast(1), atMost(1)),

	// Monos.
	single("Mono.Map", func(m monoOf) monoOf { return m.Map(same) }),
	single("Mono.TryMap", func(m monoOf) monoOf { return m.TryMap(try) }),
	single("Mono.TryMapContext", func(m monoOf) monoOf {
		return m.TryMapContext(func(_ context.Context, v int) (int, error) { return v, nil })
	}),
	single("Mono.TryFilterContext", func(m monoOf) monoOf {
		return m.TryFilterContext(func(context.Context, int) (bool, error) { return true, nil })
	}),
	single("Mono.TryDoOnNextContext", func(m monoOf) monoOf {
		return m.TryDoOnNextContext(func(context.Context, int) error { return nil })
	}),
	single("Mono.Filter", func(m monoOf) monoOf { return m.Filter(yes) }),
	single("Mono.FilterWhen", func(m monoOf) monoOf { return m.FilterWhen(func(int) mono.Mono[bool] { return mono.Just(true) }) }),
	single("Mono.FlatMap", func(m monoOf) monoOf { return m.FlatMap(one) }),
	single("Mono.Handle", func(m monoOf) monoOf { return m.Handle(func(v int, s *mono.SyncSink[int]) { s.Next(v) }) }),
	single("Mono.Cast", func(m monoOf) monoOf { return m.Cast[int]() }),
	single("Mono.Hide", func(m monoOf) monoOf { return m.Hide() }),
	single("Mono.DefaultIfEmpty", func(m monoOf) monoOf { return m.DefaultIfEmpty(1) }, atLeast(1)),
	single("Mono.SwitchIfEmpty", func(m monoOf) monoOf { return m.SwitchIfEmpty(mono.Empty[int]()) }),
	single("Mono.OnErrorComplete", func(m monoOf) monoOf { return m.OnErrorComplete() }, keepsFailures),
	single("Mono.OnErrorResume", func(m monoOf) monoOf { return m.OnErrorResume(func(err error) monoOf { return mono.Error[int](err) }) }),
	single("Mono.OnErrorReturn", func(m monoOf) monoOf { return m.OnErrorReturn(1) }, keepsFailures),
	single("Mono.OnErrorMap", func(m monoOf) monoOf { return m.OnErrorMap(func(err error) error { return err }) }),
	single("Mono.Retry", func(m monoOf) monoOf { return m.Retry(mono.Times(1)) }),
	single("Mono.DoOnNext", func(m monoOf) monoOf { return m.DoOnNext(func(int) {}) }),
	single("Mono.DoOnSuccess", func(m monoOf) monoOf { return m.DoOnSuccess(func(int, bool) {}) }),
	single("Mono.DoFinally", func(m monoOf) monoOf { return m.DoFinally(func(reactor.SignalKind) {}) }),
	single("Mono.Single", func(m monoOf) monoOf { return m.Single() }, atLeast(1)),
	single("Mono.SingleOptional", func(m monoOf) mono.Mono[bool] { return m.SingleOptional(func(_ int, ok bool) bool { return ok }) }, atLeast(1)),
	single("Mono.HasElement", func(m monoOf) mono.Mono[bool] { return m.HasElement() }, atLeast(1)),
	single("Mono.Materialize", func(m monoOf) mono.Mono[reactor.Signal[int]] { return m.Materialize() }, atLeast(1), keepsFailures),
	single("Mono.Cache", func(m monoOf) monoOf { return m.Cache() }),
	single("Mono.Share", func(m monoOf) monoOf { return m.Share() }),
	single("Mono.Publish", func(m monoOf) monoOf { return m.Publish(func(m monoOf) monoOf { return m }) }),
	single("Mono.PublishOn", func(m monoOf) monoOf { return m.PublishOn(schedulers.Parallel()) }),
	single("Mono.SubscribeOn", func(m monoOf) monoOf { return m.SubscribeOn(schedulers.Parallel()) }),
	single("Mono.CancelOn", func(m monoOf) monoOf { return m.CancelOn(schedulers.Parallel()) }),
	single("Mono.DelayElement", func(m monoOf) monoOf { return m.DelayElement(ms) }),
	single("Mono.DelayUntil", func(m monoOf) monoOf { return m.DelayUntil(one) }),
	single("Mono.DelaySubscriptionFor", func(m monoOf) monoOf { return m.DelaySubscriptionFor(ms) }),
	single("Mono.Timeout", func(m monoOf) monoOf { return m.Timeout(time.Hour) }),
	single("Mono.TakeFor", func(m monoOf) monoOf { return m.TakeFor(time.Hour) }),
	single("Mono.TakeUntilOther", func(m monoOf) monoOf { return m.TakeUntilOther(mono.Never[int]()) }),
	single("Mono.Or", func(m monoOf) monoOf { return m.Or(mono.Never[int]()) }),
	single("Mono.ZipWith", func(m monoOf) monoOf { return m.ZipWith(mono.Just(1), add) }, keepsFailures),
	single("Mono.ZipWhen", func(m monoOf) monoOf { return m.ZipWhen(one, add) }),
	single("Mono.ThenReturn", func(m monoOf) monoOf { return m.ThenReturn(1) }, atLeast(1)),
	single("Mono.ThenMono", func(m monoOf) monoOf { return m.ThenMono(mono.Just(1)) }, atLeast(1)),
	single("Mono.Log", func(m monoOf) monoOf { return m.Log(quietly()) }),
	single("Mono.Checkpoint", func(m monoOf) monoOf { return m.Checkpoint("here") }),
	single("Mono.ContextWrite", func(m monoOf) monoOf { return m.ContextWriteValue("k", "v") }),
	single("Mono.TransformDeferred", func(m monoOf) monoOf { return m.TransformDeferred(func(m monoOf) monoOf { return m }) }),
	single("Flux from a Mono", func(m monoOf) fluxOf { return flux.From(m) }),
}
