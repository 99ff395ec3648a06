package benchmarks

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

// Operators around a stream: other streams beside it or behind it, other goroutines, other subscribers.

func rest(_ reactor.Signal[int], f numbers) numbers { return f }

func left(v, _ int) int { return v }

func around() []operator {
	return []operator{
		behind("startWith", "StartWithValues", sumTo, func(f numbers) numbers { return f.StartWithValues(0, 0) }),
		behind("concatWith", "ConcatWithValues", sumTo, func(f numbers) numbers { return f.ConcatWithValues(0, 0) }),
		behind("mergeWith", "MergeWith a Just", sumTo, func(f numbers) numbers { return f.MergeWith(flux.Just(0)) }),
		sized("zipWith", "ZipWith a range", sumOfTwice, func(f numbers, n int) numbers { return f.ZipWith(flux.Range(0, n), plus) }),
		sized("zipWith mapped", "ZipWith a range, both mapped", func(n int) int { return 2 * sumOfNext(n) }, func(f numbers, n int) numbers {
			return f.Map(plusOne).ZipWith(flux.Range(0, n).Map(plusOne), plus)
		}),
		behind("combineLatest", "CombineLatest with a Just", sumTo, func(f numbers) numbers { return flux.CombineLatest(flux.Just(0), f, plus) }),
		behind("withLatestFrom", "WithLatestFrom a Just", sumTo, func(f numbers) numbers { return f.WithLatestFrom(flux.Just(0), left) }),
		behind("mergeSequential", "MergeSequential with a Just", sumTo, func(f numbers) numbers {
			return flux.MergeSequential([]numbers{f, flux.Just(0)})
		}),
		sized("mergeComparing", "MergeComparing with a range", sumOfTwice, func(f numbers, n int) numbers {
			return flux.MergeComparing(func(a, b int) int { return a - b }, []numbers{f, flux.Range(0, n)})
		}),
		behind("retry", "Retry", sumTo, func(f numbers) numbers { return f.Retry() }),
		behind("retryWhen", "RetryWhen, with a backoff", sumTo, func(f numbers) numbers { return f.RetryWhen(flux.RetryBackoff(3, time.Second)) }),
		behind("repeat", "Repeat once", sumOfTwice, func(f numbers) numbers { return f.Repeat(flux.Times(1)) }),
		behind("onErrorResume", "OnErrorResume", sumTo, func(f numbers) numbers { return f.OnErrorResume(func(error) numbers { return flux.Empty[int]() }) }),
		behind("onErrorReturn", "OnErrorReturn", sumTo, func(f numbers) numbers { return f.OnErrorReturn(1) }),
		behind("onErrorMap", "OnErrorMap", sumTo, func(f numbers) numbers { return f.OnErrorMap(func(err error) error { return err }) }),
		behind("onErrorContinue", "Map, OnErrorContinue", sumOfNext, func(f numbers) numbers { return f.Map(plusOne).OnErrorContinue(func(error, any) {}) }),
		behind("switchIfEmpty", "SwitchIfEmpty", sumTo, func(f numbers) numbers { return f.SwitchIfEmpty(flux.Just(1)) }),
		behind("defaultIfEmpty", "DefaultIfEmpty", sumTo, func(f numbers) numbers { return f.DefaultIfEmpty(1) }),
		behind("timeout", "Timeout(1 s)", sumTo, func(f numbers) numbers { return f.Timeout(time.Second) }),
		behind("takeFor", "TakeFor(1 h)", sumTo, func(f numbers) numbers { return f.TakeFor(time.Hour) }),
		behind("takeUntilOther", "TakeUntilOther(Never)", sumTo, func(f numbers) numbers { return f.TakeUntilOther(flux.Never[int]()) }),
		behind("skipUntilOther", "SkipUntilOther(Just)", sumTo, func(f numbers) numbers { return f.SkipUntilOther(flux.Just(1)) }),
		behind("firstWithSignal", "Or(Never)", sumTo, func(f numbers) numbers { return f.Or(flux.Never[int]()) }),
		behind("limitRate", "LimitRate(100)", sumTo, func(f numbers) numbers { return f.LimitRate(100) }),
		behind("onBackpressureBuffer", "OnBackpressureBuffer", sumTo, func(f numbers) numbers { return f.OnBackpressureBuffer() }),
		behind("onBackpressureDrop", "OnBackpressureDrop", sumTo, func(f numbers) numbers { return f.OnBackpressureDrop() }),
		behind("onBackpressureLatest", "OnBackpressureLatest", sumTo, func(f numbers) numbers { return f.OnBackpressureLatest() }),
		behind("share", "Share", sumTo, func(f numbers) numbers { return f.Share() }),
		behind("replay", "Replay(10).RefCount", sumTo, func(f numbers) numbers { return f.Replay(flux.History(10)).RefCount(1) }),
		behind("cache", "Cache(10)", sumTo, func(f numbers) numbers { return f.Cache(flux.History(10)) }),
		behind("publish", "PublishSelector", sumOfNext, func(f numbers) numbers { return f.PublishSelector(func(s numbers) numbers { return s.Map(plusOne) }) }),
		behind("using", "Using", sumTo, func(f numbers) numbers {
			return flux.Using(func(context.Context) (int, error) { return 1, nil }, func(int) numbers { return f }, func(int) error { return nil })
		}),
		behind("defer", "Defer", sumTo, func(f numbers) numbers { return flux.Defer(func(context.Context) numbers { return f }) }),
		behind("cancelOn", "CancelOn", sumTo, func(f numbers) numbers { return f.CancelOn(schedulers.Parallel()) }),
		behind("publishOn", "PublishOn", sumTo, func(f numbers) numbers { return f.PublishOn(schedulers.Parallel()) }),
		behind("publishOn mapped", "Map, PublishOn, Map", func(n int) int { return sumTo(n) + 2*n }, func(f numbers) numbers {
			return f.Map(plusOne).PublishOn(schedulers.Parallel()).Map(plusOne)
		}),
		behind("subscribeOn", "SubscribeOn", sumTo, func(f numbers) numbers { return f.SubscribeOn(schedulers.Parallel()) }),
		behind("parallel", "Parallel(2), RunOn, Map, Sequential", sumOfNext, func(f numbers) numbers {
			return f.Parallel(2).RunOn(schedulers.Parallel()).Map(plusOne).Sequential()
		}),
	}
}

// sources are operators with nothing before them.
func sources() []operator {
	return []operator{
		{"fromSlice", "FromSlice", sumTo, func(n int) numbers { return flux.FromSlice(upTo(n)) }},
		{"generate", "Generate", sumTo, func(n int) numbers {
			return flux.Generate(func() int { return 0 }, func(i int, s *flux.SyncSink[int]) int {
				if i == n {
					s.Complete()
				} else {
					s.Next(i)
				}
				return i + 1
			})
		}},
		{"create", "Create", sumTo, func(n int) numbers { return flux.Create(func(s *flux.Sink[int]) { emitAll(s, n) }) }},
		{"push", "Push", sumTo, func(n int) numbers { return flux.Push(func(s *flux.Sink[int]) { emitAll(s, n) }) }},
	}
}

func emitAll(s *flux.Sink[int], n int) {
	for i := range n {
		s.Next(i)
	}
	s.Complete()
}
