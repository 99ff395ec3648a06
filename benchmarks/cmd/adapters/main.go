// Adapters measures each adapter beside the plain loop over the same package, as the
// benchmarks of the adapters have them, and prints how they stand to what is claimed.
//
// Package internal/testkit/beside says how they are measured. What counts is the median of the ratios of
// pairs that ran right after each other. It is taken of the clock and of the processor time, since
// a stream that reads on a worker may hide in the one what it spends in the other; an adapter
// is ok if neither falls short.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goreactor/reactor/internal/testkit/beside"
)

var (
	pairs  = flag.Int("pairs", 101, "how often the two sides of each benchmark are compared")
	run    = flag.String("run", "", "only the benchmarks that the regular expression finds")
	strict = flag.Bool("strict", false, "fail if something falls short")
)

// packages have benchmarks that beside.Run runs. Each is a folder of the
// repository; those of another module are tested there.
var packages = []string{
	"adapt/bytestream", "adapt/execstream", "adapt/httpstream", "adapt/osstream", "adapt/slogstream",
	"adapt/sqlstream", "adapt/sse", "interop/fsnotify", "interop/rxgo",
}

// limit is how fast a stream has to be beside the loop.
const limit = 0.7

func main() {
	flag.Parse()
	short, err := measure()
	if err != nil {
		fmt.Fprintln(os.Stderr, "adapters:", err)
		os.Exit(1)
	}
	if *strict && short > 0 {
		os.Exit(1)
	}
}

func measure() (short int, err error) {
	if *pairs < 1 {
		return 0, fmt.Errorf("pairs ≥ 1 required but it was %d", *pairs)
	}
	only, err := regexp.Compile(*run)
	if err != nil {
		return 0, fmt.Errorf("-run: %w", err)
	}
	folder, err := os.MkdirTemp("", "adapters")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	fmt.Printf("each adapter beside the plain loop, plain time divided by ours: medians of %d pairs of %v (and quartiles)\n", *pairs, beside.Slice)
	for _, pkg := range packages {
		n, err := measurePackage(folder, pkg, only)
		if err != nil {
			return short, fmt.Errorf("%s: %w", pkg, err)
		}
		short += n
	}
	return short, nil
}

// measurePackage measures the benchmarks of a package, and returns how many fall short.
func measurePackage(folder, pkg string, only *regexp.Regexp) (short int, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return 0, err
	}
	p := program{filepath.Join(folder, filepath.Base(pkg)+".test"), filepath.Join(root, pkg)}
	build := exec.Command("go", "test", "-c", "-o", p.path, ".")
	build.Dir = p.in
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	names, err := p.run("-test.list", "^Benchmark")
	if err != nil {
		return 0, err
	}
	for _, name := range strings.Fields(names) {
		title := filepath.Base(pkg) + " " + strings.TrimPrefix(name, "Benchmark")
		if !only.MatchString(title) {
			continue
		}
		got, err := p.measure(name)
		if err != nil {
			return short, err
		}
		word := "ok"
		if got.least() < limit {
			word = "short"
			short++
		}
		fmt.Printf("  %-26s clock %s  processor %s  limit %.2f  %s\n", title, got.text(beside.Clock), got.text(beside.Processor), limit, word)
	}
	return short, nil
}

// program is a test program, and where it runs.
type program struct{ path, in string }

func (p program) run(args ...string) (string, error) {
	cmd := exec.Command(p.path, args...)
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

func (p program) measure(name string) (figures, error) {
	out, err := p.run("-test.run", "^$", "-test.bench", "^"+name+"$/^pair$", "-test.benchtime", fmt.Sprintf("%dx", *pairs))
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
