package main

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in steps of an eighth of a power of two.
type histogram struct{ counts [64 * 8]atomic.Int64 }

// step is the one that a duration belongs to.
func step(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 8 {
		return int(n)
	}
	power := bits.Len64(n) - 1
	return 8*(power-2) + int(n>>(power-3)&7)
}

// lowest is the shortest duration of a step.
func lowest(step int) time.Duration {
	if step < 8 {
		return time.Duration(step)
	}
	return time.Duration(8+step%8) << (step/8 - 1)
}

func (h *histogram) add(d time.Duration) { h.counts[step(d)].Add(1) }

// take returns a percentile of what was added since it was called last: the lowest that the
// step may hold.
func (h *histogram) take(percentile int64) time.Duration {
	var counts [len(h.counts)]int64
	total := int64(0)
	for i := range h.counts {
		counts[i] = h.counts[i].Swap(0)
		total += counts[i]
	}
	seen := int64(0)
	for i, n := range counts {
		seen += n
		if n > 0 && 100*seen >= percentile*total {
			return lowest(i)
		}
	}
	return 0
}
