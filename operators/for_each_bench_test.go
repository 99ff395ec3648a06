package operators

import (
	"context"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// BenchmarkForEach compares what an element costs under a context that can end with what it costs under one that can't: where
// functions run elsewhere, who waits for the end does not wait for them.
func BenchmarkForEach(b *testing.B) {
	const n = 100_000
	ending, cancel := context.WithCancel(b.Context())
	defer cancel()
	itself := func(v int) int { return v }
	worker := schedulers.Parallel()
	for _, c := range []struct {
		name string
		src  reactor.Publisher[int]
	}{
		{"Map", Map(Range(0, n), itself)},
		{"Map, Retry, Map", Map(Retry(Map(Range(0, n), itself)), itself)},
		{"Map, PublishOn", PublishOn(Map(Range(0, n), itself), worker)},
		{"PublishOn, Map", Map(PublishOn(Range(0, n), worker), itself)},
		{"SubscribeOn", SubscribeOn(Range(0, n), worker)},
		{"Map, SubscribeOn", SubscribeOn(Map(Range(0, n), itself), worker)},
		{"Zip", Zip2(Range(0, n), Range(0, n), func(v, _ int) int { return v })},
		{"FlatMapSlice", FlatMapSlice(Range(0, n), func(v int) []int { return []int{v} })},
	} {
		for name, ctx := range map[string]context.Context{"can end": ending, "can't": context.Background()} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					seen := 0
					if err := ForEach(ctx, c.src, func(int) { seen++ }); err != nil || seen != n {
						b.Fatalf("%d elements, %v", seen, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
	}
}
