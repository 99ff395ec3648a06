package marbles

import (
	"iter"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// every emits the elements one after the other, each some steps after the one before.
func every(n int, all ...int) ints {
	return flux.FromSlice(all).DelayElements(time.Duration(n) * steps)
}

// twice emits n, and 10n seven steps later.
func twice(n int) ints { return flux.Just(n).ConcatWith(every(7, 10*n)) }

// upTo100 emits 10n unless it is too much.
func upTo100(n int) ints { return flux.Just(10 * n).Filter(func(n int) bool { return n <= 100 }) }

func firstLines(file string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if yield(file[:1]+"1", nil) && file == "b.txt" {
			yield("", errMarble)
		} else if file != "b.txt" {
			yield(file[:1]+"2", nil)
		}
	}
}

// flattenRows are those of what makes streams of elements, and of what decides by streams.
var flattenRows = map[string]row{
	"Flux.FilterWhen": OnInts(func(f ints) ints {
		return f.FilterWhen(func(n int) mono.Mono[bool] {
			return mono.Delay(5 * steps).Map(func(int64) bool { return odd(n) })
		})
	}),
	"Flux.FlatMap":              OnInts(func(f ints) ints { return f.FlatMap(twice) }),
	"flux.FlatMapMany":          OnMono(func(m one) ints { return flux.FlatMapMany(m, func(n int) ints { return flux.Range(0, n) }) }),
	"operators.MonoFlatMapMany": OnMono(func(m one) ints { return flux.FlatMapMany(m, func(n int) ints { return flux.Range(0, n) }) }),
	"Flux.FlatMapSignal": OnInts(func(f ints) ints {
		return f.FlatMapSignal(func(n int) ints { return flux.FromSlice(both(n)) },
			func(error) ints { return flux.Just(-1) }, func() ints { return flux.Just(0) })
	}),
	"Flux.TryFlatMapSlice": OnInts(func(f ints) ints {
		return f.TryFlatMapSlice(func(n int) ([]int, error) { return both(n), refuse(-n, 1) })
	}),
	"Flux.FlatMapSeq2":  OnTexts(func(f texts) texts { return f.FlatMapSeq2(firstLines) }),
	"Flux.ConcatMapSeq": OnInts(func(f ints) ints { return f.ConcatMapSeq(func(n int) iter.Seq[int] { return slices.Values(both(n)) }) }),
	"Flux.ConcatMap":    OnInts(func(f ints) ints { return f.ConcatMap(func(n int) ints { return every(3, 10*n, 10*n+1) }) }),
	"Flux.SwitchMap": OnInts(func(f ints) ints {
		return f.SwitchMap(func(n int) ints { return every(5, 10*n, 10*n+1, 10*n+2) })
	}),
	"Flux.FlatMapSequential": OnInts(func(f ints) ints {
		return f.FlatMapSequential(func(n int) ints { return every(map[int]int{1: 6, 2: 2}[n], 10*n, 10*n+1) })
	}),
	"Flux.SwitchOnFirst": OnInts(func(f ints) ints {
		return f.SwitchOnFirst(func(first reactor.Signal[int], all ints) ints {
			v, _ := first.Value()
			return all.Map(func(n int) int { return n * v })
		})
	}),
	"Flux.Expand":     OnInts(func(f ints) ints { return f.Expand(upTo100) }),
	"Flux.ExpandDeep": OnInts(func(f ints) ints { return f.ExpandDeep(upTo100) }),

	"Mono.FlatMap": OnMono(func(m one) mono.Mono[int64] { return m.FlatMap(after[int](4)) }),
	"Mono.DelayUntil": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.From(s.ints("m")).DelayUntil(func(int) reactor.Publisher[int] { return s.ints("trigger(1)") }))
	},
}
