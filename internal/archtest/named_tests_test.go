package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// untested holds how many operators may lack a test file of their name. Only lower it.
const untested = "testdata/operators-untested.txt"

// withoutNamedTest returns the files of package operators that are called after a
// function of theirs, and have no test file of that name; and how many such files there
// are, and how many have one that sees only what is exported.
func withoutNamedTest(m *module) (missing []string, all, external int) {
	tested, outside := map[string]bool{}, map[string]bool{}
	for _, f := range m.files {
		if f.dir() == "operators" && f.isTest() {
			name := strings.TrimSuffix(filepath.Base(f.path), "_test.go")
			tested[name], outside[name] = true, f.ast.Name.Name == "operators_test"
		}
	}
	for _, f := range m.code() {
		if f.dir() != "operators" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f.path), ".go")
		if !slices.ContainsFunc(f.ast.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Recv == nil && fn.Name.IsExported() && snake(fn.Name.Name) == name
		}) {
			continue
		}
		all++
		if outside[name] {
			external++
		}
		if !tested[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing, all, external
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
	missing, all, external := withoutNamedTest(load(t))
	text, err := os.ReadFile(filepath.FromSlash(untested))
	require.NoError(t, err)
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	assert.Greater(t, all, 100, "operators were found")
	t.Logf("%d of %d operators have a test of their name, %d of them in package operators_test", all-len(missing), all, external)
	switch {
	case len(missing) > most:
		t.Errorf("%d of %d operators have no test of their name, at most %d may lack one:\n\t%s",
			len(missing), all, most, strings.Join(missing, "\n\t"))
	case len(missing) < most:
		t.Logf("only %d of %d operators lack a test of their name; write that number into %s", len(missing), all, untested)
	}
}

func TestOperatorsWithoutTheirTest(t *testing.T) {
	m := madeUp(t,
		"operators/try_map.go", "package operators\n\nfunc TryMap()\n",
		"operators/scan.go", "package operators\n\nfunc Scan()\n",
		"operators/scan_test.go", "package operators\n",
		"operators/filter.go", "package operators\n\nfunc Filter()\n",
		"operators/filter_test.go", "package operators_test\n",
		"operators/sieve.go", "package operators\n\nfunc sieve()\n",
	)
	missing, all, external := withoutNamedTest(m)
	assert.Equal(t, []string{"try_map"}, missing)
	assert.Equal(t, 3, all)
	assert.Equal(t, 1, external)
}
