package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

// Who looks for the test of an operator finds it by the name: the functions that stand in
// operators/<name>.go are tested in operators/<name>_test.go, each by a function Test<Name> or
// Test<Name><What>, which calls it. What has the same body for several numbers of sources, such as
// Zip2 to Zip8, is tested by one, Test<Name>Arities.

// unnamed are the exported functions of operators without a test of their name, with the reason.
var unnamed = map[string]string{}

// operatorFiles returns the files of package operators that are called after a function of
// theirs, and the exported functions of the package that are no options.
func operatorFiles(m *module) (files []string, functions []*ast.FuncDecl) {
	for _, f := range m.code() {
		if f.dir() != "operators" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f.path), ".go")
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			if !isOption(fn) {
				functions = append(functions, fn)
			}
			if snake(fn.Name.Name) == name {
				files = append(files, name)
			}
		}
	}
	return files, functions
}

// untestedFindings says which operators have no test of their name.
func untestedFindings(m *module, reasons map[string]string) (findings []string) {
	files, functions := operatorFiles(m)
	tested := map[string]bool{}
	tests := map[string]map[string]bool{} // what each test mentions
	for _, f := range m.files {
		if f.dir() != "operators" || !f.isTest() {
			continue
		}
		tested[strings.TrimSuffix(filepath.Base(f.path), "_test.go")] = true
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				tests[fn.Name.Name] = identifiers(fn)
			}
		}
	}
	for _, name := range files {
		if !tested[name] {
			findings = append(findings, fmt.Sprintf("operators/%s.go: there is no %s_test.go", name, name))
		}
	}
	owners := ownersOf(slices.Collect(maps.Keys(tests)), functions)
	for _, fn := range functions {
		name := fn.Name.Name
		found := slices.ContainsFunc(owners[name], func(test string) bool { return tests[test][name] }) ||
			tests["Test"+strings.TrimRight(name, "0123456789")+"Arities"][name]
		switch {
		case !found && reasons[name] == "":
			findings = append(findings, fmt.Sprintf("%s: no Test%s calls %s", m.at(fn.Pos()), name, name))
		case found && reasons[name] != "":
			findings = append(findings, fmt.Sprintf("%s: %s has a test of its name", m.at(fn.Pos()), name))
		}
	}
	slices.Sort(findings)
	return findings
}

// ownersOf returns the tests of each function. TestDistinctUntilChanged is one of
// DistinctUntilChanged, not of Distinct.
func ownersOf(tests []string, functions []*ast.FuncDecl) map[string][]string {
	owners := map[string][]string{}
	for _, test := range tests {
		name := ""
		for _, fn := range functions {
			rest, ok := strings.CutPrefix(test, "Test"+fn.Name.Name)
			if ok && len(fn.Name.Name) > len(name) && (rest == "" || !unicode.IsLower([]rune(rest)[0])) {
				name = fn.Name.Name
			}
		}
		owners[name] = append(owners[name], test)
	}
	return owners
}

// identifiers returns the names that are mentioned in n.
func identifiers(n ast.Node) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found[id.Name] = true
		}
		return true
	})
	return found
}

// snake turns TryMap into try_map.
func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

func TestOperatorsHaveATestOfTheirName(t *testing.T) {
	m := load(t)
	files, functions := operatorFiles(m)
	assert.Greater(t, len(files), 200, "operators were found")
	assert.Greater(t, len(functions), 300, "operators were found")
	report(t, untestedFindings(m, unnamed))
}

func TestUntestedFindings(t *testing.T) {
	m := madeUp(t,
		"operators/try_map.go", "package operators\n\nfunc TryMap()\n",
		"operators/scan.go", "package operators\n\nfunc Scan()\nfunc ScanSeed()\nfunc Fold()\nfunc Seed() SeedOption\n",
		"operators/scan_test.go", "package operators\n\nfunc TestScanEmpty() { Scan() }\nfunc TestScanSeed() { x.ScanSeed() }\nfunc TestFold() {}\nfunc TestScanner() {}\n",
		"operators/zip.go", "package operators\n\nfunc Zip()\nfunc Zip2()\nfunc Zip3()\n",
		"operators/zip_test.go", "package operators_test\n\nfunc TestZip() { operators.Zip() }\nfunc TestZipArities() { operators.Zip2() }\n",
		"operators/helper.go", "package operators\n\nfunc sieve()\n",
	)
	const has, file = "operators/scan.go:5", "operators/try_map.go"
	assert.Equal(t, []string{
		has + ": no TestFold calls Fold",
		file + ": there is no try_map_test.go",
		file + ":3: no TestTryMap calls TryMap",
		"operators/zip.go:5: no TestZip3 calls Zip3",
	}, untestedFindings(m, nil))
	assert.Contains(t, untestedFindings(m, map[string]string{"Fold": "…", "Zip": "…"}), "operators/zip.go:3: Zip has a test of its name")
	assert.NotContains(t, untestedFindings(m, map[string]string{"Fold": "…"}), has+": no TestFold calls Fold")
}
