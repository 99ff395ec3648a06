package vectors

import (
	"github.com/goreactor/reactor/flux"
)

func init() {
	mergeOptions := func(a *Args) []flux.MergeOption {
		return []flux.MergeOption{flux.Prefetch(a.IntOr("prefetch", 32))}
	}
	RegisterFluxSource("merge", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.MergeSlice(a.Pubs("of"), mergeOptions(a)...)
	})
	RegisterFluxSource("mergeDelayError", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.MergeSlice(a.Pubs("of"), append(mergeOptions(a), flux.DelayErrors())...)
	})
	RegisterFluxOp("mergeWith", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.MergeWith(a.Pub("other"))
	})
}
