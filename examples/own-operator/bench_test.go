package own

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

// elements is how many a run sends.
const elements = 100_000

// drain subscribes to p, asks for everything, and returns how long that took.
func drain(b *testing.B, p reactor.Publisher[int]) time.Duration {
	began := time.Now()
	n := 0
	operators.SubscribeFunc(context.Background(), p, func(int) { n++ })
	took := time.Since(began)
	if n < elements-1 {
		b.Fatalf("%d elements", n)
	}
	return took
}

// BenchmarkBesideBuiltIn runs each operator of this package and a comparable one of the library in turn. The metric
// own/built-in is the median of the ratios: go test -bench . -run '^$'
func BenchmarkBesideBuiltIn(b *testing.B) {
	numbers := flux.Range(0, elements)
	for _, c := range []struct {
		name         string
		own, builtIn reactor.Publisher[int]
	}{
		{"Pairwise-Scan", Pairwise(numbers, difference), numbers.Scan(difference)},
		{"Steps-Range", Steps(0, elements, 1), numbers},
		{"Conflate-OnBackpressureLatest", Conflate(numbers, sum), numbers.OnBackpressureLatest()},
	} {
		b.Run(c.name, func(b *testing.B) {
			var ratios []float64
			var own time.Duration
			for b.Loop() {
				// Each is the first as often as the other, and the smaller of two runs counts.
				mine, theirs := drain(b, c.own), drain(b, c.builtIn)
				theirs, mine = min(theirs, drain(b, c.builtIn)), min(mine, drain(b, c.own))
				own += mine
				ratios = append(ratios, float64(mine)/float64(theirs))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "own/built-in")
			b.ReportMetric(float64(own.Nanoseconds())/float64(len(ratios))/elements, "ns/element")
		})
	}
}
