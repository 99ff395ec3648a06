package benchmarks

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// Operators that take the elements one by one.

type numbers = flux.Flux[int]

func elementwise() []operator {
	return []operator{
		behind("none", "Range", sumTo, func(f numbers) numbers { return f }),
		behind("map", "Map", sumOfNext, func(f numbers) numbers { return f.Map(plusOne) }),
		behind("filter", "Filter", sumOfEven, func(f numbers) numbers { return f.Filter(even) }),
		behind("handle", "Handle", sumTo, func(f numbers) numbers {
			return f.Handle(func(v int, s *flux.SyncSink[int]) { s.Next(v) })
		}),
		behind("mapOptional", "MapOptional", sumOfEven, func(f numbers) numbers {
			return f.MapOptional(func(v int) (int, bool) { return v, even(v) })
		}),
		sized("take", "Take", sumTo, func(f numbers, n int) numbers { return f.Take(n) }),
		behind("takeWhile", "TakeWhile", sumTo, func(f numbers) numbers { return f.TakeWhile(notNegative) }),
		behind("takeUntil", "TakeUntil", sumTo, func(f numbers) numbers { return f.TakeUntil(negative) }),
		behind("takeLast", "TakeLast(10)", func(n int) int { return sumTo(n) - sumTo(n-10) }, func(f numbers) numbers { return f.TakeLast(10) }),
		behind("skip", "Skip(1)", sumTo, func(f numbers) numbers { return f.Skip(1) }),
		behind("skipWhile", "SkipWhile", sumTo, func(f numbers) numbers { return f.SkipWhile(negative) }),
		behind("skipLast", "SkipLast(10)", func(n int) int { return sumTo(n - 10) }, func(f numbers) numbers { return f.SkipLast(10) }),
		behind("scan", "Scan", sumTo, func(f numbers) numbers { return f.Scan(larger) }),
		behind("scanSeed", "ScanSeed", sumTo, func(f numbers) numbers { return f.ScanSeed(0, larger) }),
		behind("distinct", "Distinct", sumTo, func(f numbers) numbers { return f.Distinct(same) }),
		behind("distinctUntilChanged", "DistinctUntilChanged", sumTo, func(f numbers) numbers { return f.DistinctUntilChanged(same) }),
		behind("index", "MapIndexed", sumTo, func(f numbers) numbers { return f.MapIndexed(func(i, _ int) int { return i }) }),
		behind("doOnNext", "DoOnNext", sumTo, func(f numbers) numbers { return f.DoOnNext(func(int) {}) }),
		behind("doOnEach", "DoOnEach", sumTo, func(f numbers) numbers {
			return f.DoOnEach(func(context.Context, reactor.Signal[int]) {})
		}),
		behind("doOnRequest", "DoOnRequest", sumTo, func(f numbers) numbers { return f.DoOnRequest(func(int64) {}) }),
		behind("doOnCancel", "DoOnCancel", sumTo, func(f numbers) numbers { return f.DoOnCancel(func() {}) }),
		behind("doOnError", "DoOnError", sumTo, func(f numbers) numbers { return f.DoOnError(func(error) {}) }),
		behind("doFinally", "DoFinally", sumTo, func(f numbers) numbers { return f.DoFinally(func(reactor.SignalKind) {}) }),
		behind("tap", "Tap", sumTo, func(f numbers) numbers {
			return f.Tap(func(context.Context) *flux.SignalListener[int] { return &flux.SignalListener[int]{} })
		}),
		behind("materialize", "Materialize, Dematerialize", sumTo, func(f numbers) numbers {
			return f.Materialize().Dematerialize(func(s reactor.Signal[int]) reactor.Signal[int] { return s })
		}),
		behind("elapsed", "Elapsed", sumTo, func(f numbers) numbers { return f.Elapsed(func(_ time.Duration, v int) int { return v }) }),
		behind("hide", "Hide", sumTo, func(f numbers) numbers { return f.Hide() }),
		behind("checkpoint", "Checkpoint", sumTo, func(f numbers) numbers { return f.Checkpoint("here") }),
		behind("contextWrite", "ContextWriteValue", sumTo, func(f numbers) numbers { return f.ContextWriteValue(someone, 1) }),
		behind("count", "Count", same, func(f numbers) numbers { return flux.From(f.Count()) }),
		behind("reduce", "Reduce", func(n int) int { return n - 1 }, func(f numbers) numbers { return flux.From(f.Reduce(larger)) }),
		behind("collect", "CollectSlice, and its length", same, func(f numbers) numbers {
			return flux.From(f.CollectSlice().Map(func(s []int) int { return len(s) }))
		}),
		behind("collectMap", "CollectMap, and its size", same, func(f numbers) numbers {
			return flux.From(f.CollectMap(same).Map(func(m map[int]int) int { return len(m) }))
		}),
		behind("sort", "Sort, the largest first", sumTo, func(f numbers) numbers { return f.Sort(func(a, b int) int { return b - a }) }),
		behind("buffer", "Buffer(100), the first of each", sumOfHundreds, func(f numbers) numbers { return f.Buffer(100).Map(first) }),
		behind("buffer overlapping", "Buffer(100) every 50, the first of each",
			func(n int) int { return 50 * sumTo(n/50) }, func(f numbers) numbers { return f.Buffer(100, flux.Stride(50)).Map(first) }),
		behind("bufferUntil", "BufferUntil, 100 each, the first of each", sumOfHundreds, func(f numbers) numbers {
			return f.BufferUntil(func(v int) bool { return v%100 == 99 }).Map(first)
		}),
		behind("bufferTimeout", "BufferTimeout(100, 1 s), the first of each", sumOfHundreds, func(f numbers) numbers {
			return f.BufferTimeout(100, time.Second).Map(first)
		}),
	}
}

func negative(v int) bool    { return v < 0 }
func notNegative(v int) bool { return v >= 0 }
func first(s []int) int      { return s[0] }

// larger keeps results small enough for an int of 32 bits, which is what Reactor's range has.
func larger(a, b int) int { return max(a, b) }
