package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Who has subscribed to the shared publisher before the function failed hears of that, as does who comes later.
func TestSharedPublisherOfAFunctionThatFails(t *testing.T) {
	type sharing = func(fn func(reactor.Publisher[int]) reactor.Publisher[int]) reactor.Publisher[int]
	for name, share := range map[string]sharing{
		"publishSelector": func(fn func(reactor.Publisher[int]) reactor.Publisher[int]) reactor.Publisher[int] {
			return PublishSelector(Range(1, 3), fn)
		},
		"publish of a Mono": func(fn func(reactor.Publisher[int]) reactor.Publisher[int]) reactor.Publisher[int] {
			return MonoPublish(Just(1), fn)
		},
	} {
		for how, fail := range map[string]func(){"panic": func() { panic(errBoom) }, "Goexit": runtime.Goexit} {
			t.Run(name+", "+how, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				var shared reactor.Publisher[int]
				early, late, p := probeOf[int](reactor.Unbounded), probeOf[int](0), probeOf[int](0)
				racetest.Aside(func() {
					share(func(of reactor.Publisher[int]) reactor.Publisher[int] {
						shared = of
						of.Subscribe(context.Background(), early)
						fail()
						return of
					}).Subscribe(ctx, p)
				})
				shared.Subscribe(context.Background(), late)
				require.Error(t, p.Failure())
				early.Failed(t, p.Failure())
				late.Failed(t, p.Failure())
				require.Empty(t, hooks.Errs)
			})
		}
	}
}
