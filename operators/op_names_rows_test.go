package operators_test

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

func flatteningRows() []named {
	seq := f1[int, iter.Seq[int]]
	yields := func(die func()) func(int) iter.Seq[int] {
		return func(int) iter.Seq[int] { return func(func(int) bool) { die() } }
	}
	return []named{
		{"FlatMap", "flatMap", func(src ints, die func()) any { return operators.FlatMap(src, toPub[int](die)) }},
		{"FlatMapSequential", "flatMapSequential", func(src ints, die func()) any { return operators.FlatMapSequential(src, toPub[int](die)) }},
		{"FlatMapSlice", "flatMapSlice", func(src ints, die func()) any { return operators.FlatMapSlice(src, f1[int, []int](die)) }},
		{"TryFlatMap", "tryFlatMap", func(src ints, die func()) any {
			return operators.TryFlatMap(src, f1e[int, reactor.Publisher[int]](die))
		}},
		{"TryFlatMapSlice", "tryFlatMapSlice", func(src ints, die func()) any { return operators.TryFlatMapSlice(src, f1e[int, []int](die)) }},
		{"FlatMapSeq", "flatMapSeq", func(src ints, die func()) any { return operators.FlatMapSeq(src, seq(die)) }},
		{"FlatMapSeq's sequence", "flatMapSeq", func(src ints, die func()) any { return operators.FlatMapSeq(src, yields(die)) }},
		{"FlatMapSeq2", "flatMapSeq2", func(src ints, die func()) any {
			return operators.FlatMapSeq2(src, f1[int, iter.Seq2[int, error]](die))
		}},
		{"FlatMapSeq2's sequence", "flatMapSeq2", func(src ints, die func()) any {
			return operators.FlatMapSeq2(src, func(int) iter.Seq2[int, error] { return func(func(int, error) bool) { die() } })
		}},
		{"FlatMapSignal onNext", "flatMapSignal", func(src ints, die func()) any { return operators.FlatMapSignal(src, toPub[int](die), nil, nil) }},
		{"FlatMapSignal onError", "flatMapSignal", func(src ints, die func()) any {
			return operators.FlatMapSignal(failing(), same, toPub[error](die), nil)
		}},
		{"FlatMapSignal onComplete", "flatMapSignal", func(src ints, die func()) any { return operators.FlatMapSignal(src, same, nil, f0[ints](die)) }},
		{"ConcatMap", "concatMap", func(src ints, die func()) any { return operators.ConcatMap(src, toPub[int](die)) }},
		{"ConcatMap without prefetch", "concatMap", func(src ints, die func()) any {
			return operators.ConcatMap(src, toPub[int](die), operators.Prefetch(0))
		}},
		{"ConcatMapSlice", "concatMapSlice", func(src ints, die func()) any { return operators.ConcatMapSlice(src, f1[int, []int](die)) }},
		{"ConcatMapSeq", "concatMapSeq", func(src ints, die func()) any { return operators.ConcatMapSeq(src, seq(die)) }},
		{"ConcatMapSeq's sequence", "concatMapSeq", func(src ints, die func()) any { return operators.ConcatMapSeq(src, yields(die)) }},
		{"SwitchMap", "switchMap", func(src ints, die func()) any { return operators.SwitchMap(src, toPub[int](die)) }},
		{"SwitchMap with prefetch", "switchMap", func(src ints, die func()) any {
			return operators.SwitchMap(src, toPub[int](die), operators.Prefetch(8))
		}},
		{"SwitchOnFirst", "switchOnFirst", func(src ints, die func()) any {
			return operators.SwitchOnFirst(src, f2[reactor.Signal[int], ints, ints](die))
		}},
		{"Expand", "expand", func(src ints, die func()) any { return operators.Expand(src, toPub[int](die)) }},
		{"ExpandDeep", "expandDeep", func(src ints, die func()) any { return operators.ExpandDeep(src, toPub[int](die)) }},
		{"FilterWhenMono", "filterWhen", func(src ints, die func()) any {
			return operators.FilterWhenMono(operators.Take(src, 1), f1[int, reactor.Publisher[bool]](die))
		}},
		{"DelayUntil", "delayUntil", func(src ints, die func()) any { return operators.DelayUntil(src, toPub[int](die)) }},
		{"MonoDelayUntil", "delayUntil", func(src ints, die func()) any {
			return operators.MonoDelayUntil(operators.Take(src, 1), toPub[int](die))
		}},
		{"MonoFlatMap", "flatMap", func(src ints, die func()) any { return operators.MonoFlatMap(first(src), toPub[int](die)) }},
		{"MonoFlatMapTo", "flatMap", func(src ints, die func()) any {
			return operators.MonoFlatMapTo(first(src), func(int) mono.Mono[int] { die(); return mono.Just(1) })
		}},
		{"MonoFlatMapMany", "flatMapMany", func(src ints, die func()) any { return operators.MonoFlatMapMany(first(src), toPub[int](die)) }},
		{"MonoPublish", "publish", func(src ints, die func()) any { return operators.MonoPublish(operators.Take(src, 1), toPub[ints](die)) }},
		{"PublishSelector", "publishSelector", func(src ints, die func()) any { return operators.PublishSelector(src, toPub[ints](die)) }},
	}
}

