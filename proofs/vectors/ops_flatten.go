package vectors

import (
	"cmp"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
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
	byNum := func(x, y Value) int { return cmp.Compare(Num(x), Num(y)) }
	comparing := func(a *Args) []flux.MergeComparingOption {
		opts := []flux.MergeComparingOption{flux.Prefetch(a.IntOr("prefetch", 256))}
		if a.Bool("delayError") {
			opts = append(opts, flux.DelayErrors())
		}
		return opts
	}
	RegisterFluxSource("mergeComparing", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.MergeComparing(byNum, a.Pubs("of"), comparing(a)...)
	})
	RegisterFluxSource("mergePriority", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.MergePriority(byNum, a.Pubs("of"), comparing(a)...)
	})
	RegisterFluxOp("mergeComparingWith", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.MergeComparingWith(a.Pub("other"), byNum)
	})
	RegisterMonoOp("mergeWith", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).MergeWith(a.Pub("other"))
	})
	RegisterFluxOp("switchOnFirst", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		pred, then, other := a.Pred("pred"), a.Fn("then"), a.Inner("else")
		var opts []flux.SwitchOnFirstOption
		if !a.BoolOr("cancelSource", true) {
			opts = append(opts, flux.KeepSource())
		}
		return f.SwitchOnFirst(func(first reactor.Signal[Value], all flux.Flux[Value]) Publisher {
			v, ok := first.Value()
			switch {
			case !ok:
				return all
			case pred(v):
				return all.Map(then)
			}
			return other(v)
		}, opts...)
	})
}
