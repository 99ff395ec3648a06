// Adapters measures each adapter beside the plain loop over the same package, as the
// benchmarks of the adapters have them, and prints how they stand to what is claimed.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	rounds = flag.Int("rounds", 7, "how often each benchmark takes its turn")
	span   = flag.Duration("time", 200*time.Millisecond, "for how long each side of it runs")
	run    = flag.String("run", "", "only the benchmarks that the regular expression finds")
	strict = flag.Bool("strict", false, "fail if something falls short")
)

// packages have benchmarks with two sides, called plain and stream. Each is a folder of the
// repository; those of another module are tested there.
var packages = []string{
	"adapt/bytestream", "adapt/execstream", "adapt/httpstream", "adapt/osstream", "adapt/slogstream",
	"adapt/sqlstream", "adapt/sse", "interop/fsnotify", "interop/rxgo",
}

// limit is how fast a stream has to be beside the loop.
const limit = 0.7

// side is one of the two, in nanoseconds for each turn of the loop.
type side struct{ clock, processor []float64 }

// row is a benchmark.
type row struct {
	name          string
	plain, stream side
}

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
	if *rounds < 1 {
		return 0, fmt.Errorf("rounds ≥ 1 required but it was %d", *rounds)
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
	fmt.Printf("each adapter beside the plain loop, medians of %d rounds in turns of %v\n", *rounds, *span)
	for _, pkg := range packages {
		rows, err := measurePackage(folder, pkg, only)
		if err != nil {
			return short, fmt.Errorf("%s: %w", pkg, err)
		}
		for _, r := range rows {
			ratio := median(r.plain.clock) / median(r.stream.clock)
			word := "ok"
			if ratio < limit {
				word = "short"
				short++
			}
			fmt.Printf("  %-32s plain %12.0f ns  stream %12.0f ns  %5.2f × as fast  %5.2f × by processor time  limit %.2f  %s\n", r.name,
				median(r.plain.clock), median(r.stream.clock), ratio, median(r.plain.processor)/median(r.stream.processor), limit, word)
		}
	}
	return short, nil
}

// measurePackage lets the benchmarks of a package take turns.
func measurePackage(folder, pkg string, only *regexp.Regexp) ([]*row, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	in := filepath.Join(root, pkg)
	program := filepath.Join(folder, filepath.Base(pkg)+".test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Dir = in
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	names, err := list(program, in)
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, name := range names {
		full := filepath.Base(pkg) + " " + strings.TrimPrefix(name, "Benchmark")
		if only.MatchString(full) {
			rows = append(rows, &row{name: full})
		}
	}
	for range *rounds {
		for _, r := range rows {
			_, name, _ := strings.Cut(r.name, " ")
			if err := errors.Join(r.plain.turn(program, in, name, "plain"), r.stream.turn(program, in, name, "stream")); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// list returns the benchmarks of a test program.
func list(program, in string) ([]string, error) {
	cmd := exec.Command(program, "-test.list", "^Benchmark")
	cmd.Dir = in
	out, err := cmd.Output()
	return strings.Fields(string(out)), err
}

// turn runs one side of a benchmark once.
func (s *side) turn(program, in, name, which string) error {
	cmd := exec.Command(program, "-test.run", "^$", "-test.bench", "^Benchmark"+name+"$/^"+which+"$", "-test.benchtime", span.String())
	cmd.Dir = in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s/%s: %w\n%s", name, which, err, out)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		n, errN := strconv.Atoi(f[1])
		ns, errNS := strconv.ParseFloat(f[2], 64)
		if err := cmp.Or(errN, errNS); err != nil {
			return err
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		s.clock, s.processor = append(s.clock, ns), append(s.processor, float64(used)/float64(n))
		return nil
	}
	return fmt.Errorf("%s has no side called %s", name, which)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
