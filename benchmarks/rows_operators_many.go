package benchmarks

import (
	"context"
	"iter"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// Operators that make streams of elements.

func just(v int) numbers              { return flux.Just(v) }
func justMono(v int) mono.Mono[int]   { return mono.Just(v) }
func justMapped(v int) mono.Mono[int] { return mono.Just(v).Map(plusOne) }
func justYes(int) mono.Mono[bool]     { return mono.Just(true) }
func none(int) numbers                { return flux.Empty[int]() }
func alone(v int) []int               { return []int{v} }
func yielded(v int) iter.Seq[int]     { return func(yield func(int) bool) { yield(v) } }
func called(v int) mono.Mono[int] {
	return mono.FromFunc(func(context.Context) (int, error) { return v, nil })
}

func callable(v int) mono.Mono[int] {
	return mono.FromCallable(func() (int, error) { return v, nil })
}

func many() []operator {
	return []operator{
		behind("flatMap just", "FlatMap to Just", sumTo, func(f numbers) numbers { return f.FlatMap(just) }),
		behind("flatMap mono", "FlatMap to mono.Just", sumTo, func(f numbers) numbers { return f.FlatMap(justMono) }),
		behind("flatMap mapped", "FlatMap to mono.Just.Map", sumOfNext, func(f numbers) numbers { return f.FlatMap(justMapped) }),
		behind("flatMap called", "FlatMap to mono.FromFunc", sumTo, func(f numbers) numbers { return f.FlatMap(called) }),
		behind("flatMap callable", "FlatMap to mono.FromCallable", sumTo, func(f numbers) numbers { return f.FlatMap(callable) }),
		behind("concatMap just", "ConcatMap to Just", sumTo, func(f numbers) numbers { return f.ConcatMap(just) }),
		behind("concatMap mapped", "ConcatMap to mono.Just.Map", sumOfNext, func(f numbers) numbers { return f.ConcatMap(justMapped) }),
		behind("concatMap called", "ConcatMap to mono.FromFunc", sumTo, func(f numbers) numbers { return f.ConcatMap(called) }),
		behind("concatMap callable", "ConcatMap to mono.FromCallable", sumTo, func(f numbers) numbers { return f.ConcatMap(callable) }),
		behind("switchMap just", "SwitchMap to Just", sumTo, func(f numbers) numbers { return f.SwitchMap(just) }),
		behind("switchMap mapped", "SwitchMap to mono.Just.Map", sumOfNext, func(f numbers) numbers { return f.SwitchMap(justMapped) }),
		behind("flatMapSequential just", "FlatMapSequential to Just", sumTo, func(f numbers) numbers { return f.FlatMapSequential(just) }),
		behind("flatMapSequential mapped", "FlatMapSequential to mono.Just.Map", sumOfNext, func(f numbers) numbers {
			return f.FlatMapSequential(justMapped)
		}),
		behind("flatMapSlice", "FlatMapSlice", sumTo, func(f numbers) numbers { return f.FlatMapSlice(alone) }),
		behind("concatMapSlice", "ConcatMapSlice", sumTo, func(f numbers) numbers { return f.ConcatMapSlice(alone) }),
		behind("flatMapSeq", "FlatMapSeq", sumTo, func(f numbers) numbers { return f.FlatMapSeq(yielded) }),
		behind("filterWhen", "FilterWhen with mono.Just", sumTo, func(f numbers) numbers { return f.FilterWhen(justYes) }),
		behind("delayUntil", "DelayUntil with mono.Just", sumTo, func(f numbers) numbers { return f.DelayUntil(justMono) }),
		behind("expand", "Expand to Empty", sumTo, func(f numbers) numbers { return f.Expand(none) }),
		behind("expandDeep", "ExpandDeep to Empty", sumTo, func(f numbers) numbers { return f.ExpandDeep(none) }),
		behind("groupBy", "GroupBy 10 keys, FlatMap", sumTo, func(f numbers) numbers {
			return f.GroupBy(func(v int) int { return v % 10 }).FlatMap(func(g flux.GroupedFlux[int, int]) numbers { return flux.From(g) })
		}),
		behind("window flatMap", "Window(100), FlatMap", sumTo, func(f numbers) numbers { return f.Window(100).FlatMap(itself) }),
		behind("window concatMap", "Window(100), ConcatMap", sumTo, func(f numbers) numbers { return f.Window(100).ConcatMap(itself) }),
		behind("windowUntil", "WindowUntil, 100 each, FlatMap", sumTo, func(f numbers) numbers {
			return f.WindowUntil(func(v int) bool { return v%100 == 99 }).FlatMap(itself)
		}),
		behind("windowTimeout", "WindowTimeout(100, 1 s), FlatMap", sumTo, func(f numbers) numbers {
			return f.WindowTimeout(100, time.Second).FlatMap(itself)
		}),
		behind("switchOnFirst", "SwitchOnFirst", sumTo, func(f numbers) numbers { return f.SwitchOnFirst(rest) }),
	}
}

func itself(f numbers) numbers { return f }
