package main

import (
	"fmt"
	"slices"

	"github.com/goreactor/reactor/benchmarks"
)

// verdict is what became of one target.
type verdict struct {
	row  string
	got  string
	want string
	ok   bool
}

// closeEnough is how much slower than the JVM a row may be that has no target beside it.
const closeEnough = 1.1

// judge compares the library's figures with the targets of a row, and with the rules for
// every row: no Go peer that does the same is faster, and the JVM by no more than a tenth, unless
// the row says why. Targets beside a competitor that was not measured are left out.
func judge(r *result) (list []verdict) {
	own := r.of[benchmarks.Library]
	add := func(ok bool, got, want string) { list = append(list, verdict{r.ID, got, want, ok}) }
	ratio := func(a, b []float64, name, what string, limit float64) {
		q := over(a, b)
		add(q <= limit, fmt.Sprintf("%.2f × %s%s", q, name, what), fmt.Sprintf("≤ %.2f ×", limit))
	}
	besideJVM := false
	for _, t := range r.Targets {
		if other := r.of[t.Against]; other != nil {
			besideJVM = besideJVM || t.Against == benchmarks.JVM
			if t.Ratio > 0 {
				ratio(own.wall, other.wall, t.Against, "", t.Ratio)
			}
			if t.CPU > 0 && median(other.cpu) > 0 {
				ratio(own.cpu, other.cpu, t.Against, "'s processor time", t.CPU)
			}
		}
		if t.Max.Set {
			add(median(own.wall) <= t.Max.N, number(median(own.wall))+" "+string(r.Unit), fmt.Sprintf("≤ %g", t.Max.N))
		}
		if t.Allocs.Set {
			add(own.allocs <= t.Allocs.N, fmt.Sprintf("%.3g allocations", own.allocs), fmt.Sprintf("≤ %g", t.Allocs.N))
		}
		if t.AllocsPerElement.Set { // a run allocates its stages, too
			each := own.allocs / float64(r.Elements)
			add(each < t.AllocsPerElement.N+0.01, fmt.Sprintf("%.2f allocations/element", each), fmt.Sprintf("≤ %g", t.AllocsPerElement.N))
		}
	}
	if peer, ok := fastest(r); ok {
		ratio(own.wall, r.of[peer].wall, peer, "", 1)
	}
	if jvm := r.of[benchmarks.JVM]; jvm != nil && !besideJVM && r.BehindJVM == "" {
		ratio(own.wall, jvm.wall, benchmarks.JVM, "", closeEnough)
	}
	return list
}

// fastest returns the Go peer with the smallest figure, unless a target names it.
func fastest(r *result) (name string, ok bool) {
	for _, peer := range benchmarks.Peers {
		f := r.of[peer]
		if f == nil || f.unlike != "" || slices.ContainsFunc(r.Targets, func(t benchmarks.Target) bool { return t.Against == peer }) {
			continue
		}
		if !ok || median(f.wall) < median(r.of[name].wall) {
			name, ok = peer, true
		}
	}
	return name, ok
}

// difference makes a row of two others: what each step more costs.
func difference(d benchmarks.Difference, few, many *result) *result {
	r := &result{
		Workload: benchmarks.Workload{ID: d.ID, Title: d.Title, Elements: 1, Unit: benchmarks.PerElement, Targets: d.Targets},
		of:       map[string]*figures{},
	}
	per := func(a, b []float64) (of []float64) {
		for i := range a {
			of = append(of, (b[i]-a[i])/float64(d.Steps))
		}
		return of
	}
	for _, name := range d.Names {
		a, b := few.of[name], many.of[name]
		if a == nil || b == nil {
			continue
		}
		r.order = append(r.order, name)
		// The median of the differences, since noise can make one of them negative.
		r.of[name] = &figures{wall: []float64{median(per(a.wall, b.wall))}, cpu: []float64{median(per(a.cpu, b.cpu))}}
	}
	return r
}

// number writes a figure with as many digits as tell something.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
