package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

// lists makes slices lists of the format.
func lists(f flux.Flux[[]Value]) Publisher {
	return castFlux(f, func(vs []Value) Value { return List(vs...) })
}

func init() {
	RegisterFluxOp("buffer", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		size := a.Int("size")
		if a.Has("skip") {
			return lists(f.Buffer(size, flux.Stride(a.Int("skip"))))
		}
		return lists(f.Buffer(size))
	})
	RegisterFluxOp("bufferDuration", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []operators.BufferForOption{flux.On(b.Clock)}
		if a.Has("everyMs") {
			opts = append(opts, flux.OpenEvery(a.Millis("everyMs")))
		}
		return lists(f.BufferFor(a.Millis("ms"), opts...))
	})
	RegisterFluxOp("bufferOther", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return lists(f.BufferOther(a.Pub("other")))
	})
	RegisterFluxOp("bufferWhen", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return lists(f.BufferWhen(a.Pub("open"), a.Inner("close")))
	})
	RegisterFluxOp("bufferTimeout", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []operators.BufferTimeoutOption{flux.On(b.Clock)}
		if a.Bool("fair") {
			opts = append(opts, flux.FairBackpressure(), operators.Verbatim())
		}
		return lists(f.BufferTimeout(a.Int("size"), a.Millis("ms"), opts...))
	})
	RegisterFluxOp("bufferUntil", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Bool("cutBefore") {
			return lists(f.BufferUntil(a.Pred("pred"), flux.CutBefore()))
		}
		return lists(f.BufferUntil(a.Pred("pred")))
	})
	RegisterFluxOp("bufferUntilChanged", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("near") {
			return lists(f.BufferUntilChangedFunc(a.Key("key"), near(a)))
		}
		return lists(f.BufferUntilChanged(a.Key("key")))
	})
	RegisterFluxOp("bufferWhile", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return lists(f.BufferWhile(a.Pred("pred")))
	})
}
