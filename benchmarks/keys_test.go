package benchmarks

import (
	"fmt"
	"testing"
)

// BenchmarkKeysByHand is what a loop by hand takes for what costOfKeys measures, with a struct of one word for each key
// and with one as large as a group and its subscriber.
func BenchmarkKeysByHand(b *testing.B) {
	for _, size := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("word/", size), func(b *testing.B) { countByHand[[1]int](b, size) })
		b.Run(fmt.Sprint("group/", size), func(b *testing.B) { countByHand[[120]int](b, size) })
	}
}

func countByHand[S [1]int | [120]int](b *testing.B, size int) {
	n := max(Size, 10*size)
	for b.Loop() {
		counts := map[int]*S{}
		for i := range n {
			count := counts[i%size]
			if count == nil {
				count = new(S)
				counts[i%size] = count
			}
			(*count)[0]++
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N*n), "ns/element")
}