// first leaves a source of one element as it is, so that it can still be called.
func first(src ints) ints {
	if _, many := src.(interface{ Many() }); many {
		return operators.Take(src, 1)
	}
	return src
}

func combiningRows() []named {
	slice := f1[[]int, int]
	two := func() []ints { return []ints{operators.Range(1, 3), operators.Range(1, 3)} }
	f3 := func(die func()) func(a, b, c int) int { return func(int, int, int) int { die(); return 0 } }
	f4 := func(die func()) func(a, b, c, d int) int { return func(int, int, int, int) int { die(); return 0 } }
	f5 := func(die func()) func(a, b, c, d, e int) int {
		return func(int, int, int, int, int) int { die(); return 0 }
	}
	f6 := func(die func()) func(a, b, c, d, e, f int) int {
		return func(int, int, int, int, int, int) int { die(); return 0 }
	}
	f7 := func(die func()) func(a, b, c, d, e, f, g int) int {
		return func(int, int, int, int, int, int, int) int { die(); return 0 }
	}
	f8 := func(die func()) func(a, b, c, d, e, f, g, h int) int {
		return func(int, int, int, int, int, int, int, int) int { die(); return 0 }
	}
	return []named{
		{"Zip", "zip", func(s ints, die func()) any { return operators.Zip([]ints{s, s}, slice(die)) }},
		{"ZipSeq", "zip", func(s ints, die func()) any {
			return operators.ZipSeq(slices.Values([]ints{s, s}), slice(die))
		}},
		{"ZipSeq's sequence", "zip", func(s ints, die func()) any {
			return operators.ZipSeq(func(func(ints) bool) { die() }, func([]int) int { return 0 })
		}},
		{"Zip2", "zip", func(s ints, die func()) any { return operators.Zip2(s, s, f2[int, int, int](die)) }},
		{"Zip3", "zip", func(s ints, die func()) any { return operators.Zip3(s, s, s, f3(die)) }},
		{"Zip4", "zip", func(s ints, die func()) any { return operators.Zip4(s, s, s, s, f4(die)) }},
		{"Zip5", "zip", func(s ints, die func()) any { return operators.Zip5(s, s, s, s, s, f5(die)) }},
		{"Zip6", "zip", func(s ints, die func()) any { return operators.Zip6(s, s, s, s, s, s, f6(die)) }},
		{"Zip7", "zip", func(s ints, die func()) any { return operators.Zip7(s, s, s, s, s, s, s, f7(die)) }},
		{"Zip8", "zip", func(s ints, die func()) any { return operators.Zip8(s, s, s, s, s, s, s, s, f8(die)) }},
		{"ZipWith", "zipWith", func(s ints, die func()) any { return operators.ZipWith(s, s, f2[int, int, int](die)) }},
		{"ZipWithSlice", "zipWithSlice", func(s ints, die func()) any {
			return operators.ZipWithSlice(s, []int{1, 2, 3}, f2[int, int, int](die))
		}},
		{"ZipWithSeq", "zipWithSeq", func(s ints, die func()) any {
			return operators.ZipWithSeq(s, func(yield func(int) bool) { yield(1) }, f2[int, int, int](die))
		}},
		{"ZipWithSeq's sequence", "zipWithSeq", func(s ints, die func()) any {
			return operators.ZipWithSeq(s, func(func(int) bool) { die() }, add)
		}},
		{"CombineLatest", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest([]ints{s, s}, slice(die)) }},
		{"CombineLatest2", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest2(s, s, f2[int, int, int](die)) }},
		{"CombineLatest3", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest3(s, s, s, f3(die)) }},
		{"CombineLatest4", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest4(s, s, s, s, f4(die)) }},
		{"CombineLatest5", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest5(s, s, s, s, s, f5(die)) }},
		{"CombineLatest6", "combineLatest", func(s ints, die func()) any { return operators.CombineLatest6(s, s, s, s, s, s, f6(die)) }},
		{"WithLatestFrom", "withLatestFrom", func(s ints, die func()) any {
			return operators.WithLatestFrom(s, operators.Just(1), f2[int, int, int](die))
		}},
		{"Join leftEnd", "join", func(s ints, die func()) any { return operators.Join(s, s, toPub[int](die), never, add) }},
		{"Join rightEnd", "join", func(s ints, die func()) any { return operators.Join(s, s, never, toPub[int](die), add) }},
		{"Join fn", "join", func(s ints, die func()) any { return operators.Join(s, s, never, never, f2[int, int, int](die)) }},
		{"GroupJoin leftEnd", "groupJoin", func(s ints, die func()) any {
			return operators.GroupJoin(s, s, toPub[int](die), never, func(a int, _ ints) int { return a })
		}},
		{"GroupJoin rightEnd", "groupJoin", func(s ints, die func()) any {
			return operators.GroupJoin(s, s, never, toPub[int](die), func(a int, _ ints) int { return a })
		}},
		{"GroupJoin fn", "groupJoin", func(s ints, die func()) any { return operators.GroupJoin(s, s, never, never, f2[int, ints, int](die)) }},
		{"MergeComparing", "mergeComparing", func(s ints, die func()) any {
			return operators.MergeComparing(f2[int, int, int](die), two())
		}},
		{"MergePriority", "mergePriority", func(s ints, die func()) any {
			// All have elements before any is asked for.
			return subscribed(func(ctx context.Context) error {
				sub := operators.SubscribeWith(ctx, operators.MergePriority(f2[int, int, int](die), two()), idle())
				sub.RequestUnbounded()
				return nil
			})
		}},
		{"MergeComparingWith", "mergeComparingWith", func(s ints, die func()) any {
			return operators.MergeComparingWith(s, operators.Range(1, 3), f2[int, int, int](die))
		}},
		{"SequenceEqualFunc", "sequenceEqual", func(s ints, die func()) any {
			return operators.SequenceEqualFunc(s, operators.Range(1, 3), f2[int, int, bool](die))
		}},
		{"MonoZip", "zip", func(s ints, die func()) any { return operators.MonoZip([]ints{first(s), first(s)}, slice(die)) }},
		{"MonoZip2", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip2(s, s, f2[int, int, int](die)) }},
		{"MonoZip3", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip3(s, s, s, f3(die)) }},
		{"MonoZip4", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip4(s, s, s, s, f4(die)) }},
		{"MonoZip5", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip5(s, s, s, s, s, f5(die)) }},
		{"MonoZip6", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip6(s, s, s, s, s, s, f6(die)) }},
		{"MonoZip7", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip7(s, s, s, s, s, s, s, f7(die)) }},
		{"MonoZip8", "zip", func(s ints, die func()) any { s = first(s); return operators.MonoZip8(s, s, s, s, s, s, s, s, f8(die)) }},
		{"MonoZipWhen", "zipWhen", func(s ints, die func()) any { return operators.MonoZipWhen(first(s), toPub[int](die), add) }},
		{"MonoZipWhen combine", "zipWhen", func(s ints, die func()) any {
			return operators.MonoZipWhen(first(s), same, f2[int, int, int](die))
		}},
	}
}

