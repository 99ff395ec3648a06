// Grow prints what one thing costs as the number of others beside it grows: subscribers of a
// sink, slots of a pool, sources, inner streams, keys. Each figure is the median of some
// rounds. With -strict it fails if one is above its bound.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/goreactor/reactor/benchmarks"
)

func main() {
	rounds := flag.Int("rounds", 3, "how often each size is measured; the median counts")
	most := flag.Int("most", 1_000_000, "leave out larger sizes")
	only := flag.String("run", "", "only rows whose id matches this expression")
	strict := flag.Bool("strict", false, "fail if a bound is not met")
	flag.Parse()
	if err := run(*rounds, *most, *only, *strict); err != nil {
		fmt.Fprintln(os.Stderr, "grow:", err)
		os.Exit(1)
	}
}

func run(rounds, most int, only string, strict bool) error {
	wanted, err := regexp.Compile(only)
	switch {
	case err != nil:
		return fmt.Errorf("-run: %w", err)
	case flag.NArg() > 0:
		return fmt.Errorf("unknown argument %q", flag.Arg(0))
	case rounds < 1:
		return fmt.Errorf("-rounds must be at least 1, not %d", rounds)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	met, short := 0, 0
	for _, g := range benchmarks.Growths() {
		if !wanted.MatchString(g.ID) {
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t\t\n", g.ID, g.Title, g.Bound)
		first := 0.0
		for i, size := range g.Sizes {
			if size > most {
				continue
			}
			cost := median(rounds, func() float64 { return g.Cost(size) })
			if i == 0 {
				first = cost
			}
			word := "ok"
			if limit := g.Limit(first, size); cost > limit {
				word = fmt.Sprintf("short, limit %.0f", limit)
				short++
			} else {
				met++
			}
			fmt.Fprintf(out, "\t%d\t%.0f ns\t%s\t\n", size, cost, word)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if met+short == 0 {
		return fmt.Errorf("-run: no row matches %q", only)
	}
	fmt.Printf("%d met, %d short\n", met, short)
	if strict && short > 0 {
		return fmt.Errorf("%d bounds are not met", short)
	}
	return nil
}

func median(rounds int, cost func() float64) float64 {
	all := make([]float64, rounds)
	for i := range all {
		runtime.GC()
		all[i] = cost()
	}
	slices.Sort(all)
	return (all[(rounds-1)/2] + all[rounds/2]) / 2
}
