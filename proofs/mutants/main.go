// Command mutants asks whether the tests would notice. It breaks this library in small
// ways that have been the bugs of others (a wake-up that is lost, demand that is
// credited twice, a completion that overtakes an error), one at a time, and runs the
// tests that should fail.
//
//	go run ./proofs/mutants [-only regexp] [-race=false] [-parallel n] [-list] [-compile]
//
// The work tree is never changed: mutated files reach the compiler through the overlay
// of go test. Nor is anything compiled once per mutation. Each mutated function is
// compiled beside the original, which hands over to it if the environment variable
// REACTOR_MUTANT has the number of the mutation; so one test binary per package serves
// all mutations, and a run takes minutes.
//
// For each mutation cheap tests come first, all of them with forced yields: the tests
// named in the table but for races, then those too, then all quick ones of
// proofs/stages, proofs/chainfuzz and proofs/vectors, at last the named ones with
// the race detector. A mutation is killed by the first command that fails or does not
// end in time. Every command passes without a mutation before it counts.
//
// The end says how many were killed by a failure and how many by the time limit, the
// latter "time-out" in the list. The last line is "N of M mutants killed (P %)". Less than
// 95 % is a failure, and so is a mutation whose text is not in the source any more.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

// least is the share of mutations that have to be killed, in percent.
const least = 95

type options struct {
	only                string
	race, wide, verbose bool
	parallel            int
	list, compile       bool
}

func main() { cli.Main("mutants", parse, run) }

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("mutants")
	flags.StringVar(&o.only, "only", "", "apply the mutations whose name, kind or file matches this `regexp`")
	flags.BoolVar(&o.race, "race", true, "try survivors with the race detector")
	flags.BoolVar(&o.wide, "wide", true, "try survivors with proofs/stages, proofs/chainfuzz and proofs/vectors")
	flags.IntVar(&o.parallel, "parallel", 2, "how many mutations to test at a time")
	flags.BoolVar(&o.list, "list", false, "list the mutations and do nothing")
	flags.BoolVar(&o.compile, "compile", false, "see whether all mutations compile, and test none")
	flags.BoolVar(&o.verbose, "v", false, "show the end of the output of the tests that failed")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.parallel < 1:
		return o, fmt.Errorf("-parallel must be at least 1, not %d", o.parallel)
	case o.list && o.compile:
		return o, errors.New("-list compiles nothing: not with -compile")
	}
	if _, err := regexp.Compile(o.only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	return o, nil
}

func run(o options, out io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop() // after the folder is gone
	s := &session{race: o.race, wide: o.wide, parallel: o.parallel, verbose: o.verbose}
	wanted := regexp.MustCompile(o.only)
	var chosen []int // indices in table
	for i, m := range table {
		if wanted.MatchString(m.name) || wanted.MatchString(m.kind) || wanted.MatchString(m.file) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-only: no mutation matches %q", o.only)
	}
	if o.list {
		for _, i := range chosen {
			m := table[i]
			fmt.Fprintf(out, "%-28s %-40s %s\n", m.kind, m.file, m.name)
		}
		return nil
	}
	if s.root, err = os.Getwd(); err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	if s.overlay, err = writeOverlay(s.root, s.work, table); err != nil {
		return err
	}
	if o.compile {
		build := exec.CommandContext(ctx, "go", "build", "-gcflags=-e", "-overlay", s.overlay, "./...")
		build.Stdout, build.Stderr = os.Stdout, os.Stderr
		return build.Run()
	}
	begin := time.Now()
	results := s.all(ctx, chosen)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range results {
		if r.err != nil {
			return fmt.Errorf("%s: %w", r.mutation.name, r.err)
		}
	}
	show(results)
	text, share := summary(results)
	fmt.Printf("\n%v\n%s\n", time.Since(begin).Round(time.Second), text)
	if share < least {
		return fmt.Errorf("at least %d %% have to be killed", least)
	}
	return nil
}

func show(results []result) {
	fmt.Printf("\n%-9s %-28s %-36s %-62s %s\n", "", "kind", "file", "mutation", "command")
	for _, r := range results {
		fmt.Printf("%-9s %-28s %-36s %-62s %s\n", r.outcome(), r.mutation.kind, filepath.ToSlash(r.mutation.file), r.mutation.name, r.by)
	}
}

// outcome is a word for what became of the mutation.
func (r result) outcome() string {
	switch {
	case r.by == "":
		return "SURVIVED"
	case r.late:
		return "time-out"
	}
	return "killed"
}

// summary returns the last lines, and the share of mutations that were killed.
func summary(results []result) (text string, share float64) {
	killed, late := 0, 0
	for _, r := range results {
		if r.by != "" {
			killed++
		}
		if r.late {
			late++
		}
	}
	share = 100 * float64(killed) / float64(len(results))
	return fmt.Sprintf("%d by a failure, %d by the time limit\n%d of %d mutants killed (%.1f %%)",
		killed-late, late, killed, len(results), share), share
}
