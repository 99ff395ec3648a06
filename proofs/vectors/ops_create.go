package vectors

import (
	"context"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxSource("generate", func(b *Builder, a *Args) flux.Flux[Value] {
		start, count, end := a.Int("start"), a.Int("count"), a.Str("end")
		var cleanup []func(int)
		if a.Has("tag") {
			cleanup = append(cleanup, func(st int) { a.RecordValue("stateCleanup", int64(st)) })
		}
		return flux.Generate(func() int { return start }, func(st int, s *flux.SyncSink[Value]) int {
			b.step()
			switch {
			case st-start < count:
				s.Next(int64(st))
			case end == "complete":
				s.Complete()
			case end == "error":
				s.Error(Boom("boom"))
			default:
				panic(Boom("boom"))
			}
			return st + 1
		}, cleanup...)
	})
	RegisterFluxSource("interval", func(b *Builder, a *Args) flux.Flux[Value] {
		return boxed(flux.Interval(a.Millis("period"), flux.InitialDelay(a.Millis("initial")), operators.On(b.Clock)))
	})
	RegisterMonoSource("monoDelay", func(b *Builder, a *Args) mono.Mono[Value] {
		return castMono(mono.Delay(a.Millis("ms"), operators.On(b.Clock)), box[int64])
	})
	acquire := func(a *Args) func(context.Context) (Value, error) {
		resource := a.Value("resource")
		return func(context.Context) (Value, error) {
			a.Record("acquire")
			if a.Bool("failAcquire") {
				return nil, Boom("acquire")
			}
			return resource, nil
		}
	}
	release := func(a *Args) func(Value) error {
		return func(r Value) error {
			a.RecordValue("release", r)
			if a.Bool("failRelease") {
				return Boom("release")
			}
			return nil
		}
	}
	late := func(a *Args) (opts []flux.UsingOption) {
		if !a.BoolOr("eager", true) {
			opts = append(opts, flux.LateRelease())
		}
		return opts
	}
	RegisterFluxSource("using", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.Using(acquire(a), a.Inner("of"), release(a), late(a)...)
	})
	RegisterMonoSource("monoUsing", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.Using(acquire(a), a.InnerMono("of"), release(a), late(a)...)
	})
	cleanup := func(a *Args, name string) func(Value) Publisher {
		inner := a.Inner(name)
		return func(r Value) Publisher {
			a.RecordValue(name, r)
			return inner(r)
		}
	}
	RegisterFluxSource("usingWhen", func(_ *Builder, a *Args) flux.Flux[Value] {
		failed := cleanup(a, "asyncError")
		return flux.UsingWhenOutcome(a.Pub("resource"), a.Inner("of"), cleanup(a, "asyncComplete"),
			func(r Value, _ error) Publisher { return failed(r) }, cleanup(a, "asyncCancel"))
	})
	RegisterMonoSource("monoUsingWhen", func(_ *Builder, a *Args) mono.Mono[Value] {
		failed := cleanup(a, "asyncError")
		return mono.UsingWhenOutcome(a.Pub("resource"), a.InnerMono("of"), cleanup(a, "asyncComplete"),
			func(r Value, _ error) Publisher { return failed(r) }, cleanup(a, "asyncCancel"))
	})
	RegisterMonoSource("monoFrom", func(_ *Builder, a *Args) mono.Mono[Value] { return mono.From(a.Pub("of")) })
	RegisterMonoOp("flatMap", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher { return m.FlatMap(a.InnerMono("inner")) })
	RegisterFluxSource("argInterval", func(b *Builder, a *Args) flux.Flux[Value] {
		take, ok := fluxOps["take"]
		if !ok {
			b.notRegistered("flux operator take")
		}
		base := Num(a.Arg()) * 10
		ticks := castFlux(flux.Interval(a.Millis("period"), flux.InitialDelay(a.Millis("initial")), operators.On(b.Clock)),
			func(i int64) Value { return base + i })
		return AsFlux(take(b, ticks, &Args{b: b, name: "take", node: node{"n": a.Raw("count")}}))
	})
	RegisterMonoSource("argDelay", func(b *Builder, a *Args) mono.Mono[Value] {
		arg := a.Arg()
		ms := int64(a.Int("base")) + FloorMod(Num(arg), int64(a.Int("mod")))*int64(a.Int("mul"))
		return mono.Delay(time.Duration(ms)*time.Millisecond, operators.On(b.Clock)).Map(func(int64) Value { return arg })
	})
	RegisterFluxSource("defer", func(_ *Builder, a *Args) flux.Flux[Value] {
		next := turns(a)
		return flux.Defer(func(context.Context) Publisher { return next() })
	})
	RegisterMonoSource("monoDefer", func(b *Builder, a *Args) mono.Mono[Value] {
		next := turns(a)
		return mono.Defer(func(context.Context) mono.Mono[Value] { return b.AsMono(next()) })
	})
	RegisterMonoSource("monoCallable", func(_ *Builder, a *Args) mono.Mono[Value] {
		switch {
		case a.Has("v"):
			return mono.FromCallable(func() (Value, error) { return a.Value("v"), nil })
		case a.Has("msg"):
			return mono.FromCallable(func() (Value, error) { return nil, a.Error("msg") })
		}
		return mono.FromOptional(func() (Value, bool, error) { return nil, false, nil })
	})
	RegisterMonoSource("monoRunnable", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.FromRunnable[Value](func() error {
			a.Record("run")
			if a.Has("msg") {
				return a.Error("msg")
			}
			return nil
		})
	})
}

// turns returns a function that assembles the n-th program at its n-th call, the
// last one again and again.
func turns(a *Args) func() Publisher {
	of, n := a.Programs("of"), 0
	return func() Publisher {
		p := of[min(n, len(of)-1)]
		n++
		return p.Build()
	}
}
