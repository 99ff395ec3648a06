// Compare runs the workloads of package benchmarks and prints, for each, the
// median of every competitor and the ratio of this library to the one that the
// target names.
//
// All competitors of a workload are measured in turn, round after round, and the
// ratio is the median of the ratios of the rounds: so a slow moment of the machine
// hits both sides. In the figure that is the difference of two workloads, it is
// the ratio of the medians.
// It fails if a result is wrong, and with -strict also if a target is missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/goreactor/reactor/benchmarks"
)

// figures are what was measured of one competitor in one workload.
type figures struct {
	perElem []float64 // nanoseconds, one for each round
	allocs  float64   // per run, of the last round
	bytes   float64
}

func (f *figures) median() float64 { return median(f.perElem) }

// over returns the median of the ratios of f to g, round by round.
func (f *figures) over(g *figures) float64 {
	ratios := make([]float64, len(f.perElem))
	for i := range ratios {
		ratios[i] = f.perElem[i] / g.perElem[i]
	}
	return median(ratios)
}

func median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func main() {
	testing.Init() // the flags of package testing set how long a measurement takes
	rounds := flag.Int("rounds", 7, "how often each competitor is measured; the median counts")
	long := flag.String("time", "100ms", "how long each measurement takes at least")
	only := flag.String("run", "", "only workloads whose id matches this expression")
	strict := flag.Bool("strict", false, "fail if a target is missed")
	flag.Parse()
	if err := run(*rounds, *long, *only, *strict); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(rounds int, long, only string, strict bool) error {
	if err := flag.Set("test.benchtime", long); err != nil {
		return err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var list []benchmarks.Workload
	for _, w := range benchmarks.Workloads() {
		if wanted.MatchString(w.ID) {
			list = append(list, w)
		}
	}
	fmt.Printf("%s %s/%s, %d processors, median of %d × %s\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), rounds, long)

	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "id\twork\tcompetitor\tns/element\tspread\tallocs/run\tB/run\tratio\ttarget\t")
	missed := 0
	medians := map[string]map[string]float64{} // workload, competitor
	for _, w := range list {
		measured, err := measure(w, rounds)
		if err != nil {
			return err
		}
		medians[w.ID] = map[string]float64{}
		for _, c := range w.Runs {
			medians[w.ID][c.Name] = measured[c.Name].median()
		}
		for i, c := range w.Runs {
			f := measured[c.Name]
			id, title := w.ID, w.Title
			if i > 0 {
				id, title = "", ""
			}
			ratio, target := "", ""
			if c.Name == benchmarks.Library {
				var ok bool
				ratio, target, ok = judge(w.Target, f, measured, w.Elements)
				if !ok {
					missed++
				}
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%.2f\t±%.0f%%\t%.4g\t%.4g\t%s\t%s\t\n",
				id, title, c.Name, f.median(), 100*f.spread(), f.allocs, f.bytes, ratio, target)
		}
	}
	for _, d := range benchmarks.Differences() {
		few, many := medians[d.Few], medians[d.Many]
		if few == nil || many == nil {
			continue
		}
		id, title := d.ID, d.Title
		per := map[string]*figures{}
		for name := range few {
			per[name] = &figures{perElem: []float64{(many[name] - few[name]) / float64(d.Steps)}}
		}
		for _, name := range d.Names {
			ratio, target := "", ""
			if name == benchmarks.Library {
				var ok bool
				ratio, target, ok = judge(d.Target, per[name], per, 1)
				if !ok {
					missed++
				}
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%.2f\t\t\t\t%s\t%s\t\n", id, title, name, per[name].median(), ratio, target)
			id, title = "", ""
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Printf("\n%d targets missed\n", missed)
	if strict && missed > 0 {
		return fmt.Errorf("%d targets missed", missed)
	}
	return nil
}

// measure runs all competitors of a workload, round after round.
func measure(w benchmarks.Workload, rounds int) (map[string]*figures, error) {
	all := map[string]*figures{}
	for _, c := range w.Runs {
		if got := c.Run(); got != w.Want {
			return nil, fmt.Errorf("%s: %s yields %d, not %d", w.ID, c.Name, got, w.Want)
		}
		all[c.Name] = &figures{}
	}
	for range rounds {
		for _, c := range w.Runs {
			runtime.GC()
			r := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Run()
				}
			})
			if r.N == 0 {
				return nil, fmt.Errorf("%s: %s did not run", w.ID, c.Name)
			}
			f := all[c.Name]
			f.perElem = append(f.perElem, float64(r.T.Nanoseconds())/float64(r.N)/float64(w.Elements))
			f.allocs = float64(r.MemAllocs) / float64(r.N)
			f.bytes = float64(r.MemBytes) / float64(r.N)
		}
	}
	return all, nil
}

// spread is half the distance between the fastest and the slowest round, relative
// to the median.
func (f *figures) spread() float64 {
	return (slices.Max(f.perElem) - slices.Min(f.perElem)) / 2 / f.median()
}

// judge compares the library's figures with a target: the ratio, the target as
// text with what became of it, and whether all of it was reached.
func judge(t benchmarks.Target, f *figures, all map[string]*figures, elements int) (ratio, text string, ok bool) {
	var parts []string
	ok = true
	check := func(reached bool, format string, args ...any) {
		mark := "✓"
		if !reached {
			mark, ok = "✗", false
		}
		parts = append(parts, fmt.Sprintf(format, args...)+" "+mark)
	}
	if t.Against != "" {
		r := f.over(all[t.Against])
		ratio = fmt.Sprintf("%.2f × %s", r, t.Against)
		check(r <= t.Ratio, "≤ %.2f ×", t.Ratio)
	}
	if t.PerElem > 0 {
		check(f.median() <= t.PerElem, "≤ %.0f ns", t.PerElem)
	}
	if t.Allocs != nil {
		if elements == 1 {
			check(f.allocs <= *t.Allocs, "≤ %g allocs", *t.Allocs)
		} else { // a run allocates its stages, its elements shall not
			check(f.allocs/float64(elements) < 0.001, "0 allocs/element")
		}
	}
	return ratio, strings.Join(parts, ", "), ok
}
