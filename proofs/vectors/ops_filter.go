package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func init() {
	RegisterFluxOp("filterWhen", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.FilterWhen(isEven(a), flux.Prefetch(a.IntOr("prefetch", 256)))
	})
	RegisterMonoOp("filterWhen", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher { return m.FilterWhen(isEven(a)) })
	RegisterFluxOp("take", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.BoolOr("limit", true) {
			return f.Take(a.Int("n"))
		}
		return f.Take(a.Int("n"), flux.UnlimitedRequest())
	})
	RegisterFluxOp("takeLast", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.TakeLast(a.Int("n")) })
	RegisterFluxOp("takeWhile", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.TakeWhile(a.Pred("pred")) })
	RegisterFluxOp("takeUntil", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.TakeUntil(a.Pred("pred")) })
	RegisterFluxOp("skip", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.Skip(a.Int("n")) })
	RegisterFluxOp("skipLast", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.SkipLast(a.Int("n")) })
	RegisterFluxOp("skipWhile", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.SkipWhile(a.Pred("pred")) })
	RegisterFluxOp("skipUntil", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.SkipUntil(a.Pred("pred")) })
	RegisterFluxOp("distinct", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.Distinct(a.Key("key")) })
	RegisterFluxOp("distinctUntilChanged", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("near") {
			return f.DistinctUntilChangedFunc(a.Key("key"), near(a))
		}
		return f.DistinctUntilChanged(a.Key("key"))
	})
	RegisterFluxOp("distinctStore", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		key := a.Key("key")
		return f.DistinctIn(func() map[int64]bool { return map[int64]bool{} }, func(seen map[int64]bool, v Value) bool {
			k := key(v)
			known := seen[k]
			seen[k] = true
			return !known
		}, func(seen map[int64]bool) { a.RecordValue("cleanup", int64(len(seen))) })
	})
	RegisterFluxOp("ofType", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return boxed(f.OfType[int64]()) })
	RegisterFluxOp("sort", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.Sort(byNum) })
	RegisterFluxOp("elementAt", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("default") {
			return f.ElementAtOr(a.Int("index"), a.Value("default"))
		}
		return f.ElementAt(a.Int("index"))
	})
	RegisterFluxOp("last", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("default") {
			return f.LastOr(a.Value("default"))
		}
		return f.Last()
	})
	RegisterFluxOp("all", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return castMono(f.AllMatch(a.Pred("pred")), Bool)
	})
	RegisterFluxOp("any", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return castMono(f.AnyMatch(a.Pred("pred")), Bool)
	})
	RegisterFluxOp("hasElements", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return castMono(f.HasElements(), Bool)
	})
	RegisterFluxOp("hasElement", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		want := Num(a.Value("v"))
		return castMono(f.AnyMatch(func(v Value) bool { return Num(v) == want }), Bool)
	})
}

// near is whether keys differ by no more than the argument says.
func near(a *Args) func(x, y int64) bool {
	most := int64(a.Int("near"))
	return func(x, y int64) bool { return max(x-y, y-x) <= most }
}

// isEven is the test of filterWhen: whether the first value of the inner program is even.
func isEven(a *Args) func(Value) flux.Flux[bool] {
	inner := a.InnerFlux("inner")
	return func(v Value) flux.Flux[bool] {
		return inner(v).Map(func(x Value) bool { return FloorMod(Num(x), 2) == 0 })
	}
}
