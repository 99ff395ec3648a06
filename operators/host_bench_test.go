package operators

import (
	"context"
	"testing"

	"github.com/goreactor/reactor"
)

// BenchmarkHosts compares what an element costs with SubscribeFunc under a context that can end with what it costs under one that
// can't: see protocol.Host.
func BenchmarkHosts(b *testing.B) {
	const n = 100_000
	ending, cancel := context.WithCancel(b.Context())
	defer cancel()
	produce := func(s *FluxSink[int]) {
		for v := range n {
			s.Next(v)
		}
		s.Complete()
	}
	for _, c := range []struct {
		name string
		src  reactor.Publisher[int]
	}{
		{"Create", Create(produce)},
		{"OnBackpressureBuffer", OnBackpressureBuffer(Map(Range(0, n), func(v int) int { return v }))},
		{"MergeWith", MergeWith(Range(0, n/2), Range(0, n/2))},
		{"FlatMap", FlatMap(Range(0, n/100), func(v int) reactor.Publisher[int] { return Map(Range(v, 100), func(v int) int { return v }) })},
	} {
		for name, ctx := range map[string]context.Context{"can end": ending, "can't": context.Background()} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					seen := 0
					SubscribeFunc(ctx, c.src, func(int) { seen++ })
					if seen != n {
						b.Fatalf("%d elements", seen)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
	}
}
