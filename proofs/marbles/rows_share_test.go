package marbles

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// connected is the row of what is to be connected, which happens when the first is subscribed.
func connected(op func(f ints) flux.ConnectableFlux[int]) row {
	return func(s *sources) reactor.Publisher[any] {
		c := op(flux.From(s.ints("f")))
		s.at(0, func() { c.Connect(s.t.Context()) })
		return boxed[int](c)
	}
}

// published is the row of an operator on c, which is what Publish makes.
func published(op func(c flux.ConnectableFlux[int]) ints) row {
	return func(s *sources) reactor.Publisher[any] { return boxed[int](op(flux.From(s.ints("c")).Publish())) }
}

// shareRows are those of streams that several subscribers share.
var shareRows = map[string]row{
	"ConnectableFlux.AutoConnect": published(func(c flux.ConnectableFlux[int]) ints { return c.AutoConnect(2) }),
	"ConnectableFlux.RefCount":    published(func(c flux.ConnectableFlux[int]) ints { return c.RefCount(1) }),
	"Flux.Publish":                connected(func(f ints) flux.ConnectableFlux[int] { return f.Publish() }),
	"Flux.Replay":                 connected(func(f ints) flux.ConnectableFlux[int] { return f.Replay() }),
	"Flux.PublishSelector": OnInts(func(f ints) ints {
		return f.PublishSelector(func(x ints) ints { return flux.Merge[int](x, x.Map(tens)) })
	}),
	"Flux.Share":     OnInts(func(f ints) ints { return f.Share() }),
	"Flux.ShareNext": OnInts(func(f ints) one { return f.ShareNext() }),
	"Flux.Cache":     OnInts(func(f ints) ints { return f.Cache() }),

	"Mono.Share": OnMono(func(m one) one { return m.Share() }),
	"Mono.Cache": OnMono(func(m one) one { return m.Cache() }),
	"Mono.CacheInvalidateIf": func(s *sources) reactor.Publisher[any] {
		asked := 0
		return boxed[int](mono.From(s.ints("m")).CacheInvalidateIf(func(int) bool { asked++; return asked > 1 }))
	},
	"Mono.CacheInvalidateWhen": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.From(s.ints("m")).CacheInvalidateWhen(func(n int) reactor.Publisher[int] {
			if n > 1 {
				return flux.Never[int]()
			}
			return s.ints("trigger(1)")
		}, nil))
	},
	"Mono.Publish": OnMono(func(m one) mono.Mono[string] {
		return m.Publish(func(x one) mono.Mono[string] { return mono.Zip(x, x, pair) })
	}),
}
