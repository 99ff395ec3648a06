package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxSource("combineLatest", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.CombineLatestSlice(a.Pubs("of"), a.CombineAll("fn"), flux.Prefetch(a.IntOr("prefetch", 32)))
	})
	RegisterFluxOp("withLatestFrom", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.WithLatestFrom(a.Pub("other"), a.Combine("fn", "pair"))
	})
	RegisterFluxOp("groupJoin", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		list := func(v Value, matches flux.Flux[Value]) mono.Mono[Value] {
			return matches.CollectSlice().Map(func(vs []Value) Value { return List(v, List(vs...)) })
		}
		joined := f.GroupJoin(a.Pub("other"), a.Inner("leftEnd"), a.Inner("rightEnd"), list)
		return joined.FlatMap(func(m mono.Mono[Value]) mono.Mono[Value] { return m }, operators.Verbatim())
	})
	RegisterFluxOp("join", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Join(a.Pub("other"), a.Inner("leftEnd"), a.Inner("rightEnd"), a.Combine("fn", "pair"))
	})
}
