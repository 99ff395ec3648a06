package archtest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded holds, for each package, how many exported functions may lack an
// Example. It only ever shrinks: run the test with -args -examples after adding
// some.
const recorded = "testdata/examples-missing.txt"

var shrink = flag.Bool("examples", false, "lower the numbers in "+recorded+" to what is missing now")

// methodsToo are the packages whose methods need Examples as well: there the
// methods are the operators.
var methodsToo = []string{"flux", "mono"}

// faces are the packages whose Examples show the functions of operators too.
var faces = []string{"flux", "mono", "operators"}

// exempt are methods that implement something of the standard library or of the
// contract; their examples are those of what calls them.
var exempt = []string{"Error", "Unwrap", "Is", "As", "String", "Subscribe", "Source"}

// missingExamples returns, for each public package, the exported functions that
// no Example shows, in order.
func missingExamples(m *module) map[string][]string {
	shown := map[string]map[string]bool{} // package → name after "Example"
	for _, f := range m.files {
		if !f.isTest() {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Example") {
				continue
			}
			if shown[f.dir()] == nil {
				shown[f.dir()] = map[string]bool{}
			}
			shown[f.dir()][exampleOf(fn.Name.Name)] = true
		}
	}
	has := func(dir, name string) bool {
		if shown[dir][name] {
			return true
		}
		if dir != "operators" {
			return false
		}
		// An operator of the engine is shown by the face that delegates to it:
		// MonoZip by mono.Zip, ParallelReduce by the method Reduce of flux.ParallelFlux.
		if shown["mono"][strings.TrimPrefix(name, "Mono")] || shown["mono"]["Mono_"+strings.TrimPrefix(name, "Mono")] ||
			shown["flux"]["ParallelFlux_"+strings.TrimPrefix(name, "Parallel")] {
			return true
		}
		return slices.ContainsFunc(faces, func(face string) bool {
			return shown[face][name] || shown[face]["Flux_"+name] || shown[face]["Mono_"+name] || shown[face]["ConnectableFlux_"+name]
		})
	}
	missing := map[string][]string{}
	for _, f := range m.code() {
		if !f.isPublic() {
			continue
		}
		dir := f.dir()
		missing[dir] = append(missing[dir], []string(nil)...)
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !receiverIsExported(fn) || slices.Contains(exempt, fn.Name.Name) {
				continue
			}
			name := fn.Name.Name
			if typ := receiver(fn); typ != "" {
				if !slices.Contains(methodsToo, dir) {
					continue
				}
				name = typ + "_" + name
			}
			if !has(dir, name) {
				missing[dir] = append(missing[dir], name)
			}
		}
	}
	for dir := range missing {
		slices.Sort(missing[dir])
	}
	return missing
}

// exampleOf returns what the Example function shows: "Flux_Take" for
// ExampleFlux_Take_more. A suffix begins with a small letter.
func exampleOf(fn string) string {
	parts := strings.Split(strings.TrimPrefix(fn, "Example"), "_")
	for i, p := range parts {
		if i > 0 && p != "" && p[0] >= 'a' && p[0] <= 'z' {
			parts = parts[:i]
			break
		}
	}
	return strings.Join(parts, "_")
}

func readRecorded(t *testing.T) map[string]int {
	t.Helper()
	src, err := os.ReadFile(recorded)
	require.NoError(t, err)
	out := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(src))
	for lines.Scan() {
		var dir string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &dir, &n); err == nil {
			out[dir] = n
		}
	}
	require.NoError(t, lines.Err())
	return out
}

func TestEveryFunctionHasAnExample(t *testing.T) {
	missing, allowed := missingExamples(load(t)), readRecorded(t)
	for _, dir := range slices.Sorted(slices.Values(keys(missing))) {
		names, most := missing[dir], allowed[dir]
		switch {
		case len(names) > most:
			t.Errorf("%s: %d functions have no Example, at most %d may lack one:\n\t%s",
				dir, len(names), most, strings.Join(names, "\n\t"))
		case len(names) < most:
			t.Logf("%s: only %d functions lack an Example, not %d any more; record it with -args -examples", dir, len(names), most)
		}
		if len(names) > 0 && len(names) <= most {
			t.Logf("%s: without an Example: %s", dir, strings.Join(names, " "))
		}
	}
	if *shrink {
		var out strings.Builder
		out.WriteString("# Exported functions without an Example, by package. Only lower these numbers.\n")
		for _, dir := range slices.Sorted(slices.Values(keys(missing))) {
			if n := min(len(missing[dir]), allowed[dir]); n > 0 {
				fmt.Fprintf(&out, "%s %d\n", dir, n)
			}
		}
		require.NoError(t, os.WriteFile(filepath.FromSlash(recorded), []byte(out.String()), 0o644))
	}
}

func TestMissingExamples(t *testing.T) {
	m := madeUp(t,
		"flux/flux.go", `package flux

type Flux[T any] struct{}

func (f Flux[T]) Take[F any](n int) F
func (f Flux[T]) Skip[F any](n int) F
func (f Flux[T]) Subscribe()
func Range()
func Just()
func hidden()
`,
		"flux/example_test.go", `package flux_test

func ExampleRange()
func ExampleFlux_Take_more()
`,
		"operators/a.go", "package operators\n\nfunc Take()\nfunc Skip()\nfunc Range()\n",
		"sinks/a.go", "package sinks\n\ntype Many struct{}\n\nfunc (Many) Emit()\nfunc New()\n",
		"sinks/example_test.go", "package sinks_test\n\nfunc ExampleNew()\n",
		path.Join("internal", "x", "x.go"), "package x\n\nfunc X()\n",
	)
	assert.Equal(t, map[string][]string{
		"flux":      {"Flux_Skip", "Just"},
		"operators": {"Skip"},
		"sinks":     nil,
	}, missingExamples(m))
}

func TestExampleOf(t *testing.T) {
	for fn, want := range map[string]string{
		"Example": "", "Example_second": "", "ExampleRange": "Range", "ExampleRange_big": "Range",
		"ExampleFlux_Take": "Flux_Take", "ExampleFlux_Take_more_of_it": "Flux_Take",
	} {
		assert.Equal(t, want, exampleOf(fn), fn)
	}
}
