package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passes are the packages that the Makefile tests in one way or another.
type passes struct {
	core    []string // with forced yields, with and without the race detector
	watched []string // of these, with the race detector alone
	single  *regexp.Regexp
	text    string // of the Makefile
}

// passesOf reads them from the variables of the Makefile.
func passesOf(makefile string) (p passes, err error) {
	folders := func(name string) (list []string) {
		line := regexp.MustCompile(`(?m)^` + name + ` *= (.*)$`).FindString(makefile)
		for _, dir := range regexp.MustCompile(`\./([\w/]+\w)`).FindAllStringSubmatch(line, -1) {
			list = append(list, dir[1])
		}
		return list
	}
	single := regexp.MustCompile(`(?m)^SINGLE *= (.*)$`).FindStringSubmatch(makefile)
	p = passes{core: folders("CORE"), watched: folders("WATCHED"), text: makefile}
	if len(p.core) == 0 || len(p.watched) == 0 || single == nil {
		return p, fmt.Errorf("the Makefile has no CORE, WATCHED or SINGLE: %v", p)
	}
	p.single, err = regexp.Compile(strings.ReplaceAll(single[1], "$$", "$"))
	return p, err
}

// names reports whether the Makefile runs a test by its name.
func (p passes) names(test string) bool {
	return regexp.MustCompile(`\b` + test + `\b`).MatchString(p.text)
}

// always reports whether a package is tested with forced yields only, and whether with the race detector only.
func (p passes) always(dir string) (yields, raced bool) {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(d string) bool { return under(dir, d) })
	}
	if in(p.core) {
		return true, in(p.watched)
	}
	return false, !p.single.MatchString("/" + dir)
}

// The names by which tests ask for forced yields, and for the race detector.
var (
	asksForYields = []string{"chaos.Enabled"}
	asksForRaces  = []string{"nosync.Observed", "raceDetector", "raceEnabled", "raced"}
)

// suffices reports whether e is true as soon as one of names is.
func suffices(e ast.Expr, names []string) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return suffices(e.X, names)
	case *ast.BinaryExpr:
		return e.Op == token.LOR && (suffices(e.X, names) || suffices(e.Y, names))
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && slices.Contains(names, x.Name+"."+e.Sel.Name)
	case *ast.Ident:
		return slices.Contains(names, e.Name)
	}
	return false
}

// skips reports whether a block leaves a test out.
func skips(block *ast.BlockStmt) bool {
	for _, s := range block.List {
		if s, ok := s.(*ast.ExprStmt); ok {
			if call, ok := s.X.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Skip") {
					return true
				}
			}
		}
	}
	return false
}

// unrunFindings are the tests that leave themselves out in every pass over their package. A test that has to do so
// needs a pass of its own, which names it.
func unrunFindings(m *module, p passes) (findings []string) {
	for _, f := range m.files {
		if !f.isTest() {
			continue
		}
		yields, raced := p.always(f.dir())
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || !strings.HasPrefix(fn.Name.Name, "Test") || p.names(fn.Name.Name) {
				continue
			}
			for _, s := range fn.Body.List {
				s, ok := s.(*ast.IfStmt)
				if ok && skips(s.Body) && (yields && suffices(s.Cond, asksForYields) || raced && suffices(s.Cond, asksForRaces)) {
					findings = append(findings, fmt.Sprintf("%s: no pass of make test runs %s", m.at(s.Pos()), fn.Name.Name))
				}
			}
		}
	}
	return findings
}

func thePasses(t *testing.T) passes {
	dir, err := root()
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	require.NoError(t, err)
	p, err := passesOf(string(makefile))
	require.NoError(t, err)
	return p
}

func TestEveryTestIsRun(t *testing.T) { report(t, unrunFindings(load(t), thePasses(t))) }

func TestUnrunFindings(t *testing.T) {
	p := thePasses(t)
	for _, c := range []struct {
		file, condition string
		found           bool
	}{
		{"operators/a_test.go", "chaos.Enabled", true},
		{"operators/a_test.go", "testing.Short() || chaos.Enabled", true},
		{"operators/a_test.go", "!chaos.Enabled", false},
		{"operators/a_test.go", "chaos.Enabled && testing.Short()", false},
		{"operators/a_test.go", "nosync.Observed", true},
		{"sinks/a_test.go", "nosync.Observed", false}, // the other pass runs it
		{"adapt/sse/a_test.go", "nosync.Observed", true},
		{"flux/a_test.go", "(raceDetector)", true},
		{"flux/a_test.go", "chaos.Enabled", false},
		{"proofs/vectors/a_test.go", "nosync.Observed", false},
		{"proofs/vectors/cmd/vectors/a_test.go", "nosync.Observed", false},
	} {
		text := "package p\n\nfunc TestX(t *testing.T) {\n\tif " + c.condition + " {\n\t\tt.Skip()\n\t}\n}\n"
		assert.Equal(t, c.found, len(unrunFindings(madeUp(t, c.file, text), p)) == 1, "%s: %s", c.file, c.condition)
		own := p
		own.text = "go test -run TestX ."
		assert.Empty(t, unrunFindings(madeUp(t, c.file, text), own))
		own.text = "go test -run TestXY ."
		assert.Len(t, unrunFindings(madeUp(t, c.file, text), own), len(unrunFindings(madeUp(t, c.file, text), p)))
	}
	_, err := passesOf("CORE = ./operators\n")
	assert.Error(t, err)
}
