package vectors

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterMonoSource("monoZip", func(_ *Builder, a *Args) mono.Mono[Value] {
		if a.Bool("delayError") {
			return mono.ZipSlice(a.Monos("of"), a.CombineAll("fn"), mono.DelayErrors())
		}
		return mono.ZipSlice(a.Monos("of"), a.CombineAll("fn"))
	})
	RegisterMonoSource("monoWhen", func(_ *Builder, a *Args) mono.Mono[Value] {
		if a.Bool("delayError") {
			return nothing(mono.WhenDelayError(a.Pubs("of")...))
		}
		return nothing(mono.When(a.Pubs("of")...))
	})
	RegisterFluxSource("firstWithSignal", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.FirstWithSignal(a.Pubs("of")...)
	})
	RegisterFluxSource("firstWithValue", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.FirstWithValue(a.Pubs("of")...)
	})
	RegisterMonoSource("monoFirstWithSignal", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.FirstWithSignal(a.Monos("of")...)
	})
	RegisterMonoSource("monoFirstWithValue", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.FirstWithValue(a.Monos("of")...)
	})
	RegisterMonoSource("monoSequenceEqual", func(_ *Builder, a *Args) mono.Mono[Value] {
		of := a.Pubs("of")
		equal := func(x, y Value) bool { return Num(x) == Num(y) }
		if !a.Has("prefetch") {
			return castMono(mono.SequenceEqualFunc(of[0], of[1], equal, operators.Verbatim()), Bool)
		}
		return castMono(mono.SequenceEqualFunc(of[0], of[1], equal, mono.Prefetch(a.Int("prefetch")), operators.Verbatim()), Bool)
	})

	RegisterMonoOp("zipWith", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.ZipWith(a.Mono("other"), a.Combine("fn", "pair"))
	})
	RegisterMonoOp("zipWhen", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.ZipWhen(a.InnerMono("inner"), a.Combine("fn", "pair"))
	})
	RegisterMonoOp("and", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return nothing(m.And(a.Pub("other")))
	})
	RegisterMonoOp("or", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher { return m.Or(a.Mono("other")) })
	RegisterFluxOp("or", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher { return f.Or(a.Pub("other")) })

	RegisterMonoOp("then", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return nothing(m.Then()) })
	RegisterFluxOp("then", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return nothing(f.Then()) })
	RegisterMonoOp("thenMono", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.ThenMono(a.Mono("other"))
	})
	RegisterFluxOp("thenMono", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ThenMono(a.Mono("other"))
	})
	RegisterMonoOp("thenMany", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).ThenMany(a.Pub("other"))
	})
	RegisterFluxOp("thenMany", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.ThenMany(a.Pub("other"))
	})
	RegisterMonoOp("thenEmpty", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return nothing(m.ThenEmpty(a.Pub("other")))
	})
	RegisterFluxOp("thenEmpty", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return nothing(f.ThenEmpty(a.Pub("other")))
	})
	RegisterMonoOp("thenReturn", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.ThenReturn(a.Value("v"))
	})
	RegisterMonoOp("ignoreElement", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.IgnoreElement() })
	RegisterFluxOp("ignoreElements", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.IgnoreElements() })
	RegisterMonoOp("hasElement", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return castMono(m.HasElement(), Bool)
	})
	RegisterMonoOp("singleOptional", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return m.SingleOptional(func(v Value, ok bool) Value {
			if !ok {
				return List()
			}
			return List(v)
		})
	})
	RegisterMonoOp("single", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.Single() })
	RegisterFluxOp("single", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("default") {
			return f.SingleOrDefault(a.Value("default"))
		}
		return f.Single()
	})
	RegisterFluxOp("singleOrEmpty", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.SingleOrEmpty() })
	RegisterFluxOp("next", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.Next() })
	RegisterMonoOp("delayUntil", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.DelayUntil(a.Inner("inner"))
	})

	RegisterMonoOp("cache", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if !a.Has("ms") {
			return m.Cache()
		}
		return m.Cache(mono.TTL(a.Millis("ms")), mono.On(b.Clock))
	})
	RegisterMonoOp("cacheInvalidateIf", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.CacheInvalidateIf(a.Pred("pred"))
	})
	RegisterMonoOp("cacheInvalidateWhen", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		inner := a.InnerMono("inner")
		return m.CacheInvalidateWhen(func(v Value) mono.Mono[struct{}] { return inner(v).Then() },
			func(v Value) { a.RecordValue("gone", v) })
	})
	RegisterMonoOp("cacheFor", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		names := map[reactor.SignalKind]string{reactor.KindNext: "ms", reactor.KindError: "errorMs", reactor.KindComplete: "emptyMs"}
		return m.CacheFor(func(s reactor.Signal[Value]) time.Duration { return a.Millis(names[s.Kind()]) }, mono.On(b.Clock))
	})
	RegisterMonoOp("share", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.Share() })
	RegisterMonoOp("publishSelector", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return m.Publish(func(x mono.Mono[Value]) mono.Mono[Value] {
			negated := x.Map(func(v Value) Value { return -Num(v) })
			return mono.Zip(x, negated, func(v, w Value) Value { return List(v, w) })
		})
	})
}

// nothing makes a program of a Mono that sends no element.
func nothing(m mono.Mono[struct{}]) mono.Mono[Value] {
	return castMono(m, func(struct{}) Value { panic("vectors: an element of a Mono that has none") })
}
