package vectors

import (
	"github.com/goreactor/reactor/flux"
)

func init() {
	RegisterFluxSource("combineLatest", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.CombineLatestSlice(a.Pubs("of"), a.CombineAll("fn"), flux.Prefetch(a.IntOr("prefetch", 32)))
	})
	RegisterFluxOp("withLatestFrom", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.WithLatestFrom(a.Pub("other"), a.Combine("fn", "pair"))
	})
	RegisterFluxOp("join", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Join(a.Pub("other"), a.Inner("leftEnd"), a.Inner("rightEnd"), a.Combine("fn", "pair"))
	})
}
