package vectors

import (
	"math"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("publish", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.connectable(f.Publish(a.publishPrefetch()...))
	})
	RegisterFluxOp("publishRefCount", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.refCount(f.Publish(a.publishPrefetch()...), a)
	})
	RegisterFluxOp("publishAutoConnect", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.autoConnect(f.Publish(a.publishPrefetch()...), a)
	})
	RegisterFluxOp("replay", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.connectable(f.Replay(b.history(a)...))
	})
	RegisterFluxOp("replayRefCount", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.refCount(f.Replay(b.history(a)...), a)
	})
	RegisterFluxOp("replayAutoConnect", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return b.autoConnect(f.Replay(b.history(a)...), a)
	})
	RegisterFluxOp("cache", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Cache(b.history(a)...)
	})
	RegisterFluxOp("share", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.Share() })
	RegisterFluxOp("shareNext", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.ShareNext() })
	RegisterFluxOp("publishSelector", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		mode := a.Str("mode")
		return f.PublishSelector(func(x flux.Flux[Value]) Publisher { return selected(mode, x, a) }, a.publishPrefetch()...)
	})
}

// selected is what publishSelector makes of the flux it shares.
func selected(mode string, x flux.Flux[Value], a *Args) Publisher {
	switch mode {
	case "ops":
		within := *a
		within.in.x = x
		return within.Part("ops")(x)
	case "other":
		return a.Pub("other")
	case "merge":
		even := x.Filter(func(v Value) bool { return Num(v)%2 == 0 })
		return flux.Merge(even, x.Map(func(v Value) Value { return -Num(v) }))
	case "zip":
		return flux.Zip(x, x.Skip(1), func(v, w Value) Value { return List(v, w) })
	case "concatTake":
		return flux.Concat(x.Take(1), x.Take(2))
	}
	panic("vectors: publishSelector in mode " + mode)
}

// publishPrefetch returns the prefetch of a multicasting operator.
func (a *Args) publishPrefetch() (opts []operators.PublishOption) {
	if a.Has("prefetch") {
		opts = append(opts, flux.Prefetch(a.Int("prefetch")))
	}
	return opts
}

// history returns the options of a replaying operator.
func (b *Builder) history(a *Args) (opts []operators.ReplayOption) {
	if a.Has("history") {
		if n := a.Int("history"); n != math.MaxInt32 {
			opts = append(opts, flux.History(n))
		}
	}
	if a.Has("ms") {
		opts = append(opts, flux.TTL(a.Millis("ms")), flux.On(b.Clock))
	}
	return opts
}

// connectable leaves it to the run to connect c.
func (b *Builder) connectable(c flux.ConnectableFlux[Value]) Publisher {
	b.OnConnect(func() reactor.Disposable { return c.Connect(b.Ctx) })
	return flux.From(c)
}

func (b *Builder) autoConnect(c flux.ConnectableFlux[Value], a *Args) Publisher {
	n := a.IntOr("min", 1)
	if n == 0 {
		// AutoConnect(0) without the hooks of the run.
		c.Connect(b.Ctx)
		return flux.From(c)
	}
	return c.AutoConnect(n)
}

func (b *Builder) refCount(c flux.ConnectableFlux[Value], a *Args) Publisher {
	n := a.IntOr("min", 1)
	if !a.Has("graceMs") {
		return c.RefCount(n)
	}
	return c.RefCount(n, flux.Grace(a.Millis("graceMs")), flux.On(b.Clock))
}
