package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// report adds up files. It is used by one goroutine at a time.
type report struct {
	root     string
	total    counts
	packages map[string]*counts
	imports  map[string]int
	longest  function
	failed   []file
}

func newReport(root string) *report {
	return &report{root: root, packages: map[string]*counts{}, imports: map[string]int{}}
}

// add adds a file and returns the report.
func (r *report) add(f file) *report {
	if f.err != nil {
		r.failed = append(r.failed, f)
		return r
	}
	r.total.add(f.counts)
	r.of(f.pkg).add(f.counts)
	for _, name := range f.imports {
		r.imports[name]++
	}
	r.found(f.longest)
	return r
}

// merge adds what another report has.
func (r *report) merge(other *report) {
	r.total.add(other.total)
	for pkg, c := range other.packages {
		r.of(pkg).add(*c)
	}
	for name, n := range other.imports {
		r.imports[name] += n
	}
	r.found(other.longest)
	r.failed = append(r.failed, other.failed...)
}

func (r *report) of(pkg string) *counts {
	c := r.packages[pkg]
	if c == nil {
		c = &counts{}
		r.packages[pkg] = c
	}
	return c
}

// found keeps the longest function. Files come in any order; the path decides between
// equals.
func (r *report) found(f function) {
	if f.lines > r.longest.lines || f.lines == r.longest.lines && f.path < r.longest.path {
		r.longest = f
	}
}

func (r *report) print(out io.Writer, top int) {
	fmt.Fprintf(out, "%s\n\n%-32s %7s %9s %9s %11s\n", r.root, "package", "files", "lines", "functions", "identifiers")
	names := slices.SortedFunc(maps.Keys(r.packages), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.packages[b].lines, r.packages[a].lines), cmp.Compare(a, b))
	})
	row := func(name string, c counts) {
		fmt.Fprintf(out, "%-32s %7d %9d %9d %11d\n", name, c.files, c.lines, c.functions, c.identifiers)
	}
	for _, name := range names[:min(top, len(names))] {
		row(name, *r.packages[name])
	}
	row(fmt.Sprintf("all %d packages", len(names)), r.total)

	if r.longest.lines > 0 {
		fmt.Fprintf(out, "\nlongest function: %s, %d lines, in\n  %s\n", r.longest.name, r.longest.lines, r.relative(r.longest.path))
	}
	imports := slices.SortedFunc(maps.Keys(r.imports), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.imports[b], r.imports[a]), cmp.Compare(a, b))
	})
	fmt.Fprint(out, "\nmost imported:\n")
	for _, name := range imports[:min(5, len(imports))] {
		fmt.Fprintf(out, "  %-50s %7d files\n", name, r.imports[name])
	}

	if len(r.failed) > 0 {
		fmt.Fprintf(out, "\n%d not counted:\n", len(r.failed))
		slices.SortFunc(r.failed, func(a, b file) int { return cmp.Compare(a.path, b.path) })
		for _, f := range r.failed[:min(10, len(r.failed))] {
			// The error has the path in it.
			fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(f.err.Error(), r.root+string(filepath.Separator), ""))
		}
		if more := len(r.failed) - 10; more > 0 {
			fmt.Fprintf(out, "  and %d more\n", more)
		}
	}
}

func (r *report) relative(path string) string {
	if rel, err := filepath.Rel(r.root, path); err == nil {
		return rel
	}
	return path
}
