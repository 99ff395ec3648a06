package vectors

import (
	"math"

	"github.com/goreactor/reactor"
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
		return f.OnErrorResume(func(error) Publisher { a.fail(); return a.Pub("other") }, a.Match())
	})
	RegisterMonoOp("onErrorResume", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorResume(func(error) mono.Mono[Value] { a.fail(); return a.Mono("other") }, a.Match())
	})
	RegisterFluxOp("onErrorMap", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorMap(func(error) error { a.fail(); return a.Error("msg") }, a.Match())
	})
	RegisterMonoOp("onErrorMap", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorMap(func(error) error { a.fail(); return a.Error("msg") }, a.Match())
	})
	RegisterFluxOp("onErrorComplete", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorComplete(a.Match())
	})
	RegisterMonoOp("onErrorComplete", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorComplete(a.Match())
	})
	RegisterFluxOp("onErrorContinue", func(_ *Builder, f flux.Flux[Value], a *Args) Publisher {
		return f.OnErrorContinue(recordContinue(a), a.Match())
	})
	RegisterMonoOp("onErrorContinue", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return m.OnErrorContinue(recordContinue(a), a.Match())
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
		return f.Repeat(repeatOptions(a)...)
	})
	RegisterMonoOp("repeat", func(_ *Builder, m mono.Mono[Value], a *Args) Publisher {
		return flux.From(m).Repeat(repeatOptions(a)...)
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
	if a.Has("tag") {
		spec = spec.DoBeforeRetry(func(s flux.RetrySignal) { a.RecordValue("before", s.TotalRetries) }).
			DoAfterRetry(func(s flux.RetrySignal) { a.RecordValue("after", s.TotalRetriesInARow) })
	}
	later := func(name string) func(flux.RetrySignal) mono.Mono[int64] {
		return func(flux.RetrySignal) mono.Mono[int64] { return mono.Delay(a.Millis(name), mono.On(b.Clock)) }
	}
	if a.Has("beforeMs") {
		spec = spec.DoBeforeRetryAsync(later("beforeMs"))
	}
	if a.Has("afterMs") {
		spec = spec.DoAfterRetryAsync(later("afterMs"))
	}
	return spec.Filter(a.Match()).On(b.Clock)
}

func repeatOptions(a *Args) []flux.RepeatOption {
	opts := []flux.RepeatOption{flux.Times(a.Int("n"))}
	if a.Has("while") {
		turn, most := 0, a.Int("while")
		opts = append(opts, flux.While(func() bool { turn++; return turn <= most }))
	}
	return opts
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
		switch v.(type) {
		case int64, []Value, reactor.Signal[Value]:
			a.RecordErrorValue("continue", err, v)
		default: // none, or what is no value of the format
			a.RecordError("continue", err)
		}
	}
}
