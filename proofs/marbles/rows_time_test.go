package marbles

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// timeRows are those of what knows the time, or where things run.
var timeRows = map[string]row{
	"Flux.Throttle":             OnInts(func(f ints) ints { return f.Throttle(1, 7*steps) }),
	"Flux.DelaySubscription":    OnTwo("f", "other", func(f, other ints) ints { return f.DelaySubscription(other) }),
	"Flux.DelaySubscriptionFor": OnInts(func(f ints) ints { return f.DelaySubscriptionFor(5 * steps) }),
	"Flux.Sample":               OnTwo("f", "other", func(f, other ints) ints { return f.Sample(other) }),
	"Flux.SampleFirst":          OnInts(func(f ints) ints { return f.SampleFirst(after[int](10)) }),
	"Flux.SampleTimeout":        OnInts(func(f ints) ints { return f.SampleTimeout(after[int](5)) }),
	"Flux.Elapsed": OnInts(func(f ints) flux.Flux[int64] {
		return f.Elapsed(func(d time.Duration, _ int) int64 { return d.Milliseconds() })
	}),
	"Flux.TakeUntilOther": OnTwo("f", "other", func(f, other ints) ints { return f.TakeUntilOther(other) }),
	"Flux.SkipUntilOther": OnTwo("f", "other", func(f, other ints) ints { return f.SkipUntilOther(other) }),
	"Flux.PublishOn":      OnInts(func(f ints) ints { return f.PublishOn(schedulers.Parallel()) }),
	"Flux.SubscribeOn":    OnInts(func(f ints) ints { return f.SubscribeOn(schedulers.BoundedElastic()) }),

	"Mono.DelaySubscription": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.From(s.ints("m")).DelaySubscription(s.ints("other")))
	},
	"Mono.DelaySubscriptionFor": OnMono(func(m one) one { return m.DelaySubscriptionFor(5 * steps) }),
	"Mono.TakeUntilOther": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.From(s.ints("m")).TakeUntilOther(s.ints("other")))
	},
	"Mono.PublishOn":   OnMono(func(m one) one { return m.PublishOn(schedulers.Parallel()) }),
	"Mono.SubscribeOn": OnMono(func(m one) one { return m.SubscribeOn(schedulers.BoundedElastic()) }),

	"flux.Interval": func(*sources) reactor.Publisher[any] { return boxed[int64](flux.Interval(6 * steps)) },
	"mono.Delay":    func(*sources) reactor.Publisher[any] { return boxed[int64](mono.Delay(3 * steps)) },
	"mono.At": func(s *sources) reactor.Publisher[any] {
		noon := s.start.Add(7 * steps)
		return boxed[string](mono.At(noon).Map(func(at time.Time) string {
			if at.Equal(noon) {
				return "noon"
			}
			return at.String()
		}))
	},
}
