package vectors

import (
	"math"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func init() {
	RegisterFluxOp("onErrorReturn", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorReturn(a.Value("v"), a.Match())
	})
	RegisterMonoOp("onErrorReturn", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorReturn(a.Value("v"), a.Match())
	})
	RegisterFluxOp("onErrorResume", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorResume(func(error) Publisher { return a.Pub("other") }, a.Match())
	})
	RegisterMonoOp("onErrorResume", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorResume(func(error) mono.Mono[Value] { return a.Mono("other") }, a.Match())
	})
	RegisterFluxOp("onErrorMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorMap(func(error) error { return a.Error("msg") }, a.Match())
	})
	RegisterMonoOp("onErrorMap", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorMap(func(error) error { return a.Error("msg") }, a.Match())
	})
	RegisterFluxOp("onErrorComplete", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorComplete(a.Match())
	})
	RegisterMonoOp("onErrorComplete", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorComplete(a.Match())
	})
	RegisterFluxOp("onErrorContinue", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorContinue(recordContinue(a))
	})
	RegisterMonoOp("onErrorContinue", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorContinue(recordContinue(a))
	})
	RegisterFluxOp("onErrorStop", func(_ *Builder, f flux.Flux[Value], _ *Args) Publisher { return f.OnErrorStop() })
	RegisterMonoOp("onErrorStop", func(_ *Builder, m mono.Mono[Value], _ *Args) Publisher { return m.OnErrorStop() })

	RegisterFluxOp("retry", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Retry(flux.Times(a.Int("n")))
	})
	RegisterMonoOp("retry", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.Retry(mono.Times(a.Int("n")))
	})
	RegisterFluxOp("repeat", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.Repeat(flux.Times(a.Int("n")))
	})
	RegisterMonoOp("repeat", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).Repeat(flux.Times(a.Int("n")))
	})

	RegisterFluxOp("retryWhen", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.RetryWhen(retryPolicy(b, a), operators.Verbatim())
	})
	RegisterMonoOp("retryWhen", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.RetryWhen(retryPolicy(b, a), operators.Verbatim())
	})
	RegisterFluxOp("repeatWhen", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.RepeatWhen(repeatPolicy(b, a, b.Try()), operators.Verbatim())
	})
	RegisterMonoOp("repeatWhen", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).RepeatWhen(repeatPolicy(b, a, b.Try()), operators.Verbatim())
	})
	RegisterMonoOp("repeatWhenEmpty", func(b *Builder, m mono.Mono[Value], a *Args) Publisher {
		if a.Has("max") {
			return m.RepeatWhenEmpty(repeatPolicy(b, a, true), mono.MaxRepeats(a.Int("max")), operators.Verbatim())
		}
		return m.RepeatWhenEmpty(repeatPolicy(b, a, b.Try()), operators.Verbatim())
	})
}

func retryPolicy(b *Builder, a *Args) operators.RetryPolicy {
	var spec operators.RetrySpec
	n := a.Int("max")
	switch a.Str("spec") {
	case "max":
		spec = flux.RetryMax(n)
	case "maxInARow":
		spec = flux.RetryMaxInARow(n)
	case "fixedDelay":
		spec = flux.RetryFixedDelay(n, a.Millis("minMs"))
	case "backoff":
		spec = flux.RetryBackoff(n, a.Millis("minMs")).MaxBackoff(a.MillisOr("maxMs", math.MaxInt64)).Jitter(0)
	default:
		return flux.RetryFrom(func(failures flux.Flux[flux.RetrySignal]) flux.Flux[int64] {
			again := func(s flux.RetrySignal) bool { return s.TotalRetries < int64(n) }
			if a.Str("end") == "complete" {
				failures = failures.TakeWhile(again)
			}
			return failures.ConcatMap(func(s flux.RetrySignal) mono.Mono[int64] {
				if !again(s) {
					return mono.Error[int64](s.Failure)
				}
				return mono.Delay(a.Millis("delayMs"), mono.On(b.Clock))
			})
		})
	}
	if a.Bool("transient") {
		spec = spec.TransientErrors(true)
	}
	return spec.Filter(a.Match()).On(b.Clock)
}

// repeatPolicy returns the policy as a companion or as a spec, which must behave alike.
func repeatPolicy(b *Builder, a *Args, companion bool) operators.RepeatPolicy {
	times, delay := a.Int("times"), a.Millis("delayMs")
	if !companion {
		return flux.RepeatTimes(times).FixedDelay(delay).On(b.Clock)
	}
	return flux.RepeatFrom(func(completions flux.Flux[int64]) flux.Flux[int64] {
		n := 0
		return completions.
			TakeWhile(func(int64) bool { n++; return n <= times }).
			ConcatMap(func(int64) mono.Mono[int64] { return mono.Delay(delay, mono.On(b.Clock)) })
	})
}

func recordContinue(a *Args) func(error, any) {
	return func(err error, v any) {
		if v == nil {
			a.RecordError("continue", err)
		} else {
			a.RecordErrorValue("continue", err, v)
		}
	}
}
