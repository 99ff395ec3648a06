package main

import (
	"fmt"
	"slices"
	"time"
)

// claim is one, and whether it holds.
type claim struct {
	ok   bool
	text string
}

// What may come of chance: a window holds more or fewer elements that are on their way.
const (
	heapGrowth   = 1.05
	heapSlack    = 1_000_000 // bytes
	crowdGrowth  = 1.10
	crowdSlack   = 20  // goroutines
	hopGrowth    = 2.0 // of the 99th percentile
	hopSlack     = 20 * time.Microsecond
	leastWorking = 0.6 // of the elements that there are without faults and silences
)

// judge compares the first third of the windows with the last, without the first fifth, in
// which pools and the heap find their size.
func judge(windows []window, o options, left int) (claims []claim) {
	warm := windows[len(windows)/5:]
	third := len(warm) / 3
	first, last := warm[:third], warm[len(warm)-third:]
	add := func(ok bool, format string, args ...any) {
		claims = append(claims, claim{ok, fmt.Sprintf(format, args...)})
	}

	heap := func(w window) float64 { return float64(w.heap) }
	a, b := middle(first, heap), middle(last, heap)
	add(b <= heapGrowth*a+heapSlack, "heap after a collection: %.1f MB, then %.1f MB", a/1e6, b/1e6)

	crowd := func(w window) float64 { return float64(w.goroutines) }
	a, b = middle(first, crowd), middle(last, crowd)
	add(b <= crowdGrowth*a+crowdSlack, "goroutines: %.0f, then %.0f", a, b)

	hop := func(w window) float64 { return float64(w.p99) }
	a, b = middle(first, hop), middle(last, hop)
	add(b <= hopGrowth*a+float64(hopSlack), "99th percentile of a hop: %v, then %v", time.Duration(a), time.Duration(b))

	expected := float64(o.pipelines) * float64(o.long) / float64(o.windows) / float64(o.period)
	least := slices.Min(figures(warm, func(w window) float64 { return float64(w.elements) }))
	add(least >= leastWorking*expected, "elements: at least %.0f %% of those without faults in each window", 100*least/expected)

	var faults, silences int64
	for _, w := range windows {
		faults, silences = faults+w.faults, silences+w.silences
	}
	add(faults > 0 && silences > 0, "retries: %d after faults, %d after timeouts", faults, silences)
	add(left <= 0, "goroutines that are left at the end: %d", max(left, 0))
	return claims
}

func figures(windows []window, of func(window) float64) (all []float64) {
	for _, w := range windows {
		all = append(all, of(w))
	}
	return all
}

// middle is the median.
func middle(windows []window, of func(window) float64) float64 {
	all := figures(windows, of)
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
