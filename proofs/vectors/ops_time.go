package vectors

import (
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	since := func(d time.Duration, v Value) Value { return []Value{d.Milliseconds(), v} }
	at := func(t time.Time, v Value) Value { return []Value{t.UnixMilli(), v} }
	RegisterFluxOp("elapsed", func(b *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return f.Elapsed(since, operators.On(b.Clock))
	})
	RegisterMonoOp("elapsed", func(b *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return m.Elapsed(since, operators.On(b.Clock))
	})
	RegisterFluxOp("timestamp", func(b *Builder, f flux.Flux[Value], _ *Args) Publisher {
		return f.Timestamp(at, operators.On(b.Clock))
	})
	RegisterMonoOp("timestamp", func(b *Builder, m mono.Mono[Value], _ *Args) Publisher {
		return m.Timestamp(at, operators.On(b.Clock))
	})

	RegisterFluxOp("timeout", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("fallback") {
			return f.TimeoutFallback(a.Millis("ms"), a.Pub("fallback"), operators.On(b.Clock))
		}
		return f.Timeout(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterMonoOp("timeout", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if a.Has("fallback") {
			return m.TimeoutFallback(a.Millis("ms"), a.Mono("fallback"), operators.On(b.Clock))
		}
		return m.Timeout(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("timeoutPub", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		first := a.Pub("first")
		switch {
		case !a.Has("inner"):
			return f.TimeoutFirst(first)
		case a.Has("fallback"):
			return f.TimeoutWhenFallback(first, a.Inner("inner"), a.Pub("fallback"))
		}
		return f.TimeoutWhen(first, a.Inner("inner"))
	})
	RegisterMonoOp("timeoutPub", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		first := a.Pub("first")
		if a.Has("fallback") {
			return m.TimeoutFirstFallback(first, a.Mono("fallback"))
		}
		return m.TimeoutFirst(first)
	})

	RegisterFluxOp("delayElements", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.DelayElements(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterMonoOp("delayElement", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.DelayElement(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("delaySequence", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.DelaySequence(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("delayUntil", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.DelayUntil(a.Inner("inner"))
	})
	RegisterFluxOp("delaySubscription", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("other") {
			return f.DelaySubscription(a.Pub("other"))
		}
		return f.DelaySubscriptionFor(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterMonoOp("delaySubscription", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if a.Has("other") {
			return m.DelaySubscription(a.Pub("other"))
		}
		return m.DelaySubscriptionFor(a.Millis("ms"), operators.On(b.Clock))
	})

	RegisterFluxOp("sample", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("other") {
			return f.Sample(a.Pub("other"))
		}
		return f.SampleEvery(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("sampleFirst", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		if a.Has("inner") {
			return f.SampleFirst(a.Inner("inner"))
		}
		return f.SampleFirstFor(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("sampleTimeout", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.SampleTimeout(a.Inner("inner"), operators.Concurrency(a.IntOr("concurrency", 32)))
	})

	RegisterFluxOp("takeDuration", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.TakeFor(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterMonoOp("takeDuration", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.TakeFor(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("skipDuration", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.SkipFor(a.Millis("ms"), operators.On(b.Clock))
	})
	RegisterFluxOp("takeUntilOther", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.TakeUntilOther(a.Pub("other"))
	})
	RegisterMonoOp("takeUntilOther", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.TakeUntilOther(a.Pub("other"))
	})
	RegisterFluxOp("skipUntilOther", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.SkipUntilOther(a.Pub("other"))
	})
}
