package rxgo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var quoted = regexp.MustCompile("`(?:[a-z]+\\.)?([A-Z]\\w*)")

// exported returns the functions, methods and types of packages.
func exported(t *testing.T, dirs ...string) map[string]bool {
	names := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					names[fn.Name.Name] = true
				}
			}
		}
	}
	return names
}

// The table of names in the guide has each method of RxGo, and names nothing that does not exist.
func TestNamesInTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/from-rxgo.md")
	require.NoError(t, err)
	_, tables, found := strings.Cut(string(page), "## Sources\n")
	require.True(t, found)
	sources, names, found := strings.Cut(tables, "## Names\n")
	require.True(t, found)
	methods := map[string]bool{}
	for i := range reflect.TypeFor[rx.Observable]().NumMethod() {
		methods[reflect.TypeFor[rx.Observable]().Method(i).Name] = false
	}
	checkNames(t, names, methods)
	functions := map[string]bool{}
	for name := range map[string]any{
		"Amb": rx.Amb, "CombineLatest": rx.CombineLatest, "Concat": rx.Concat, "Create": rx.Create, "Defer": rx.Defer, "Empty": rx.Empty,
		"FromChannel": rx.FromChannel, "FromEventSource": rx.FromEventSource, "Interval": rx.Interval, "Just": rx.Just, "JustItem": rx.JustItem,
		"Merge": rx.Merge, "Never": rx.Never, "Range": rx.Range, "Start": rx.Start, "Thrown": rx.Thrown, "Timer": rx.Timer,
	} {
		functions[name] = false
	}
	checkNames(t, sources, functions)
}

// checkNames looks up the names of a table, and whether each of theirs is in it.
func checkNames(t *testing.T, table string, theirs map[string]bool) {
	here := exported(t, "../../flux", "../../mono", "../../operators", "../../sinks")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			_, exists := theirs[m[1]]
			assert.Truef(t, exists, "RxGo has no %s", m[1])
			theirs[m[1]] = true
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			assert.Truef(t, here[m[1]], "there is no %s here", m[1])
		}
	}
	for name, named := range theirs {
		assert.Truef(t, named, "the page does not name %s of RxGo", name)
	}
}
