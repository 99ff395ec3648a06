package operators

import (
	"context"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// BenchmarkHop compares the hop with the channel that one would write instead.
func BenchmarkHop(b *testing.B) {
	b.Run("publishOn", func(b *testing.B) {
		b.ReportAllocs()
		src := PublishOn(Range(0, b.N), schedulers.Parallel())
		sum := 0
		if err := ForEach(context.Background(), src, func(v int) { sum += v }); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("channel", func(b *testing.B) {
		b.ReportAllocs()
		c := make(chan int, 256)
		go func() {
			defer close(c)
			for i := range b.N {
				c <- i
			}
		}()
		sum := 0
		for v := range c {
			sum += v
		}
	})
	b.Run("immediate", func(b *testing.B) {
		b.ReportAllocs()
		src := PublishOn(Range(0, b.N), schedulers.Immediate())
		sum := 0
		if err := ForEach(context.Background(), src, func(v int) { sum += v }); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkThrough measures stages that keep elements only when they have to.
func BenchmarkThrough(b *testing.B) {
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"none":       func(p reactor.Publisher[int]) reactor.Publisher[int] { return p },
		"limitRate":  func(p reactor.Publisher[int]) reactor.Publisher[int] { return LimitRate(p, 256) },
		"buffer":     func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnBackpressureBuffer(p) },
		"drop":       func(p reactor.Publisher[int]) reactor.Publisher[int] { return OnBackpressureDrop(p) },
		"takeFor":    func(p reactor.Publisher[int]) reactor.Publisher[int] { return TakeFor(p, time.Hour) },
		"timeout":    func(p reactor.Publisher[int]) reactor.Publisher[int] { return Timeout(p, time.Hour) },
		"sequential": func(p reactor.Publisher[int]) reactor.Publisher[int] { return ParallelSequential(Parallel(p, 2)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			if err := ForEach(context.Background(), stage(Range(0, b.N)), func(v int) { sum += v }); err != nil {
				b.Fatal(err)
			}
		})
	}
}
