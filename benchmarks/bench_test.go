package benchmarks

import (
	"testing"
)

func TestEverybodyDoesTheSameWork(t *testing.T) {
	for _, w := range Workloads() {
		for _, c := range w.Runs {
			if got := c.Run(); got != w.Want {
				t.Errorf("%s, %s: got %d, want %d", w.ID, c.Name, got, w.Want)
			}
		}
	}
}

func BenchmarkWorkload(b *testing.B) {
	for _, w := range Workloads() {
		for _, c := range w.Runs {
			b.Run(w.ID+"/"+c.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.Elements), "ns/elem")
			})
		}
	}
}
