// Grow prints what one thing costs as the number of others beside it grows: subscribers of a
// sink, slots of a pool, sources, inner streams, keys. Each figure is the median of some
// rounds; one during which other processes use more than -foreign processors is repeated. With
// -strict it fails if one is above its bound.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/benchmarks/internal/machine"
	"github.com/goreactor/reactor/internal/testkit/cli"
)

type options struct {
	rounds, most, repeats int
	foreign               float64
	only                  string
	strict                bool
	// watch begins to look at what others use.
	watch func() (foreign func(children time.Duration) float64)
}

func main() {
	cli.Main("grow", parse, func(o options, out io.Writer) error { return run(o, benchmarks.Growths(), out) })
}

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("grow")
	o.watch = machine.Watch
	flags.IntVar(&o.rounds, "rounds", 3, "how often each size is measured; the median counts")
	flags.IntVar(&o.most, "most", 1_000_000, "leave out larger sizes")
	flags.Float64Var(&o.foreign, "foreign", 0.3, "processors that other processes may use during a round; otherwise it is repeated")
	flags.IntVar(&o.repeats, "repeats", 30, "rounds of a size that may be repeated")
	flags.StringVar(&o.only, "run", "", "only rows whose id matches this expression")
	flags.BoolVar(&o.strict, "strict", false, "fail if a bound is not met")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds must be at least 1, not %d", o.rounds)
	case o.most < 1:
		return o, fmt.Errorf("-most must be at least 1, not %d", o.most)
	case !(o.foreign > 0):
		return o, fmt.Errorf("-foreign must be positive, not %v", o.foreign)
	case o.repeats < 0:
		return o, fmt.Errorf("-repeats must not be negative, it is %d", o.repeats)
	}
	if _, err := regexp.Compile(o.only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	return o, nil
}

func run(o options, growths []benchmarks.Growth, to io.Writer) error {
	wanted := regexp.MustCompile(o.only)
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	found, met, short := false, 0, 0
	for _, g := range growths {
		if !wanted.MatchString(g.ID) {
			continue
		}
		found = true
		fmt.Fprintf(out, "%s\t%s\t%s\t\n", g.ID, g.Title, g.Bound)
		first := 0.0
		for i, size := range g.Sizes {
			if size > o.most {
				continue
			}
			cost, err := o.median(func() benchmarks.Spent { return g.Cost(size) })
			if err != nil {
				return errors.Join(out.Flush(), fmt.Errorf("%s at %d: %w", g.ID, size, err))
			}
			if i == 0 {
				first = cost.Wall
			}
			limit := g.Limit(first, size)
			word := "ok"
			if cost.Wall > limit {
				word = "short"
				short++
			} else {
				met++
			}
			fmt.Fprintf(out, "%s\t%d\t%.0f ns\tlimit %.0f\tprocessor %.0f\t%s\n", word, size, cost.Wall, limit, cost.Processor, g.ID)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	switch {
	case !found:
		return fmt.Errorf("-run: no row matches %q", o.only)
	case met+short == 0:
		return fmt.Errorf("-most: no size is %d or less", o.most)
	}
	fmt.Fprintf(to, "%d met, %d short\n", met, short)
	if o.strict && short > 0 {
		return fmt.Errorf("%d bounds are not met", short)
	}
	return nil
}

// median measures until there are enough rounds in which the machine was free.
func (o options) median(cost func() benchmarks.Spent) (benchmarks.Spent, error) {
	all := make([]benchmarks.Spent, 0, o.rounds)
	for repeated := 0; len(all) < o.rounds; {
		runtime.GC()
		foreign := o.watch()
		one := cost()
		if load := foreign(0); load > o.foreign {
			if repeated == o.repeats {
				return benchmarks.Spent{}, fmt.Errorf("other processes use %.1f processors: too busy to measure after %d repeated rounds (-foreign, -repeats)", load, repeated)
			}
			repeated++
			continue
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b benchmarks.Spent) int { return cmp.Compare(a.Wall, b.Wall) })
	return all[(o.rounds-1)/2], nil
}
