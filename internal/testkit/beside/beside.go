// Package beside measures a stream beside the plain loop that does the same work, for the
// benchmarks of the adapters.
package beside

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Side prepares one of the two and returns its turn: the work, done once.
type Side = func(b *testing.B) (turn func())

// Slice is how long each side runs at a time.
const Slice = 10 * time.Millisecond

// The units of what the benchmark called pair reports: plain time divided by that of the stream,
// as the median of all pairs and the quartiles around it. Processor has none where the system
// does not tell.
const (
	Clock     = "clock"
	Processor = "processor"
	Low       = "-low"
	High      = "-high"
)

// Run runs the benchmarks plain and stream, for those who look at one of them, and pair, which
// compares them: slices of a few milliseconds, one side right after the other, the order changing
// from pair to pair. What slows the machine down for longer than that hits both. Each slice begins
// with an empty heap, so that neither side runs in the garbage of the other.
func Run(b *testing.B, plain, stream Side) {
	for _, side := range []struct {
		name string
		make Side
	}{{"plain", plain}, {"stream", stream}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			turn := side.make(b)
			for b.Loop() {
				turn()
			}
		})
	}
	b.Run("pair", func(b *testing.B) {
		turns := [2]func(){plain(b), stream(b)}
		b.SetBytes(0) // of both it would say nothing
		clock, processor := compare(turns, b.Loop)
		report(b, clock, Clock)
		report(b, processor, Processor)
	})
}

// compare returns how the sides stand to each other in each pair, while more says so.
func compare(turns [2]func(), more func() bool) (clock, processor []float64) {
	for _, turn := range turns {
		turn() // makes what is made once
	}
	for first := 0; more(); first = 1 - first {
		var got [2]sample
		got[first] = take(turns[first])
		got[1-first] = take(turns[1-first])
		clock = append(clock, got[0].clock/got[1].clock)
		if got[1].processor > 0 {
			processor = append(processor, got[0].processor/got[1].processor)
		}
	}
	return clock, processor
}

// sample is what a turn has taken in a slice, in nanoseconds.
type sample struct{ clock, processor float64 }

func take(turn func()) sample {
	runtime.GC()
	n := 0.0
	used, begin := processorTime(), time.Now()
	for time.Since(begin) < Slice {
		turn()
		n++
	}
	return sample{float64(time.Since(begin)) / n, float64(processorTime()-used) / n}
}

func report(b *testing.B, ratios []float64, unit string) {
	if len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	n := len(ratios)
	b.ReportMetric(ratios[n/4], unit+Low)
	b.ReportMetric(ratios[n/2], unit)
	b.ReportMetric(ratios[n*3/4], unit+High)
}
