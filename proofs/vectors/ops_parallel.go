package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("parallel", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		prefetch := a.IntOr("prefetch", 256)
		rails := f.Parallel(a.Int("n"), operators.Prefetch(prefetch)).
			RunOn(b.Clock, operators.Prefetch(a.IntOr("runPrefetch", 256)))
		if b.Try() {
			return rails.TryMap(a.TryFn("fn")).Sequential(operators.Prefetch(prefetch))
		}
		return rails.Map(a.Fn("fn")).Sequential(operators.Prefetch(prefetch))
	})
}
