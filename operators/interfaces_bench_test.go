package operators_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// BenchmarkInterfaces measures stages that keep or discard elements, with elements of a pointer type, which never have to be told
// that they are discarded, and of an interface type, which may have to.
func BenchmarkInterfaces(b *testing.B) {
	err := errors.New("an element")
	b.Run("pointer", func(b *testing.B) { benchmarkKeeping(b, &err) })
	b.Run("interface", func(b *testing.B) { benchmarkKeeping(b, err) })
}

func benchmarkKeeping[T any](b *testing.B, v T) {
	elements := make([]T, 10_000)
	for i := range elements {
		elements[i] = v
	}
	src := operators.FromSlice(elements)
	first := func(a, _ T) T { return a }
	one := func(v T) iter.Seq[T] { return func(yield func(T) bool) { yield(v) } }
	same := operators.Map(src, func(v T) T { return v })
	benchmarkKept(b, "reduce", operators.Reduce(src, first))
	benchmarkKept(b, "fold", operators.Fold(src, func() T { return v }, first))
	benchmarkKept(b, "last", operators.Last(src))
	benchmarkKept(b, "takeLast", operators.TakeLast(src, 10))
	benchmarkKept(b, "skipLast", operators.SkipLast(src, 10))
	benchmarkKept(b, "buffer", operators.Buffer(src, 100))
	benchmarkKept(b, "sort", operators.Sort(src, func(T, T) int { return 0 }))
	benchmarkKept(b, "filter", operators.Filter(src, func(T) bool { return false }))
	benchmarkKept(b, "flatMapSeq, bounded", operators.LimitRate(operators.FlatMapSeq(src, one), 100))
	benchmarkKept(b, "flatMapSeq behind map, bounded", operators.LimitRate(operators.FlatMapSeq(same, one), 100))
}

func benchmarkKept[R any](b *testing.B, name string, p reactor.Publisher[R]) {
	b.Run(name, func(b *testing.B) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		b.ReportAllocs()
		for b.Loop() {
			if err := operators.ForEach(ctx, p, func(R) {}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/element")
	})
}