func sourceRows() []named {
	res := func(context.Context) (int, error) { return 1, nil }
	none := func(int) error { return nil }
	cleanup := operators.AsyncCleanup[int, int]{Complete: same}
	acquire := f1e[context.Context, int]
	open := f1e[context.Context, *pipe]
	opened := func(context.Context) (*pipe, error) { return new(pipe), nil }
	return []named{
		{"Create", "create", func(_ ints, die func()) any { return operators.Create(c1[*operators.FluxSink[int]](die)) }},
		{"Create OnRequest", "create", func(_ ints, die func()) any {
			return operators.Create(func(s *operators.FluxSink[int]) { s.OnRequest(c1[int64](die)) })
		}},
		{"Create OnDispose", "create", func(_ ints, die func()) any {
			return operators.Create(func(s *operators.FluxSink[int]) { s.OnDispose(die); s.Complete() })
		}},
		{"Push", "push", func(_ ints, die func()) any { return operators.Push(c1[*operators.FluxSink[int]](die)) }},
		{"MonoCreate", "create", func(_ ints, die func()) any { return operators.MonoCreate(c1[*operators.MonoSink[int]](die)) }},
		{"Defer", "defer", func(_ ints, die func()) any { return operators.Defer(f1[context.Context, ints](die)) }},
		{"ErrorFrom", "error", func(_ ints, die func()) any { return operators.ErrorFrom[int](f0[error](die)) }},
		{"FromCallable", "fromCallable", func(_ ints, die func()) any { return operators.FromCallable(f0e[int](die)) }},
		{"FromOptional", "fromOptional", func(_ ints, die func()) any {
			return operators.FromOptional(func() (int, bool, error) { die(); return 0, true, nil })
		}},
		{"FromSupplier", "fromSupplier", func(_ ints, die func()) any { return operators.FromSupplier(f0[int](die)) }},
		{"FromFunc", "fromFunc", func(_ ints, die func()) any { return operators.FromFunc(acquire(die)) }},
		{"FromRunnable", "fromRunnable", func(_ ints, die func()) any { return operators.FromRunnable[int](f0[error](die)) }},
		{"FromSeq's sequence", "fromSeq", func(_ ints, die func()) any { return operators.FromSeq(func(func(int) bool) { die() }) }},
		{"FromSeq2's sequence", "fromSeq2", func(_ ints, die func()) any { return operators.FromSeq2(func(func(int, error) bool) { die() }) }},
		{"Generate initial", "generate", func(_ ints, die func()) any {
			return operators.Generate(f0[int](die), func(s int, _ *operators.SyncSink[int]) int { return s })
		}},
		{"Generate step", "generate", func(_ ints, die func()) any {
			return operators.Generate(func() int { return 0 }, f2[int, *operators.SyncSink[int], int](die))
		}},
		{"Generate cleanup", "generate", func(_ ints, die func()) any {
			return operators.Generate(func() int { return 0 }, func(s int, sink *operators.SyncSink[int]) int { sink.Complete(); return s }, c1[int](die))
		}},
		{"GenerateStateless", "generate", func(_ ints, die func()) any {
			return operators.GenerateStateless(c1[*operators.SyncSink[int]](die))
		}},
		{"Using acquire", "using", func(src ints, die func()) any { return operators.Using(acquire(die), same, none) }},
		{"Using use", "using", func(src ints, die func()) any { return operators.Using(res, toPub[int](die), none) }},
		{"Using release", "using", func(src ints, die func()) any { return operators.Using(res, same, f1[int, error](die)) }},
		{"UsingCloser acquire", "using", func(src ints, die func()) any {
			return operators.UsingCloser(open(die), func(*pipe) ints { return src })
		}},
		{"UsingCloser use", "using", func(src ints, die func()) any { return operators.UsingCloser(opened, toPub[*pipe](die)) }},
		{"MonoUsing acquire", "using", func(src ints, die func()) any { return operators.MonoUsing(acquire(die), same, none) }},
		{"MonoUsing use", "using", func(src ints, die func()) any { return operators.MonoUsing(res, toPub[int](die), none) }},
		{"MonoUsing release", "using", func(src ints, die func()) any { return operators.MonoUsing(res, same, f1[int, error](die)) }},
		{"MonoUsingCloser acquire", "using", func(src ints, die func()) any {
			return operators.MonoUsingCloser(open(die), func(*pipe) ints { return first(src) })
		}},
		{"MonoUsingCloser use", "using", func(src ints, die func()) any { return operators.MonoUsingCloser(opened, toPub[*pipe](die)) }},
		{"UsingWhen use", "usingWhen", func(src ints, die func()) any {
			return operators.UsingWhen(operators.Just(1), toPub[int](die), cleanup)
		}},
		{"UsingWhen cleanup", "usingWhen", func(src ints, die func()) any {
			return operators.UsingWhen(operators.Just(1), same, operators.AsyncCleanup[int, int]{Complete: toPub[int](die)})
		}},
		{"MonoUsingWhen use", "usingWhen", func(src ints, die func()) any {
			return operators.MonoUsingWhen(operators.Just(1), toPub[int](die), cleanup)
		}},
	}
}

