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
	RegisterFluxOp("rails", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		rails := f.Parallel(a.Int("n"), operators.Prefetch(a.IntOr("prefetch", 256)))
		for _, step := range get[[]node](a, "steps") {
			rails = b.railStep(rails, b.args(nameOf(step, "op"), step, a.in))
		}
		return railEnd(rails, a)
	})
}

// railStep is one of the steps that rails have between them.
func (b *Builder) railStep(rails flux.ParallelFlux[Value], a *Args) flux.ParallelFlux[Value] {
	switch a.name {
	case "runOn":
		return rails.RunOn(b.Clock, operators.Prefetch(a.IntOr("prefetch", 256)))
	case "map":
		return rails.Map(a.Fn("fn"))
	case "filter":
		return rails.Filter(a.Pred("pred"))
	case "flatMap":
		opts := flatMapOptions(a)
		if a.Bool("delayError") {
			opts = append(opts, flux.DelayErrors())
		}
		return rails.FlatMap(a.Inner("inner"), opts...)
	case "concatMap":
		return rails.ConcatMap(a.Inner("inner"), operators.Prefetch(a.IntOr("prefetch", 2)))
	case "doOnNext":
		return rails.DoOnNext(a.throwingTap())
	case "doOnComplete":
		return rails.DoOnComplete(a.event("complete"))
	case "reduceWith":
		return rails.ReduceWith(func() Value { return a.Value("seed") }, a.Combine("fn", ""))
	case "hide":
		return rails.Hide()
	case "groups":
		part := a.Part("ops")
		return rails.TransformGroups(func(rail flux.Flux[Value]) flux.Flux[Value] { return AsFlux(part(rail)) })
	}
	panic("vectors: rails have no step " + a.name)
}

// railEnd joins rails.
func railEnd(rails flux.ParallelFlux[Value], a *Args) Publisher {
	prefetch := operators.Prefetch(a.IntOr("endPrefetch", 256))
	switch end := a.Str("end"); end {
	case "sequential":
		return rails.Sequential(prefetch)
	case "ordered":
		return rails.Ordered(byNum, prefetch)
	case "sorted":
		return rails.Sorted(byNum)
	case "collectSortedList":
		return castMono(rails.CollectSorted(byNum), func(vs []Value) Value { return List(vs...) })
	case "reduce":
		return rails.Reduce(a.Combine("fn", ""))
	case "then":
		return nothing(rails.Then())
	case "groups":
		type rail struct {
			n int
			flux.Flux[Value]
		}
		groups := rails.Groups(func(i int, f flux.Flux[Value]) rail { return rail{i, f} })
		return groups.FlatMap(func(r rail) flux.Flux[Value] {
			return r.Map(func(v Value) Value { return List(int64(r.n), v) })
		}, operators.Verbatim())
	default:
		panic("vectors: rails have no end " + end)
	}
}
