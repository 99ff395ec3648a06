package vectors

import (
	"cmp"
	"maps"
	"slices"

	"github.com/goreactor/reactor/flux"
)

// byNum is the order of the format.
func byNum(a, b Value) int { return cmp.Compare(Num(a), Num(b)) }

func init() {
	RegisterFluxOp("reduce", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Reduce(a.Combine("fn", ""))
	})
	RegisterFluxOp("reduceWithSeed", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("failSeed") {
			return f.FoldWith(a.seed(), a.Combine("fn", ""))
		}
		return f.Fold(a.Value("seed"), a.Combine("fn", ""))
	})
	RegisterFluxOp("collectList", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return castMono(f.CollectSlice(), func(vs []Value) Value { return List(vs...) })
	})
	RegisterFluxOp("collectSortedList", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return castMono(f.CollectSorted(byNum), func(vs []Value) Value { return List(vs...) })
	})
	RegisterFluxOp("collectMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		list := func(m map[int64]Value) Value { return entries(m, func(v Value) Value { return v }) }
		if a.Has("value") {
			return castMono(f.CollectMapOf(a.Key("key"), a.Fn("value")), list)
		}
		return castMono(f.CollectMap(a.Key("key")), list)
	})
	RegisterFluxOp("collectMultimap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		list := func(m map[int64][]Value) Value { return entries(m, func(vs []Value) Value { return List(vs...) }) }
		if a.Has("value") {
			return castMono(f.CollectMultimapOf(a.Key("key"), a.Fn("value")), list)
		}
		return castMono(f.CollectMultimap(a.Key("key")), list)
	})
	RegisterFluxOp("collect", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		fn := a.Fn("fn")
		container := func() *[]Value {
			if a.Bool("failSeed") {
				panic(Boom("seed"))
			}
			return &[]Value{}
		}
		return castMono(f.CollectInto(container, func(l *[]Value, v Value) { *l = append(*l, fn(v)) }),
			func(l *[]Value) Value { return List(*l...) })
	})
	RegisterFluxOp("count", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return castMono(f.Count(), func(n int) Value { return int64(n) })
	})
}

// seed returns the function that makes a first value.
func (a *Args) seed() func() Value {
	v := a.Value("seed")
	return func() Value {
		if a.Bool("failSeed") {
			panic(Boom("seed"))
		}
		return v
	}
}

// entries returns a map as a list of [key, value] with ascending keys.
func entries[V any](m map[int64]V, value func(V) Value) Value {
	list := []Value{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, List(k, value(m[k])))
	}
	return list
}
