// Guard counts what the rows of package benchmarks cost this library in things that do not
// change with the machine: allocations of the assembly, of the subscription and of an element,
// which must be exactly those in allocations.txt, and instructions of an element, which must not
// be more than 3 % above those in instructions.txt. It is run in the folder that has these files.
//
// Instructions are counted by perf where the processor lets it, or by valgrind, in processes of
// their own, less those of a process that runs no row.
//
//	guard              compare
//	guard -write       record
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/internal/testkit/cli"
)

const (
	allocationsFile  = "allocations.txt"
	instructionsFile = "instructions.txt"
)

type options struct {
	only         string
	write        bool
	instructions bool
	work         string // id of the row that this process is to run, for whoever counts
	times        int
	counters     []counter
}

func main() {
	cli.Main("guard", parse, func(o options, out io.Writer) error {
		if o.work != "" {
			return work(o.work, o.times)
		}
		return run(o, out)
	})
}

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("guard")
	o.counters = counters
	flags.StringVar(&o.only, "run", "", "only rows whose id matches this expression")
	flags.BoolVar(&o.write, "write", false, "record what is counted")
	flags.BoolVar(&o.instructions, "instructions", true, "count instructions, too")
	flags.StringVar(&o.work, "work", "", "run one row, for whoever counts its instructions")
	flags.IntVar(&o.times, "times", 1, "how often")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.times < 0:
		return o, fmt.Errorf("-times must not be negative, it is %d", o.times)
	}
	wanted, err := regexp.Compile(o.only)
	switch {
	case err != nil:
		return o, fmt.Errorf("-run: %w", err)
	case !slices.ContainsFunc(benchmarks.Guards(), func(g benchmarks.Guarded) bool { return wanted.MatchString(g.ID) }):
		return o, fmt.Errorf("-run: no row matches %q", o.only)
	case o.write && o.only != "":
		return o, errors.New("-write records all rows: not with -run")
	}
	return o, nil
}

// work runs a row, on one processor, where the order of goroutines is the same each time.
func work(id string, times int) error {
	runtime.GOMAXPROCS(1)
	for _, g := range benchmarks.Guards() {
		if g.ID == id {
			for range times {
				g.Life.Run(g.Work)
			}
			return nil
		}
	}
	return fmt.Errorf("-work: there is no row %q", id)
}

func run(o options, out io.Writer) error {
	wanted := regexp.MustCompile(o.only)
	var rows []benchmarks.Guarded
	for _, g := range benchmarks.Guards() {
		if wanted.MatchString(g.ID) {
			rows = append(rows, g)
		}
	}
	short, err := allocations(rows, o, out)
	if err != nil {
		return err
	}
	if o.instructions {
		more, err := instructions(rows, o, out)
		if err != nil {
			return err
		}
		short += more
	}
	if short > 0 {
		return fmt.Errorf("%d rows are not as recorded; -write records them anew", short)
	}
	return nil
}

// allocations counts and compares, or records.
func allocations(rows []benchmarks.Guarded, o options, out io.Writer) (short int, err error) {
	var text strings.Builder
	text.WriteString("# Allocations of this library: the assembly, the subscriptions and their ends, each element.\n# `make bench-guard ARGS=-write` writes this.\n")
	recorded, err := read(allocationsFile, o.write)
	if err != nil {
		return 0, err
	}
	for _, g := range rows {
		got := g.Count()
		fmt.Fprintf(&text, "%s: %s\n", g.ID, got.Text())
		differs := got.Differs(recorded[g.ID])
		switch {
		case o.write || differs == "":
			fmt.Fprintf(out, "ok     %-20s %s allocations\n", g.ID, got.Text())
		default:
			fmt.Fprintf(out, "short  %-20s %s\n", g.ID, differs)
			short++
		}
	}
	if o.write {
		return 0, cli.Replace(allocationsFile, text.String())
	}
	return short, nil
}

// read reads a record, which need not be there if it is to be written.
func read(name string, write bool) (benchmarks.Record, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		if write {
			err = nil
		}
		return nil, err
	}
	r, err := benchmarks.ReadRecord(string(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}
