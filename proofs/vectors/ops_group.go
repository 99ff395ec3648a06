package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("groupBy", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []flux.GroupByOption{flux.Prefetch(a.IntOr("prefetch", 256)), operators.Verbatim()}
		groups := f.GroupBy(a.Key("key"), opts...)
		if a.Has("value") {
			groups = f.GroupByMap(a.Key("key"), a.Fn("value"), opts...)
		}
		type group = flux.GroupedFlux[int64, Value]
		list := func(key int64) func([]Value) Value {
			return func(items []Value) Value { return List(key, List(items...)) }
		}
		flat := map[string]func(group) flux.Flux[Value]{
			"collect": func(g group) flux.Flux[Value] { return flux.From(g.CollectSlice().Map(list(g.Key()))) },
			"merge": func(g group) flux.Flux[Value] {
				return g.Map(func(v Value) Value { return List(g.Key(), v) })
			},
			"ops": func(g group) flux.Flux[Value] {
				return AsFlux(a.Part("ops")(flux.From(g))).Map(func(v Value) Value { return List(g.Key(), v) })
			},
			"take": func(g group) flux.Flux[Value] {
				return flux.From(g.Take(a.IntOr("n", 1)).CollectSlice().Map(list(g.Key())))
			},
		}[a.Str("flat")]
		if a.Has("most") {
			return groups.Take(a.Int("most")).FlatMap(flat, flux.Concurrency(a.IntOr("concurrency", 256)))
		}
		return groups.FlatMap(flat, flux.Concurrency(a.IntOr("concurrency", 256)))
	})
}
