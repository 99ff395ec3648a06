package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logging are the names of methods and functions that log.
var logging = regexp.MustCompile(`(?i)^(say|(log|debug|info|warn|error)(attrs|context)?)$`)

// loggedOf returns the messages that public packages log: string literals that begin with the name of their package.
func loggedOf(m *module) (found []string) {
	for _, f := range m.code() {
		if !f.isPublic() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !logging.MatchString(fun.Sel.Name) {
				return true
			}
			for _, arg := range call.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if s, err := strconv.Unquote(lit.Value); err == nil && strings.HasPrefix(s, f.ast.Name.Name+": ") {
						found = append(found, s)
					}
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestProductionNamesWhatIsLogged(t *testing.T) {
	table := page(t, "docs", "production.md")
	logged := loggedOf(load(t))
	require.Greater(t, len(logged), 10)
	for _, message := range logged {
		_, what, _ := strings.Cut(message, ": ")
		assert.True(t, strings.Contains(table, "`"+message) || strings.Contains(table, "`…: "+what), message)
	}
}

func TestLoggedOf(t *testing.T) {
	assert.Equal(t, []string{"a: b", "a: c"}, loggedOf(madeUp(t,
		"a/a.go", "package a\n\nfunc f() {\n\tslog.Error(\"a: b\", \"a: c\")\n\tslog.WarnContext(ctx, \"other\")\n\tfmt.Errorf(\"a: d\")\n\tslog.Info(m)\n\tlog()\n}\n",
		"a/a_test.go", "package a\n\nfunc g() { slog.Error(\"a: e\") }\n",
		"internal/x/a.go", "package x\n\nfunc f() { slog.Error(\"x: b\") }\n")))
}
