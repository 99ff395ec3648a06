// Buildcost measures what the methods of Flux cost a program to build, and fails
// if it is more than the limits allow.
//
// It builds generated programs that use ten operators on each of eight element
// types: one of this library, and the same shape on made-up packages of 150 and
// 300 operators whose methods are generic, and plain. Plain methods are compiled
// for every element type, called or not; generic methods only where they are
// called (docs/decisions/0001-generic-methods.md).
//
// # Method
//
// A build is measured with the standard library in the build cache and nothing
// else: the cache of each run is a fresh copy of one that holds only the standard
// packages that the programs depend on. So "first build" is the package of
// operators, the program and the link; "next build" has the package of operators
// in the cache as well, as every build of a program after the first, which is
// what a programmer waits for all day. The growth is measured on it: the first
// build also reads the source of the operators themselves, once.
//
// All cases are run in turn, round after round, so that a slow moment of the
// machine hits all of them, and the fastest round counts: other work on the
// machine makes a build slower, never faster. The plain methods are there to
// compare with; they take so long that they are built in the first round only.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

const (
	limit     = 0.6  // for the first build of the library's program: its processor time ÷ that of 150 plain methods
	nextLimit = 0.3  // the same for the next builds
	growth    = 0.10 // for twice as many operators

	// mostFunctions is a little more than what the library's program was compiled to when it was counted last.
	mostFunctions = 6_900
)

type options struct {
	rounds           int
	limit, nextLimit float64
	keep             string
}

func main() { cli.Main("build-cost", parse, run) }

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("build-cost")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each case is built; the fastest counts")
	flags.Float64Var(&o.limit, "limit", limit, "most that the first build of a program with this library may take, of the processor time of that of 150 plain methods")
	flags.Float64Var(&o.nextLimit, "next", nextLimit, "the same for the next build, which finds the library in the cache")
	flags.StringVar(&o.keep, "keep", "", "write the generated programs to this folder and keep them")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds must be at least 1, not %d", o.rounds)
	case !(o.limit > 0): // also no number
		return o, fmt.Errorf("-limit must be positive, not %v", o.limit)
	case !(o.nextLimit > 0):
		return o, fmt.Errorf("-next must be positive, not %v", o.nextLimit)
	}
	return o, nil
}

func run(o options, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop() // after the copies of the cache are gone
	work := o.keep
	if work == "" {
		dir, err := os.MkdirTemp("", "buildcost")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		work = dir
	}
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	real, err := libraryCase(work, root)
	if err != nil {
		return err
	}
	cases := []*buildCase{real}
	for _, s := range []synthetic{
		{operators: 150, generic: true},
		{operators: 300, generic: true},
		{operators: 150},
	} {
		c, err := s.generate(work)
		if err != nil {
			return err
		}
		cases = append(cases, c)
	}
	std := filepath.Join(work, "std")
	for _, c := range cases {
		c.ctx = ctx
		if err := c.warm(std); err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
	for round := range o.rounds {
		for _, c := range cases {
			if c.once && round > 0 {
				continue
			}
			if err := c.measure(work, std); err != nil {
				return cmp.Or(context.Cause(ctx), err)
			}
		}
	}

	fmt.Fprintf(out, "%d element types × %d operators, fastest of %d builds (plain methods: one)\n\n", len(elements), operatorsPerType, o.rounds)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\tfirst build s\tCPU s\tnext build s\tCPU s\tbinary MB\t")
	for _, c := range cases {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t\n", c.name,
			c.first.wall.Seconds(), c.first.cpu.Seconds(), c.next.wall.Seconds(), c.next.cpu.Seconds(), float64(c.binary)/1e6)
	}
	if err := w.Flush(); err != nil {
		return err
	}

	g150, g300, p150 := cases[1], cases[2], cases[3]
	grown := g300.next.cpu.Seconds()/g150.next.cpu.Seconds() - 1
	fmt.Fprintf(out, "\nplain ÷ generic methods, 150 operators: first build %.1f×, next build %.1f×\n",
		ratio(p150.first, g150.first), ratio(p150.next, g150.next))
	fmt.Fprintf(out, "generic methods, 150 → 300 operators: next build %+.1f %% CPU (limit %+.0f %%), first build %+.2f s\n",
		100*grown, 100*growth, (g300.first.wall - g150.first.wall).Seconds())
	share, nextShare := share(real.first, p150.first), share(real.next, p150.next)
	fmt.Fprintf(out, "this library, of the CPU time of 150 plain methods: first build %.2f (limit %.2f), next build %.2f (limit %.2f)\n",
		share, o.limit, nextShare, o.nextLimit)

	switch {
	case share > o.limit:
		return fmt.Errorf("the first build of a program with this library takes %.2f of what 150 plain methods take, at most %.2f are allowed", share, o.limit)
	case nextShare > o.nextLimit:
		return fmt.Errorf("the next build of a program with this library takes %.2f of what 150 plain methods take, at most %.2f are allowed", nextShare, o.nextLimit)
	case grown > growth:
		return fmt.Errorf("twice as many operators make the build of a program %.1f %% dearer, at most %.0f %% are allowed",
			100*grown, 100*growth)
	}
	return nil
}

func ratio(a, b cost) float64 { return a.wall.Seconds() / b.wall.Seconds() }

func share(a, b cost) float64 { return a.cpu.Seconds() / b.cpu.Seconds() }
