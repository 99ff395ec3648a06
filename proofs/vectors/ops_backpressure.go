package vectors

import (
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("limitRate", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("low") {
			return f.LimitRate(a.Int("high"), operators.LowTide(a.Int("low")))
		}
		return f.LimitRate(a.Int("high"))
	})
	RegisterFluxOp("onBackpressureBuffer", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if !a.Has("size") {
			return f.OnBackpressureBuffer()
		}
		if a.Has("ttlMs") {
			return f.OnBackpressureBufferTimeout(a.Millis("ttlMs"), a.Int("size"),
				func(v Value) { a.RecordValue("evict", v) }, operators.On(b.Clock))
		}
		opts := []operators.BackpressureBufferOption{operators.Capacity(a.Int("size"))}
		switch s := a.StrOr("strategy", "ERROR"); s {
		case "ERROR":
		case "DROP_LATEST":
			opts = append(opts, operators.BufferDropLatest)
		case "DROP_OLDEST":
			opts = append(opts, operators.BufferDropOldest)
		default:
			b.notRegistered("overflow strategy " + s)
		}
		return f.OnBackpressureBufferFunc(func(v Value) { a.RecordValue("overflow", v) }, opts...)
	})
	RegisterFluxOp("onBackpressureDrop", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnBackpressureDropFunc(func(v Value) { a.RecordValue("drop", v) })
	})
	RegisterFluxOp("onBackpressureLatest", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return f.OnBackpressureLatest()
	})
	RegisterFluxOp("onBackpressureError", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return f.OnBackpressureError()
	})
	RegisterFluxOp("publishOn", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		opts := []operators.PublishOnOption{operators.Prefetch(a.IntOr("prefetch", 256))}
		if !a.BoolOr("delayError", true) {
			opts = append(opts, operators.EagerErrors())
		}
		return f.PublishOn(b.Clock, opts...)
	})
	RegisterMonoOp("publishOn", func(b *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.PublishOn(b.Clock) })
	RegisterFluxOp("subscribeOn", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.BoolOr("requestOnSeparateThread", true) {
			return f.SubscribeOn(b.Clock)
		}
		return f.SubscribeOn(b.Clock, operators.RequestInPlace())
	})
	RegisterMonoOp("subscribeOn", func(b *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.SubscribeOn(b.Clock) })
	RegisterFluxOp("cancelOn", func(b *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.CancelOn(b.Clock) })
	RegisterMonoOp("cancelOn", func(b *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.CancelOn(b.Clock) })
}
