package vectors

import (
	"slices"

	"github.com/goreactor/reactor/flux"
)

func init() {
	zipOptions := func(a *Args) []flux.ZipOption {
		if !a.Has("prefetch") {
			return nil
		}
		return []flux.ZipOption{flux.Prefetch(a.Int("prefetch"))}
	}
	RegisterFluxSource("zip", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.ZipSlice(a.Pubs("of"), a.CombineAll("fn"), zipOptions(a)...)
	})
	RegisterFluxOp("zipWith", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ZipWith(a.Pub("other"), a.Combine("fn", "pair"), zipOptions(a)...)
	})
	RegisterFluxOp("zipWithIterable", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if b.Try() {
			return f.ZipWithSeq(slices.Values(a.Values("items")), a.Combine("fn", "pair"))
		}
		return f.ZipWithSlice(a.Values("items"), a.Combine("fn", "pair"))
	})
}
