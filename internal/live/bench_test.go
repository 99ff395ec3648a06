package live

import (
	"context"
	"strconv"
	"sync"
	"testing"
)

// watching is a way to watch over a context.
type watching struct {
	name    string
	begin   func(ctx context.Context, f func())
	andStop func(ctx context.Context)
}

func nothing() {}

// BenchmarkWatch is a watch that is begun and stopped, beside as many others over the same context, with context.AfterFunc
// and with ours.
func BenchmarkWatch(b *testing.B) {
	for _, w := range []watching{
		{
			"AfterFunc",
			func(ctx context.Context, f func()) { context.AfterFunc(ctx, f) },
			func(ctx context.Context) { context.AfterFunc(ctx, nothing)() },
		},
		{
			"shared",
			func(ctx context.Context, f func()) { AfterContext(ctx, Func(f)) },
			func(ctx context.Context) { AfterContext(ctx, Func(nothing))() },
		},
	} {
		for _, others := range []int{0, 10_000} {
			b.Run(w.name+"/beside "+strconv.Itoa(others), func(b *testing.B) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				for range others {
					w.begin(ctx, nothing)
				}
				b.ReportAllocs()
				for b.Loop() {
					w.andStop(ctx)
				}
			})
		}
		b.Run(w.name+"/by all processors", func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					w.andStop(ctx)
				}
			})
		})
		b.Run(w.name+"/over a context of its own", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				w.andStop(ctx)
				cancel()
			}
		})
		b.Run(w.name+"/end of 10000", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				var all sync.WaitGroup
				all.Add(10_000)
				for range 10_000 {
					w.begin(ctx, all.Done)
				}
				cancel()
				all.Wait()
			}
		})
	}
}
