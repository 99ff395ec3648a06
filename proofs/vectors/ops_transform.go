package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("flatMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.FlatMap(a.Inner("inner"), flatMapOptions(a)...)
	})
	RegisterFluxOp("flatMapDelayError", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.FlatMap(a.Inner("inner"), append(flatMapOptions(a), flux.DelayErrors())...)
	})
}

func flatMapOptions(a *Args) []flux.FlatMapOption {
	return []flux.FlatMapOption{
		flux.Concurrency(a.IntOr("concurrency", 256)), flux.Prefetch(a.IntOr("prefetch", 32)), operators.Verbatim(),
	}
}
