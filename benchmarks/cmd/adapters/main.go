// Adapters measures each adapter beside the plain loop over the same package, as the
// benchmarks of the adapters have them, and prints how they stand to what is claimed.
//
// Package internal/testkit/beside says how they are measured. What counts is the median of the ratios of
// pairs that ran right after each other. It is taken of the clock and of the processor time, since
// a stream that reads on a worker may hide in the one what it spends in the other; an adapter
// is ok if neither falls short.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goreactor/reactor/internal/testkit/beside"
	"github.com/goreactor/reactor/internal/testkit/cli"
)

type options struct {
	pairs  int
	only   string
	strict bool
}

// packages have benchmarks that beside.Run runs. Each is a folder of the
// repository; those of another module are tested there.
var packages = []string{
	"adapt/bytestream", "adapt/execstream", "adapt/httpstream", "adapt/osstream", "adapt/slogstream",
	"adapt/sqlstream", "adapt/sse", "interop/fsnotify", "interop/rxgo",
}

// limit is how fast a stream has to be beside the loop.
const limit = 0.7

func main() { cli.Main("adapters", parse, run) }

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("adapters")
	flags.IntVar(&o.pairs, "pairs", 101, "how often the two sides of each benchmark are compared")
	flags.StringVar(&o.only, "run", "", "only the benchmarks that the regular expression finds")
	flags.BoolVar(&o.strict, "strict", false, "fail if something falls short")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.pairs < 1:
		return o, fmt.Errorf("-pairs must be at least 1, not %d", o.pairs)
	}
	if _, err := regexp.Compile(o.only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	return o, nil
}

func run(o options, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop() // after the folder is gone
	folder, err := os.MkdirTemp("", "adapters")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	m := measuring{ctx: ctx, options: o, folder: folder, only: regexp.MustCompile(o.only), out: out}
	fmt.Fprintf(out, "each adapter beside the plain loop, plain time divided by ours: medians of %d pairs of %v (and quartiles)\n", o.pairs, beside.Slice)
	for _, pkg := range packages {
		if err := m.measurePackage(pkg); err != nil {
			return cmp.Or(context.Cause(ctx), fmt.Errorf("%s: %w", pkg, err))
		}
	}
	switch {
	case m.found == 0:
		return fmt.Errorf("-run: no benchmark matches %q", o.only)
	case o.strict && m.short > 0:
		return fmt.Errorf("%d adapters fall short", m.short)
	}
	return nil
}

// measuring is a run of this command.
type measuring struct {
	options
	ctx          context.Context
	folder       string // for the test programs
	only         *regexp.Regexp
	out          io.Writer
	found, short int
}

// measurePackage measures the benchmarks of a package.
func (m *measuring) measurePackage(pkg string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	p := program{m.ctx, filepath.Join(m.folder, filepath.Base(pkg)+".test"), filepath.Join(root, pkg)}
	build := exec.CommandContext(m.ctx, "go", "test", "-c", "-o", p.path, ".")
	build.Dir = p.in
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	names, err := p.run("-test.list", "^Benchmark")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(names) {
		title := filepath.Base(pkg) + " " + strings.TrimPrefix(name, "Benchmark")
		if !m.only.MatchString(title) {
			continue
		}
		m.found++
		got, err := p.measure(name, m.pairs)
		if err != nil {
			return err
		}
		word := "ok"
		if got.least() < limit {
			word = "short"
			m.short++
		}
		fmt.Fprintf(m.out, "  %-26s clock %s  processor %s  limit %.2f  %s\n", title, got.text(beside.Clock), got.text(beside.Processor), limit, word)
	}
	return nil
}

// program is a test program, and where it runs.
type program struct {
	ctx      context.Context
	path, in string
}

func (p program) run(args ...string) (string, error) {
	cmd := exec.CommandContext(p.ctx, p.path, args...)
	cmd.Dir = p.in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return string(out), nil
}

// figures are what a benchmark has reported, by unit.
type figures map[string]float64

func (f figures) text(unit string) string {
	if _, ok := f[unit]; !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f %.2f)", f[unit], f[unit+beside.Low], f[unit+beside.High])
}

// least returns the smaller one of the medians.
func (f figures) least() float64 {
	if p, ok := f[beside.Processor]; ok {
		return min(p, f[beside.Clock])
	}
	return f[beside.Clock]
}

func (p program) measure(name string, pairs int) (figures, error) {
	out, err := p.run("-test.run", "^$", "-test.bench", "^"+name+"$/^pair$", "-test.benchtime", fmt.Sprintf("%dx", pairs))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.HasPrefix(f[0], name+"/pair") {
			continue
		}
		got := figures{}
		for value := range slices.Chunk(f[2:], 2) { // a figure and its unit
			if got[value[len(value)-1]], err = strconv.ParseFloat(value[0], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if got[beside.Clock] > 0 {
			return got, nil
		}
	}
	return nil, fmt.Errorf("%s has no sides that were compared:\n%s", name, out)
}
