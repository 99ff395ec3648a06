package rxgo_test

import (
	"context"
	"testing"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
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
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			ctx, cancel := context.WithCancel(b.Context())
			n := 0
			for item := range benchSource().Observe(rx.WithContext(ctx)) {
				require.NoError(b, item.E)
				n += item.V.(int) & 1
			}
			cancel()
			require.Equal(b, benchItems/2, n)
		}
	})
	b.Run("stream", func(b *testing.B) {
		for b.Loop() {
			ctx, cancel := context.WithCancel(b.Context())
			n := 0
			require.NoError(b, rxgo.ToFlux[int](benchSource()).ForEach(ctx, func(v int) { n += v & 1 }))
			cancel()
			require.Equal(b, benchItems/2, n)
		}
	})
}

// Both sides send to an observer under a context that can end.
func BenchmarkFromFlux(b *testing.B) {
	read := func(b *testing.B, o rx.Observable, opts ...rx.Option) {
		n := 0
		for item := range o.Observe(opts...) {
			n += item.V.(int) & 1
		}
		require.Equal(b, benchItems/2, n)
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			read(b, benchSource(), rx.WithContext(b.Context()))
		}
	})
	b.Run("stream", func(b *testing.B) {
		for b.Loop() {
			read(b, rxgo.FromFlux(flux.Range(0, benchItems)), rx.WithContext(b.Context()))
		}
	})
}
