package rxgo_test

import (
	"context"
	"testing"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/beside"
	"github.com/goreactor/reactor/interop/rxgo"
)

const benchItems = 10_000

// benchSource is an Observable of numbers whose producer can be stopped.
func benchSource() rx.Observable {
	return rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
		for i := range benchItems {
			if !rx.Of(i).SendContext(ctx, next) {
				return
			}
		}
	}})
}

// Both sides read under a context that can end.
func BenchmarkToFlux(b *testing.B) {
	side := func(all func(ctx context.Context) (n int, err error)) beside.Side {
		return func(b *testing.B) func() {
			return func() {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				n, err := all(ctx)
				require.NoError(b, err)
				require.Equal(b, benchItems/2, n)
			}
		}
	}
	beside.Run(b, side(func(ctx context.Context) (n int, err error) {
		for item := range benchSource().Observe(rx.WithContext(ctx)) {
			if item.E != nil {
				return n, item.E
			}
			n += item.V.(int) & 1
		}
		return n, nil
	}), side(func(ctx context.Context) (n int, err error) {
		err = rxgo.ToFlux[int](benchSource()).ForEach(ctx, func(v int) { n += v & 1 })
		return n, err
	}))
}

// Both sides send to an observer under a context that can end.
func BenchmarkFromFlux(b *testing.B) {
	side := func(observable func() rx.Observable) beside.Side {
		return func(b *testing.B) func() {
			return func() {
				n := 0
				for item := range observable().Observe(rx.WithContext(b.Context())) {
					n += item.V.(int) & 1
				}
				require.Equal(b, benchItems/2, n)
			}
		}
	}
	beside.Run(b, side(benchSource), side(func() rx.Observable { return rxgo.FromFlux(flux.Range(0, benchItems)) }))
}
