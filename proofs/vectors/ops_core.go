package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func init() {
	RegisterFluxSource("just", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.Just(a.Values("items")...)
	})
	RegisterFluxSource("fromIterable", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.FromSlice(a.Values("items"))
	})
	RegisterFluxSource("range", func(_ *Builder, a *Args) flux.Flux[Value] {
		return boxed(flux.Range(a.Int("start"), a.Int("count")))
	})
	RegisterFluxSource("empty", func(*Builder, *Args) flux.Flux[Value] { return flux.Empty[Value]() })
	RegisterFluxSource("never", func(*Builder, *Args) flux.Flux[Value] { return flux.Never[Value]() })
	RegisterFluxSource("error", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.Error[Value](a.Error("msg"))
	})
	RegisterMonoSource("monoJust", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.Just(a.Value("v"))
	})
	RegisterMonoSource("monoEmpty", func(*Builder, *Args) mono.Mono[Value] { return mono.Empty[Value]() })
	RegisterMonoSource("monoNever", func(*Builder, *Args) mono.Mono[Value] { return mono.Never[Value]() })
	RegisterMonoSource("monoError", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.Error[Value](a.Error("msg"))
	})

	RegisterFluxOp("map", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if b.Try() {
			return f.TryMap(a.TryFn("fn"))
		}
		return f.Map(a.Fn("fn"))
	})
	RegisterMonoOp("map", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if b.Try() {
			return m.TryMap(a.TryFn("fn"))
		}
		return m.Map(a.Fn("fn"))
	})
	RegisterFluxOp("filter", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Filter(a.Pred("pred"))
	})
	RegisterMonoOp("filter", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.Filter(a.Pred("pred"))
	})
	RegisterMonoOp("flux", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return flux.From(m) })
}
