package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/internal/testkit/cli"
)

const (
	tolerance = 0.03      // of the instructions that were recorded
	elements  = 1_000_000 // that a process handles
	processes = 2         // of each row, of which the smaller count is taken
)

// hops are operators whose elements go to another goroutine.
var hops = []string{"O publishOn", "O publishOn mapped", "O subscribeOn", "O parallel", "O cancelOn"}

// counted are the rows whose instructions are counted: those on one goroutine, or with a hop.
func counted(id string) bool {
	return strings.HasPrefix(id, "O ") && !slices.Contains(hops, id) || id == "P1" || id == "P3" || strings.HasPrefix(id, "P4") || id == "P6a" || id == "P6c" || strings.HasPrefix(id, "P7") || id == "P8" ||
		strings.HasPrefix(id, "P1c") || strings.HasPrefix(id, "P9") && id != "P9 crowd"
}

// counter is a program that counts the instructions of another.
type counter struct {
	name    string
	command []string
	count   *regexp.Regexp // finds the number in what it writes
}

var counters = []counter{
	{"perf", []string{"perf", "stat", "-x,", "-e", "instructions:u", "--"}, regexp.MustCompile(`(?m)^([0-9]+),`)},
	{"valgrind", []string{"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--"}, regexp.MustCompile(`I *refs: *([0-9,]+)`)},
}

// of returns how many instructions a row takes, run a number of times.
func (c counter) of(id string, times int) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args := append(slices.Clone(c.command[1:]), self, "-work", id, "-times", strconv.Itoa(times))
	cmd := exec.Command(c.command[0], args...)
	// Without what comes at times of its own.
	cmd.Env = append(os.Environ(), "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", c.name, err, firstLine(said.String()))
	}
	m := c.count.FindSubmatch(said.Bytes())
	if m == nil {
		return 0, fmt.Errorf("%s does not count instructions here: %s", c.name, firstLine(said.String()))
	}
	return strconv.ParseFloat(strings.ReplaceAll(string(m[1]), ",", ""), 64)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// fewest returns the instructions of a process that runs a row a number of times.
func (c counter) fewest(id string, times int) (least float64, err error) {
	for i := range processes {
		n, err := c.of(id, times)
		if err != nil {
			return 0, err
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least, nil
}

// choose returns the first one that counts on this machine, and why the others do not.
func choose(id string, from []counter) (c counter, why []string) {
	for _, c := range from {
		if _, err := exec.LookPath(c.command[0]); err != nil {
			why = append(why, "there is no "+c.name)
			continue
		}
		if _, err := c.of(id, 0); err != nil {
			why = append(why, err.Error())
			continue
		}
		return c, why
	}
	return counter{}, why
}

// instructions counts and compares, or records.
func instructions(rows []benchmarks.Guarded, o options, out io.Writer) (short int, err error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(g benchmarks.Guarded) bool { return !counted(g.ID) })
	if len(rows) == 0 {
		return 0, nil
	}
	recorded, err := read(instructionsFile, o.write)
	if err != nil {
		return 0, err
	}
	c, why := choose(rows[0].ID, o.counters)
	if c.name == "" && o.write { // who asks for a record must not take the old one for it
		return 0, fmt.Errorf("%s is as it was, nothing counts instructions here (-instructions=false records allocations alone): %s", instructionsFile, strings.Join(why, "; "))
	}
	if c.name == "" {
		fmt.Fprintf(out, "instructions are not counted: %s\n", strings.Join(why, "; "))
		return 0, nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Instructions of an element, by %s, %s %s/%s.\n# `make bench-guard ARGS=-write` writes this.\n", c.name, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	nothing, err := c.fewest(rows[0].ID, 0)
	if err != nil {
		return 0, err
	}
	for _, g := range rows {
		many := elements
		if strings.HasPrefix(g.ID, "O ") { // there are many of them
			many /= 5
		}
		runs := g.Runs(many)
		all, err := c.fewest(g.ID, runs)
		if err != nil {
			return short, err
		}
		got := (all - nothing) / float64(g.Elements(runs))
		fmt.Fprintf(&text, "%s: %.2f\n", g.ID, got)
		word := compare(got, recorded[g.ID])
		if o.write {
			word = "ok"
		}
		if word != "ok" {
			short++
		}
		fmt.Fprintf(out, "%-6s %-20s %.2f instructions%s\n", word, g.ID, got, before(recorded[g.ID]))
	}
	if o.write {
		return 0, cli.Replace(instructionsFile, text.String())
	}
	return short, nil
}

// compare says whether a count is within what was recorded.
func compare(got float64, recorded []float64) string {
	if len(recorded) != 1 || got > recorded[0]*(1+tolerance) {
		return "short"
	}
	return "ok"
}

func before(recorded []float64) string {
	if len(recorded) != 1 {
		return ", not recorded"
	}
	return fmt.Sprintf(", recorded %.2f", recorded[0])
}
