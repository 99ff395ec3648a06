package vectors

import (
	"iter"
	"math"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("mapNotNull", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		fn := optional(a)
		if b.Try() {
			return f.TryMapOptional(fn)
		}
		return f.MapOptional(mustHave(fn))
	})
	RegisterMonoOp("mapNotNull", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		fn := optional(a)
		if b.Try() {
			return m.TryMapOptional(fn)
		}
		return m.MapOptional(mustHave(fn))
	})
	RegisterFluxOp("handle", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.Handle(handler(a)) })
	RegisterMonoOp("handle", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher { return m.Handle(handler(a)) })
	RegisterFluxOp("scan", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if b.Try() {
			return f.TryScan(a.TryCombine("fn", ""))
		}
		return f.Scan(a.Combine("fn", ""))
	})
	RegisterFluxOp("scanWithSeed", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		seed := a.Value("seed")
		if a.Has("failSeed") {
			return f.ScanWith(a.seed(), a.Combine("fn", ""))
		}
		if b.Try() {
			return f.TryScanWith(func() (Value, error) { return seed, nil }, a.TryCombine("fn", ""))
		}
		return f.ScanSeed(seed, a.Combine("fn", ""))
	})
	RegisterFluxOp("index", func(b *Builder, f flux.Flux[Value], _ *Args) Publisher {
		if b.Try() {
			return castFlux(f.Index(), func(i reactor.Indexed[Value]) Value { return List(int64(i.Index), i.Value) })
		}
		return f.MapIndexed(func(i int, v Value) Value { return List(int64(i), v) })
	})
	RegisterFluxOp("materialize", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return castFlux(f.Materialize(), box)
	})
	RegisterMonoOp("materialize", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return castMono(m.Materialize(), box)
	})
	RegisterFluxOp("dematerialize", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Dematerialize(asSignal(a))
	})
	RegisterMonoOp("dematerialize", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.Dematerialize(asSignal(a))
	})
	RegisterFluxOp("flatMapIterable", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		prefetch := flux.Prefetch(a.IntOr("prefetch", 256))
		if b.Try() {
			return f.TryFlatMapSlice(a.TryIter("iter"), prefetch)
		}
		return f.FlatMapSlice(a.Iter("iter"), prefetch)
	})
	RegisterMonoOp("flatMapIterable", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if b.Try() {
			return flux.From(m).FlatMapSeq(sequence(a.Iter("iter")), flux.Prefetch(math.MaxInt))
		}
		return flux.From(m).FlatMapSlice(a.Iter("iter"), flux.Prefetch(math.MaxInt))
	})
	RegisterFluxOp("concatMapIterable", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		prefetch := flux.Prefetch(a.IntOr("prefetch", 32))
		if b.Try() {
			return f.ConcatMapSeq(sequence(a.Iter("iter")), prefetch)
		}
		return f.ConcatMapSlice(a.Iter("iter"), prefetch)
	})
	RegisterMonoOp("flatMapMany", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.FlatMapMany(m, a.Inner("inner"))
	})
	RegisterMonoOp("flatMapManySignal", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flatMapSignal(flux.From(m), a)
	})
	RegisterFluxOp("flatMapSignal", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return flatMapSignal(f, a) })
	RegisterFluxOp("expand", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.Expand(a.Inner("inner")) })
	RegisterMonoOp("expand", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).Expand(a.Inner("inner"))
	})
	RegisterFluxOp("expandDeep", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ExpandDeep(a.Inner("inner"))
	})
	RegisterMonoOp("expandDeep", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).ExpandDeep(a.Inner("inner"))
	})
}

// flatMapSignal binds the arguments of the inner programs of the end as the format says.
func flatMapSignal(f flux.Flux[Value], a *Args) Publisher {
	onError, onComplete := a.Inner("onError"), a.Inner("onComplete")
	return f.FlatMapSignal(a.Inner("onNext"),
		func(error) Publisher { return onError(int64(-1)) },
		func() Publisher { return onComplete(int64(-2)) })
}

// sequence makes a sequence of a list.
func sequence(fn func(Value) []Value) func(Value) iter.Seq[Value] {
	return func(v Value) iter.Seq[Value] { return slices.Values(fn(v)) }
}

// optional is the function of mapNotNull.
func optional(a *Args) func(Value) (Value, bool, error) {
	fn := a.TryFn("fn")
	if !a.Has("dropIf") {
		return func(v Value) (Value, bool, error) { r, err := fn(v); return r, true, err }
	}
	drop := a.TryPred("dropIf")
	return func(v Value) (Value, bool, error) {
		if no, err := drop(v); no || err != nil {
			return nil, false, err
		}
		r, err := fn(v)
		return r, true, err
	}
}

// mustHave makes the form that panics.
func mustHave(fn func(Value) (Value, bool, error)) func(Value) (Value, bool) {
	return func(v Value) (Value, bool) {
		r, ok, err := fn(v)
		if err != nil {
			panic(err)
		}
		return r, ok
	}
}

// handler is the function of handle.
func handler(a *Args) func(Value, *operators.SyncSink[Value]) {
	at := func(name string) func(Value) bool {
		if !a.Has(name) {
			return func(Value) bool { return false }
		}
		n := int64(a.Int(name))
		return func(v Value) bool { return Num(v) == n }
	}
	skip := func(Value) bool { return false }
	if a.Has("skip") {
		skip = a.Pred("skip")
	}
	fn, completes, fails := a.Fn("fn"), at("completeAt"), at("errorAt")
	return func(v Value, sink *operators.SyncSink[Value]) {
		switch {
		case completes(v):
			sink.Complete()
		case fails(v):
			sink.Error(Boom("handle"))
		case skip(v):
		default:
			sink.Next(fn(v))
		}
	}
}

// asSignal is the function from a value to a signal that stands before dematerialize.
func asSignal(a *Args) func(Value) reactor.Signal[Value] {
	number := func(name string) (n int64, ok bool) {
		if a.Has(name) {
			return int64(a.Int(name)), true
		}
		return 0, false
	}
	complete, completes := number("completeAt")
	fail, fails := number("errorAt")
	return func(v Value) reactor.Signal[Value] {
		a.b.step()
		sig, ok := v.(reactor.Signal[Value])
		switch {
		case ok:
			return sig
		case completes && Num(v) == complete:
			return reactor.CompleteSignal[Value]()
		case fails && Num(v) == fail:
			return reactor.ErrorSignal[Value](Boom("demat"))
		}
		return reactor.NextSignal(v)
	}
}
