package vectors

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	backlog "github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/mono"
)

// Sources that work when they are asked, that fail in unusual places, or that do what no
// publisher should.
func init() {
	RegisterFluxSource("createOnRequest", func(b *Builder, a *Args) flux.Flux[Value] {
		produce := func(s *flux.Sink[Value]) { onRequest(b, a, s) }
		if a.Bool("push") {
			return flux.Push(produce, overflow(a))
		}
		return flux.Create(produce, overflow(a))
	})
	RegisterFluxSource("errorOnRequest", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.ErrorOnRequest[Value](a.Error("msg"))
	})
	RegisterFluxSource("fromStream", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.FromSeq(slices.Values(a.Values("items")))
	})
	RegisterFluxSource("throwing", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.Defer(func(context.Context) flux.Flux[Value] { panic(a.Error("msg")) })
	})
	RegisterMonoSource("monoThrowing", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.Defer(func(context.Context) mono.Mono[Value] { panic(a.Error("msg")) })
	})
	RegisterFluxSource("mergeAll", func(_ *Builder, a *Args) flux.Flux[Value] {
		return flux.MergeAll(a.Flux("outer").Map(a.Inner("inner")), flatMapOptions(a)...)
	})
	RegisterFluxSource("mergeSequentialAll", func(_ *Builder, a *Args) flux.Flux[Value] {
		opts := []flux.FlatMapSequentialOption{flux.Concurrency(a.IntOr("concurrency", 256)), flux.Prefetch(a.IntOr("prefetch", 32))}
		if a.Bool("delayError") {
			opts = append(opts, flux.DelayErrors())
		}
		return flux.MergeSequentialAll(a.Flux("outer").Map(a.Inner("inner")), opts...)
	})
	RegisterMonoSource("monoIgnoreElements", func(_ *Builder, a *Args) mono.Mono[Value] {
		return mono.IgnoreElements(a.Pub("of"))
	})
	RegisterFluxSource("rogue", func(b *Builder, a *Args) flux.Flux[Value] {
		return flux.From[Value](&rogue{b: b, events: parseEvents(a.Raw("events")), afterEnd: a.Bool("afterEnd"), unasked: a.Bool("unasked")})
	})
}

// onRequest sends as many as are requested, and extra.
func onRequest(b *Builder, a *Args, s *flux.Sink[Value]) {
	count, extra, end := int64(a.Int("count")), int64(a.IntOr("extra", 0)), a.Str("end")
	if a.Has("tag") {
		s.OnDispose(func() { a.Record("onDispose") })
	}
	next := int64(0)
	s.OnRequest(func(n int64) {
		b.step()
		for range min(count, n) + extra {
			if next >= count || s.IsCancelled() {
				break
			}
			next++
			s.Next(next - 1)
		}
		if next != count {
			return
		}
		next++
		switch end {
		case "complete":
			s.Complete()
		case "error":
			s.Error(Boom("boom"))
		}
	})
}

// rogue does not stop when it is cancelled, and may go on after its end or without demand.
type rogue struct {
	b        *Builder
	events   []event
	afterEnd bool
	unasked  bool
}

func (r *rogue) Subscribe(_ context.Context, s reactor.Subscriber[Value]) {
	sub := &rogueSubscription{}
	s.OnSubscribe(sub)
	over := false
	schedule(r.b, r.events, func(e event) {
		r.b.step()
		if over && !r.afterEnd {
			return
		}
		switch v, _ := e.signal.Value(); e.signal.Kind() {
		case reactor.KindNext:
			if sub.asked > 0 || r.unasked {
				sub.asked--
				s.OnNext(v)
			}
		case reactor.KindError:
			over = true
			s.OnError(e.signal.Err())
		default:
			over = true
			s.OnComplete()
		}
	})
}

type rogueSubscription struct{ asked int64 }

func (s *rogueSubscription) Request(n int64) { s.asked = backlog.Sum(s.asked, n) }
func (s *rogueSubscription) Cancel()         {}
