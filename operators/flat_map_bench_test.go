package operators

import (
	"context"
	"testing"

	"github.com/goreactor/reactor"
)

// BenchmarkFlatMap is the work of P4a and P4b: nanoseconds per element that arrives.
func BenchmarkFlatMap(b *testing.B) {
	ctx := context.Background()
	sum := 0
	add := func(v int) { sum += v }
	measure := func(name string, elements int, src reactor.Publisher[int]) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ForEach(ctx, src, add); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*elements), "ns/elem")
		})
	}
	const many = 100_000
	plusOne := func(v int) int { return v + 1 }
	pair := Range(0, 2)
	hidden := Hide(Just(1))
	measure("1000 ranges of 1000", 1_000_000, FlatMap(Range(0, 1000), func(v int) reactor.Publisher[int] { return Range(v, 1000) }))
	measure("1000 mapped ranges of 1000", 1_000_000, FlatMap(Range(0, 1000), func(v int) reactor.Publisher[int] {
		return Map(Range(v, 1000), plusOne)
	}))
	measure("1000 hidden ranges of 1000", 1_000_000, FlatMap(Range(0, 1000), func(v int) reactor.Publisher[int] {
		return Hide(Range(v, 1000))
	}))
	measure("just", many, FlatMap(Range(0, many), func(v int) reactor.Publisher[int] { return Just(v) }))
	measure("mapped just", many, FlatMap(Range(0, many), func(v int) reactor.Publisher[int] { return Map(Just(v), plusOne) }))
	measure("hidden just", many, FlatMap(Range(0, many), func(int) reactor.Publisher[int] { return hidden }))
	measure("range of 2", 2*many, FlatMap(Range(0, many), func(int) reactor.Publisher[int] { return pair }))
}
