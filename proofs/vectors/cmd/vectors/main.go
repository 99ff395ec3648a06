// Command vectors runs the golden vectors of a folder against this module and
// reports which of them fail and why. The last line of its output is
// "N passed, M failed"; its exit code is 1 if any failed, and 2 if none ran.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/goreactor/reactor/proofs/vectors"
)

func main() {
	dir := flag.String("dir", "proofs/vectors/testdata", "folder with *.jsonl files")
	run := flag.String("run", "", "regular expression: run only vectors whose id or class matches")
	verbose := flag.Bool("v", false, "show program, expectation and observation of each failing vector")
	tier1 := flag.Bool("tier1", false, "compare signals, life of the source and user-visible events only")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "vectors: unexpected arguments:", flag.Args())
		os.Exit(2)
	}
	pattern, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(2)
	}
	all, err := vectors.Load(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(2)
	}
	all = slices.DeleteFunc(all, func(v *vectors.Vector) bool { return !pattern.MatchString(v.ID) && !pattern.MatchString(v.Class) })
	if len(all) == 0 {
		fmt.Fprintf(os.Stderr, "vectors: -run: no vector in %s matches %q\n", *dir, *run)
		os.Exit(2)
	}
	tier := vectors.Implementation
	if *tier1 {
		tier = vectors.Semantics
	}
	if !report(all, tier, *verbose) {
		os.Exit(1)
	}
}

type tally struct{ passed, missing, failed int }

func report(all []*vectors.Vector, tier vectors.Tier, verbose bool) bool {
	classes := map[string]*tally{}
	var sum tally
	for _, v := range all {
		c := classes[v.Class]
		if c == nil {
			c = &tally{}
			classes[v.Class] = c
		}
		res := vectors.Run(v)
		if res.Passed(tier) {
			c.passed++
			sum.passed++
			continue
		}
		c.failed++
		sum.failed++
		if res.Missing() {
			c.missing++
		}
		if verbose {
			fmt.Println(res.Report())
		} else {
			fmt.Printf("FAILED %s (%s): %s\n", v.ID, v.Class, res.Reason())
		}
	}
	names := make([]string, 0, len(classes))
	width := len("class")
	for name := range classes {
		names = append(names, name)
		width = max(width, len(name))
	}
	slices.Sort(names)
	fmt.Printf("\n%-*s  passed  failed  (of these: operator missing)\n", width, "class")
	for _, name := range names {
		c := classes[name]
		fmt.Printf("%-*s  %6d  %6d  %6d\n", width, name, c.passed, c.failed, c.missing)
	}
	fmt.Printf("\n%d passed, %d failed\n", sum.passed, sum.failed)
	return sum.failed == 0
}
