// Compare runs the workloads of package benchmarks and prints, for each, the median of
// every competitor, and what became of the targets.
//
// All competitors of a workload are measured in turn, round after round, and a ratio is the
// median of the ratios of the rounds: so a slow moment of the machine hits both sides.
// Rounds during which other processes use more than -foreign processors are repeated. It
// fails if a result is wrong or the machine stays busy, and with -strict also if a target
// is missed; nothing is written then.
//
//	compare                                       this library and what one writes by hand
//	compare -peers                                with the other libraries
//	compare -peers -targets                       a line for each target: ok or short
//	compare -peers -jvm 'java -jar x.jar' \
//	        -out RESULTS.md -chart results.svg    all of it, written to files
//	compare -operators -jvm 'java -jar x.jar'     each operator by itself
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/benchmarks/internal/machine"
	"github.com/goreactor/reactor/internal/testkit/cli"
)

type options struct {
	settings
	only, command, out, chart string
	peers, targets, strict    bool
	operators                 bool
}

func main() { cli.Main("compare", parse, run) }

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("compare")
	o.watch = machine.Watch
	flags.IntVar(&o.rounds, "rounds", 7, "how often each competitor is measured; the median counts")
	flags.DurationVar(&o.long, "time", 100*time.Millisecond, "how long each measurement takes at least")
	flags.Float64Var(&o.foreign, "foreign", 0.3, "processors that other processes may use during a round; otherwise it is repeated")
	flags.IntVar(&o.repeats, "repeats", 30, "rounds of a workload that may be repeated")
	flags.StringVar(&o.only, "run", "", "only workloads whose id matches this expression")
	flags.BoolVar(&o.peers, "peers", false, "measure other libraries, too")
	flags.StringVar(&o.command, "jvm", "", "shell command that starts benchmarks/jvm, to measure Project Reactor, too")
	flags.BoolVar(&o.operators, "operators", false, "measure each operator by itself instead")
	flags.BoolVar(&o.targets, "targets", false, "print a line for each target instead of the table")
	flags.BoolVar(&o.strict, "strict", false, "fail if a target is missed")
	flags.StringVar(&o.out, "out", "", "file for the table and the targets, in Markdown; replaced as a whole")
	flags.StringVar(&o.chart, "chart", "", "file for a picture of the table, in SVG")
	return o, cli.Parse(flags, args)
}

// check returns what is wrong with the options or with the machine.
func (o *options) check() (wanted *regexp.Regexp, err error) {
	switch {
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds must be at least 1, not %d", o.rounds)
	case o.long <= 0:
		return nil, fmt.Errorf("-time must be positive, not %v", o.long)
	case !(o.foreign > 0): // also no number
		return nil, fmt.Errorf("-foreign must be positive, not %v", o.foreign)
	case o.repeats < 0:
		return nil, fmt.Errorf("-repeats must not be negative, it is %d", o.repeats)
	case o.out != "" && filepath.Clean(o.out) == filepath.Clean(o.chart):
		return nil, fmt.Errorf("-out and -chart are the same file, %s", o.out)
	case runtime.GOMAXPROCS(0) < 2:
		return nil, errors.New("this machine gives one processor: the rows with several goroutines need two")
	}
	for _, name := range []string{o.out, o.chart} {
		if err := writable(name); err != nil {
			return nil, err
		}
	}
	if wanted, err = regexp.Compile(o.only); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	if !slices.ContainsFunc(o.workloads(), func(w benchmarks.Workload) bool { return wanted.MatchString(w.ID) }) &&
		!slices.ContainsFunc(o.differences(), func(d benchmarks.Difference) bool { return wanted.MatchString(d.ID) }) {
		return nil, fmt.Errorf("-run: no workload matches %q", o.only)
	}
	return wanted, nil
}

// workloads are those to choose from.
func (o *options) workloads() []benchmarks.Workload {
	if o.operators {
		return benchmarks.Operators()
	}
	return benchmarks.Workloads()
}

func (o *options) differences() []benchmarks.Difference {
	if o.operators {
		return nil
	}
	return benchmarks.Differences()
}

// run measures, and writes the files when all of it is known.
func run(o options, out io.Writer) (err error) {
	wanted, err := o.check()
	if err != nil {
		return err
	}
	if o.command != "" {
		if o.jvm, err = startJVM(o.command); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.jvm.close()) }()
	}
	results, err := measureAll(o, wanted)
	if err != nil {
		return err
	}
	var verdicts []verdict
	for _, r := range results {
		verdicts = append(verdicts, judge(r)...)
	}
	met := 0
	for _, v := range verdicts {
		if v.ok {
			met++
		}
	}
	text := head(o) + "\n"
	if o.targets {
		text += lines(verdicts)
	} else {
		text += table(results)
	}
	fmt.Fprintf(out, "%s\n%d met, %d short\n", text, met, len(verdicts)-met)
	if o.out != "" {
		if err := cli.Replace(o.out, markdown(o, results, verdicts)); err != nil {
			return err
		}
	}
	if o.chart != "" {
		if err := cli.Replace(o.chart, chart(results)); err != nil {
			return err
		}
	}
	if o.strict && met < len(verdicts) {
		return fmt.Errorf("%d targets are short", len(verdicts)-met)
	}
	return nil
}

// measureAll measures the workloads that are wanted, and those that a difference that is
// wanted needs.
func measureAll(o options, wanted *regexp.Regexp) (results []*result, err error) {
	differences := map[string]benchmarks.Difference{}
	parts := map[string]bool{}
	for _, d := range o.differences() {
		if wanted.MatchString(d.ID) {
			differences[d.Many] = d
			parts[d.Few], parts[d.Many] = true, true
		}
	}
	done := map[string]*result{}
	for _, w := range o.workloads() {
		if !wanted.MatchString(w.ID) && !parts[w.ID] {
			continue
		}
		if !o.peers {
			w.Runs = slices.DeleteFunc(w.Runs, func(c benchmarks.Competitor) bool {
				named := slices.ContainsFunc(w.Targets, func(t benchmarks.Target) bool { return t.Against == c.Name })
				return slices.Contains(benchmarks.Peers, c.Name) && !named
			})
		}
		fmt.Fprintf(os.Stderr, "%-24s\r", w.ID)
		r, err := measure(w, o.settings)
		if err != nil {
			return nil, err
		}
		done[w.ID] = r
		switch d, ok := differences[w.ID]; {
		case ok:
			results = append(results, difference(d, done[d.Few], r))
		case !parts[w.ID]:
			results = append(results, r)
		}
	}
	return results, nil
}

// writable returns an error if a file can't be replaced, which is better known before an hour of
// measuring than behind it.
func writable(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
