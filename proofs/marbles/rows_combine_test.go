package marbles

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// sumAll adds up any number of elements.
func sumAll(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// list makes the row of a function of a list of sources, whose labels are given.
func list[R any, P reactor.Publisher[R]](op func(all []reactor.Publisher[int]) P, labels ...string) row {
	return func(s *sources) reactor.Publisher[any] {
		var all []reactor.Publisher[int]
		for _, label := range labels {
			all = append(all, s.ints(label))
		}
		return boxed[R](op(all))
	}
}

// monos is list for functions of a list of Monos.
func monos[R any, P reactor.Publisher[R]](op func(all []one) P, labels ...string) row {
	return func(s *sources) reactor.Publisher[any] {
		var all []one
		for _, label := range labels {
			all = append(all, mono.From(s.ints(label)))
		}
		return boxed[R](op(all))
	}
}

// ofStreams is the row of a function of a stream of streams, which are a and b.
func ofStreams(op func(src reactor.Publisher[reactor.Publisher[int]]) ints) row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[int](op(s.of("src", func(label string) reactor.Publisher[int] { return s.ints(label) })))
	}
}

// combineRows are those of what takes several sources.
var combineRows = map[string]row{
	"flux.CombineLatestSlice": list(func(all []reactor.Publisher[int]) ints { return flux.CombineLatestSlice(all, sumAll) }, "a", "b"),
	"flux.Concat":             list(func(all []reactor.Publisher[int]) ints { return flux.Concat(all...) }, "a", "b"),
	"flux.ConcatDelayError":   list(func(all []reactor.Publisher[int]) ints { return flux.ConcatDelayError(all...) }, "a", "b"),
	"flux.ConcatSlice":        list(func(all []reactor.Publisher[int]) ints { return flux.ConcatSlice[int](all) }, "a", "b"),
	"Flux.ConcatWith":         OnTwo("f", "other", func(f, other ints) ints { return f.ConcatWith(other) }),
	"Flux.ConcatWithValues":   OnInts(func(f ints) ints { return f.ConcatWithValues(3, 4) }),
	"Flux.StartWith":          OnTwo("f", "other", func(f, other ints) ints { return f.StartWith(other) }),
	"Flux.StartWithValues":    OnInts(func(f ints) ints { return f.StartWithValues(8, 9) }),
	"Flux.SwitchIfEmpty":      OnTwo("f", "other", func(f, other ints) ints { return f.SwitchIfEmpty(other) }),
	"flux.FirstWithValue":     list(func(all []reactor.Publisher[int]) ints { return flux.FirstWithValue(all...) }, "a", "b", "c"),
	"Flux.Or":                 OnTwo("f", "other", func(f, other ints) ints { return f.Or(other) }),
	"flux.SwitchOnNext":       ofStreams(func(src reactor.Publisher[reactor.Publisher[int]]) ints { return flux.SwitchOnNext[int](src) }),
	"flux.MergeSequentialAll": ofStreams(func(src reactor.Publisher[reactor.Publisher[int]]) ints { return flux.MergeSequentialAll[int](src) }),
	"flux.MergeAll":           ofStreams(func(src reactor.Publisher[reactor.Publisher[int]]) ints { return flux.MergeAll[int](src) }),
	"flux.MergeSequential":    list(func(all []reactor.Publisher[int]) ints { return flux.MergeSequential[int](all) }, "a", "b"),
	"flux.MergePriority":      list(func(all []reactor.Publisher[int]) ints { return flux.MergePriority(cmp.Compare[int], all) }, "a", "b"),
	"Flux.MergeComparingWith": OnTwo("f", "other", func(f, other ints) ints { return f.MergeComparingWith(other, cmp.Compare[int]) }),
	"Flux.MergeWith":          OnTwo("f", "other", func(f, other ints) ints { return f.MergeWith(other) }),
	"Flux.ThenMono":           OnTwo("f", "other", func(f, other ints) one { return f.ThenMono(mono.From[int](other)) }),
	"Flux.ThenMany":           OnTwo("f", "other", func(f, other ints) ints { return f.ThenMany(other) }),
	"Flux.ThenEmpty":          OnTwo("f", "other", func(f, other ints) mono.Mono[struct{}] { return f.ThenEmpty(other) }),
	"flux.ZipSlice":           list(func(all []reactor.Publisher[int]) ints { return flux.ZipSlice(all, sumAll) }, "a", "b"),
	"Flux.ZipWithSeq":         OnInts(func(f ints) ints { return f.ZipWithSeq(slices.Values([]int{10, 20}), sum) }),

	"mono.Zip":      monos(func(all []one) one { return mono.Zip(all[0], all[1], sum) }, "a", "b"),
	"mono.ZipSlice": monos(func(all []one) one { return mono.ZipSlice(all, sumAll) }, "a", "b"),
	"Mono.ZipWith":  monos(func(all []one) one { return all[0].ZipWith(all[1], sum) }, "m", "other"),
	"Mono.ZipWhen": func(s *sources) reactor.Publisher[any] {
		return boxed[string](mono.From(s.ints("m")).ZipWhen(
			func(v int) one { return mono.From(s.ints(fmt.Sprintf("fn(%d)", v))) }, pair))
	},
	"mono.When":  list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] { return mono.When(all...) }, "a", "b"),
	"mono.When2": list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] { return mono.When2(all[0], all[1]) }, "a", "b"),
	"mono.When3": list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] {
		return mono.When3(all[0], all[1], all[2])
	}, "a", "b", "c"),
	"mono.When4": list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] {
		return mono.When4(all[0], all[1], all[2], all[3])
	}, "a", "b", "c", "d"),
	"mono.WhenDelayError":  list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] { return mono.WhenDelayError(all...) }, "a", "b"),
	"Mono.And":             list(func(all []reactor.Publisher[int]) mono.Mono[struct{}] { return mono.From(all[0]).And(all[1]) }, "m", "other"),
	"mono.FirstWithSignal": monos(func(all []one) one { return mono.FirstWithSignal(all...) }, "a", "b"),
	"mono.FirstWithValue":  monos(func(all []one) one { return mono.FirstWithValue(all...) }, "a", "b", "c"),
	"Mono.Or":              monos(func(all []one) one { return all[0].Or(all[1]) }, "m", "other"),
	"mono.SequenceEqual":   list(func(all []reactor.Publisher[int]) mono.Mono[bool] { return mono.SequenceEqual(all[0], all[1]) }, "a", "b"),
	"mono.SequenceEqualFunc": list(func(all []reactor.Publisher[int]) mono.Mono[bool] {
		return mono.SequenceEqualFunc(all[0], all[1], func(a, b int) bool { return a == b })
	}, "a", "b"),
	"Mono.SwitchIfEmpty": monos(func(all []one) one { return all[0].SwitchIfEmpty(all[1]) }, "m", "other"),
	"Mono.ThenMono":      monos(func(all []one) one { return all[0].ThenMono(all[1]) }, "m", "other"),
	"Mono.ThenEmpty": func(s *sources) reactor.Publisher[any] {
		return boxed[struct{}](mono.From(s.ints("m")).ThenEmpty(s.ints("other")))
	},
}

func pair(a, b int) string { return fmt.Sprintf("(%d, %d)", a, b) }
