package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func init() {
	RegisterFluxSource("concat", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.Concat(a.Pubs("of")...)
	})
	RegisterFluxSource("concatDelayError", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.ConcatDelayError(a.Pubs("of")...)
	})
	RegisterFluxOp("concatWith", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ConcatWith(a.Pub("other"))
	})
	RegisterMonoOp("concatWith", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).ConcatWith(a.Pub("other"))
	})
	RegisterFluxOp("concatWithValues", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ConcatWithValues(a.Values("items")...)
	})
	RegisterFluxOp("startWith", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.StartWith(a.Pub("other"))
	})
	RegisterFluxOp("startWithValues", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.StartWithValues(a.Values("items")...)
	})
	RegisterFluxOp("switchIfEmpty", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.SwitchIfEmpty(a.Pub("other"))
	})
	RegisterMonoOp("switchIfEmpty", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.SwitchIfEmpty(a.Mono("other"))
	})
	RegisterFluxOp("defaultIfEmpty", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.DefaultIfEmpty(a.Value("v"))
	})
	RegisterMonoOp("defaultIfEmpty", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.DefaultIfEmpty(a.Value("v"))
	})
}
