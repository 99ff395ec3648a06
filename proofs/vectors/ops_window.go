package vectors

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

type windows = flux.Flux[flux.Flux[Value]]

// flattened joins windows in the way that flat says.
func flattened(ws windows, a *Args) Publisher {
	if a.Has("most") {
		ws = ws.Take(a.Int("most"))
	}
	list := func(w flux.Flux[Value]) mono.Mono[Value] {
		return w.CollectSlice().Map(func(vs []Value) Value { return List(vs...) })
	}
	switch flat := a.Str("flat"); flat {
	case "concatMap":
		return ws.ConcatMap(list, flux.Prefetch(0)) // what the recorded concatMap has, unless told otherwise
	case "flatMap":
		return ws.FlatMap(list)
	case "ops":
		part := a.Part("ops")
		switch a.Str("by") {
		case "concatMap":
			return ws.ConcatMap(part, flux.Prefetch(0))
		case "flatMap":
			return ws.FlatMap(part)
		case "flatMapSequential":
			return ws.FlatMapSequential(part)
		}
		return ws.SwitchMap(part)
	case "merge":
		return ws.Index().FlatMap(func(w reactor.Indexed[flux.Flux[Value]]) flux.Flux[Value] {
			return w.Value.Map(func(v Value) Value { return List(w.Index, v) })
		})
	default:
		panic("vectors: windows are not flattened by " + flat)
	}
}

func init() {
	RegisterFluxOp("window", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		size := a.Int("size")
		return flattened(f.Window(size, operators.Stride(a.IntOr("skip", size))), a)
	})
	RegisterFluxOp("windowOther", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return flattened(f.WindowOther(a.Pub("other")), a)
	})
	RegisterFluxOp("windowDuration", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []operators.WindowForOption{flux.On(b.Clock), operators.Verbatim()}
		if a.Has("everyMs") {
			opts = append(opts, operators.OpenEvery(a.Millis("everyMs")))
		}
		return flattened(f.WindowFor(a.Millis("ms"), opts...), a)
	})
	RegisterFluxOp("windowWhen", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return flattened(f.WindowWhen(a.Pub("open"), a.Inner("close"), operators.Verbatim()), a)
	})
	RegisterFluxOp("windowUntil", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Bool("cutBefore") {
			return flattened(f.WindowUntil(a.Pred("pred"), operators.CutBefore()), a)
		}
		return flattened(f.WindowUntil(a.Pred("pred")), a)
	})
	RegisterFluxOp("windowWhile", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return flattened(f.WindowWhile(a.Pred("pred")), a)
	})
	RegisterFluxOp("windowUntilChanged", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("near") {
			return flattened(f.WindowUntilChangedFunc(a.Key("key"), near(a)), a)
		}
		return flattened(f.WindowUntilChanged(a.Key("key")), a)
	})
	RegisterFluxOp("windowTimeout", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []operators.WindowTimeoutOption{flux.On(b.Clock), operators.Verbatim()}
		if a.Bool("fair") {
			opts = append(opts, flux.FairBackpressure())
		}
		return flattened(f.WindowTimeout(a.Int("size"), a.Millis("ms"), opts...), a)
	})
}
