package vectors

import (
	"github.com/goreactor/reactor/flux"
)

func init() {
	RegisterFluxOp("concatMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ConcatMap(a.Inner("inner"), flux.Prefetch(a.IntOr("prefetch", 32)))
	})
	RegisterFluxOp("concatMapDelayError", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		prefetch := flux.Prefetch(a.IntOr("prefetch", 32))
		if a.BoolOr("untilEnd", true) {
			return f.ConcatMap(a.Inner("inner"), prefetch, flux.DelayErrors())
		}
		return f.ConcatMap(a.Inner("inner"), prefetch, flux.DelayErrorsToBoundary())
	})
	RegisterFluxOp("switchMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.SwitchMap(a.Inner("inner"), flux.Prefetch(a.IntOr("prefetch", 0)))
	})
	RegisterFluxSource("switchOnNext", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.SwitchOnNext(a.Flux("outer").Map(a.Inner("inner")))
	})
	sequential := func(a *Args, more ...flux.FlatMapSequentialOption) []flux.FlatMapSequentialOption {
		return append(more, flux.Concurrency(a.IntOr("concurrency", 256)), flux.Prefetch(a.IntOr("prefetch", 32)))
	}
	RegisterFluxOp("flatMapSequential", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.FlatMapSequential(a.Inner("inner"), sequential(a)...)
	})
	RegisterFluxOp("flatMapSequentialDelayError", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.FlatMapSequential(a.Inner("inner"), sequential(a, flux.DelayErrors())...)
	})
	RegisterFluxSource("mergeSequential", func(_ *Builder, a *Args) flux.Flux[Value] {
		opts := []flux.MergeSequentialOption{flux.Prefetch(a.IntOr("prefetch", 32))}
		if a.Bool("delayError") {
			opts = append(opts, flux.DelayErrors())
		}
		return flux.MergeSequential(a.Pubs("of"), opts...)
	})
}