// pipe is something to close.
type pipe struct{}

func (*pipe) Close() error { return nil }

func otherRows() []named {
	return []named{
		{"ContextWrite", "contextWrite", func(src ints, die func()) any {
			return operators.ContextWrite(src, f1[context.Context, context.Context](die))
		}},
		{"OnBackpressureBufferFunc", "onBackpressureBuffer", func(src ints, die func()) any {
			return unrequested(operators.OnBackpressureBufferFunc(operators.Range(1, 9), c1[int](die), operators.Capacity(1)))
		}},
		{"OnBackpressureBufferTimeout", "onBackpressureBufferTimeout", func(src ints, die func()) any {
			return unrequested(operators.OnBackpressureBufferTimeout(operators.Range(1, 9), time.Hour, 1, c1[int](die)))
		}},
		{"OnBackpressureDropFunc", "onBackpressureDrop", func(src ints, die func()) any {
			return unrequested(operators.OnBackpressureDropFunc(operators.Range(1, 9), c1[int](die)))
		}},
		{"MonoCacheFor", "cacheFor", func(src ints, die func()) any {
			return operators.MonoCacheFor(operators.Take(src, 1), f1[reactor.Signal[int], time.Duration](die))
		}},
		{"MonoCacheInvalidateIf", "cacheInvalidateIf", func(src ints, die func()) any {
			cached := operators.MonoCacheInvalidateIf(operators.Take(src, 1), f1[int, bool](die))
			return operators.ThenMany(cached, cached) // the second time it is asked
		}},
		{"MonoCacheInvalidateWhen trigger", "cacheInvalidateWhen", func(src ints, die func()) any {
			return operators.MonoCacheInvalidateWhen(operators.Take(src, 1), toPub[int](die), func(int) {})
		}},
		{"MonoCacheInvalidateWhen invalidated", "cacheInvalidateWhen", func(src ints, die func()) any {
			return operators.MonoCacheInvalidateWhen(operators.Take(src, 1), same, c1[int](die))
		}},
		{"TimeoutWhen", "timeout", func(src ints, die func()) any {
			return operators.TimeoutWhen(src, operators.Never[int](), toPub[int](die))
		}},
		{"TimeoutWhenFallback", "timeout", func(src ints, die func()) any {
			return operators.TimeoutWhenFallback(src, operators.Never[int](), toPub[int](die), src)
		}},
		{"While", "repeat", func(src ints, die func()) any { return operators.Repeat(src, operators.While(f0[bool](die))) }},
		{"RepeatFrom", "repeatFrom", func(src ints, die func()) any {
			return operators.RepeatWhen(src, operators.RepeatFrom(toPub[reactor.Publisher[int64]](die)))
		}},
		{"RetryFrom", "retryFrom", func(src ints, die func()) any {
			return operators.RetryWhen(failing(), operators.RetryFrom(toPub[reactor.Publisher[operators.RetrySignal]](die)))
		}},
		{"RepeatSpec OnlyIf", "repeatWhen", func(src ints, die func()) any {
			return operators.RepeatWhen(src, operators.RepeatTimes(1).OnlyIf(f1[operators.RepeatSignal, bool](die)))
		}},
		{"RepeatSpec DoBeforeRepeat", "repeatWhen", func(src ints, die func()) any {
			return operators.RepeatWhen(src, operators.RepeatTimes(1).DoBeforeRepeat(c1[operators.RepeatSignal](die)))
		}},
		{"RetrySpec DoBeforeRetry", "retryWhen", func(src ints, die func()) any {
			return operators.RetryWhen(failing(), operators.RetryMax(1).DoBeforeRetry(c1[operators.RetrySignal](die)))
		}},
		{"RetrySpec DelayFrom", "retryWhen", func(src ints, die func()) any {
			return operators.RetryWhen(failing(), operators.RetryMax(2).DelayFrom(func(error) (time.Duration, bool) { die(); return 0, true }))
		}},
		{"RetrySpec OnExhausted", "retryWhen", func(src ints, die func()) any {
			return operators.RetryWhen(failing(), operators.RetryMax(0).OnExhausted(f1[operators.RetrySignal, error](die)))
		}},
		{"RepeatWhenEmpty OnlyIf", "repeatWhenEmpty", func(src ints, die func()) any {
			return operators.MonoRepeatWhenEmpty(operators.Empty[int](), operators.RepeatTimes(1).OnlyIf(f1[operators.RepeatSignal, bool](die)))
		}},
		{"RepeatWhenEmpty DoBeforeRepeat", "repeatWhenEmpty", func(src ints, die func()) any {
			return operators.MonoRepeatWhenEmpty(operators.Empty[int](), operators.RepeatTimes(1).DoBeforeRepeat(c1[operators.RepeatSignal](die)))
		}},
		{"RepeatWhenEmpty DoAfterRepeat", "repeatWhenEmpty", func(src ints, die func()) any {
			return operators.MonoRepeatWhenEmpty(operators.Empty[int](), operators.RepeatTimes(1).DoAfterRepeat(c1[operators.RepeatSignal](die)))
		}},
		{"OnConnect", "autoConnect", func(src ints, die func()) any {
			return operators.AutoConnect(operators.Publish(src), 1, operators.OnConnect(c1[reactor.Disposable](die)))
		}},
		{"ForEach", "forEach", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error { return operators.ForEach(ctx, src, c1[int](die)) })
		}},
		{"TryForEach", "tryForEach", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error { return operators.TryForEach(ctx, src, f1[int, error](die)) })
		}},
		{"SubscribeFunc", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error { operators.SubscribeFunc(ctx, src, c1[int](die)); return nil })
		}},
		{"ParallelSubscribeFunc", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error {
				operators.ParallelSubscribeFunc(ctx, operators.Parallel(src, 1), c1[int](die))
				return nil
			})
		}},
		{"OnError", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error {
				operators.SubscribeFunc(ctx, failing(), nil, operators.OnError(c1[error](die)))
				return nil
			})
		}},
		{"OnComplete", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error {
				operators.SubscribeFunc(ctx, src, nil, operators.OnComplete(die))
				return nil
			})
		}},
		{"OnSubscribe", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error {
				operators.SubscribeFunc(ctx, src, nil, operators.OnSubscribe(c1[reactor.Subscription](die)))
				return nil
			})
		}},
		{"BaseSubscriber", "subscribe", func(src ints, die func()) any {
			return subscribed(func(ctx context.Context) error {
				operators.SubscribeWith(ctx, src, operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{
					OnNext: func(*operators.BaseSubscriber[int], int) { die() },
				}))
				return nil
			})
		}},
		{"a foreign publisher", "subscribeWith", func(src ints, die func()) any { return foreign(die) }},
		{"SubscribeOn a foreign publisher", "subscribeOn", func(src ints, die func()) any {
			return operators.SubscribeOn[int](foreign(die), schedulers.Immediate())
		}},
	}
}

// foreign is a publisher from elsewhere that fails where it is subscribed.
type foreign func()

func (f foreign) Subscribe(context.Context, reactor.Subscriber[int]) { f() }

// unrequested is src for somebody who never requests.
func unrequested(src ints) any {
	return subscribed(func(ctx context.Context) error { operators.SubscribeWith(ctx, src, idle()); return nil })
}

// idle requests nothing by itself.
func idle() *operators.BaseSubscriber[int] {
	return operators.NewSubscriber(context.Background(), operators.SubscriberHooks[int]{
		OnSubscribe: func(*operators.BaseSubscriber[int]) {}, OnError: func(error) {},
	})
}
