package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rules of docs/naming.md, as far as they can be looked up in the source.

// optionFindings says which functions of flux and mono name an option by a type of operators: it
// needs an alias, under which go doc lists the functions that make it.
func optionFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			ast.Inspect(fn.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(sel.X) == "operators" && strings.HasSuffix(sel.Sel.Name, "Option") {
					findings = append(findings, fmt.Sprintf("%s: %s names operators.%s: use a type of this package", m.at(sel.Pos()), fn.Name.Name, sel.Sel.Name))
				}
				return true
			})
		}
	}
	return findings
}

// countNames are what parameters are called that count something.
var countNames = []string{"n", "count", "times", "size", "index", "capacity", "high", "max", "limit", "parallelism", "i"}

// countFindings says which exported functions take a count that is no int. Demand is none.
func countFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if !slices.Contains([]string{"flux", "mono", "operators", "sinks"}, f.dir()) {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Name.Name == "Request" || !receiverIsExported(fn) {
				continue
			}
			for _, p := range parametersOf(fn) {
				list := []parameter{p}
				if callback, ok := p.typ.(*ast.FuncType); ok && !strings.Contains(fn.Name.Name, "Request") {
					list = parametersOf(&ast.FuncDecl{Type: callback})
				}
				for _, p := range list {
					if typ, ok := p.typ.(*ast.Ident); ok && typ.Name == "int64" && slices.Contains(countNames, p.name) {
						findings = append(findings, fmt.Sprintf("%s: %s counts with an int64, %s", m.at(fn.Pos()), fn.Name.Name, p.name))
					}
				}
			}
		}
	}
	return findings
}

// embeddedFindings says which exported structs of public packages show a type of an internal package.
func embeddedFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if !f.isPublic() {
			continue
		}
		internal := map[string]bool{}
		for _, imp := range f.ast.Imports {
			target, _ := strconv.Unquote(imp.Path.Value)
			if strings.Contains(target, "/internal/") {
				internal[target[strings.LastIndexByte(target, '/')+1:]] = true
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			typ, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range typ.Fields.List {
				shown := len(field.Names) == 0 || slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return n.IsExported() })
				if pkg := packageOf(field.Type); shown && internal[pkg] {
					findings = append(findings, fmt.Sprintf("%s: %s shows a type of the internal package %s", m.at(field.Pos()), spec.Name.Name, pkg))
				}
			}
			return true
		})
	}
	return findings
}

// packageOf returns pkg of pkg.T, *pkg.T and pkg.T[…].
func packageOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return packageOf(x.X)
	case *ast.IndexExpr:
		return packageOf(x.X)
	case *ast.IndexListExpr:
		return packageOf(x.X)
	case *ast.SelectorExpr:
		return fmt.Sprint(x.X)
	}
	return ""
}

// functionName is how an error may begin that names the function, as in "WithBackend: …".
var functionName = regexp.MustCompile(`^[A-Z]\w*: `)

// errorFindings says which errors of public packages begin with a capital.
func errorFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if !f.isPublic() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fmt.Sprint(sel.X, ".", sel.Sel) != "errors.New" && fmt.Sprint(sel.X, ".", sel.Sel) != "fmt.Errorf" {
				return true
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				if first, _ := utf8.DecodeRuneInString(text); unicode.IsUpper(first) && !functionName.MatchString(text) {
					findings = append(findings, fmt.Sprintf("%s: the error %q begins with a capital", m.at(lit.Pos()), text))
				}
			}
			return true
		})
	}
	return findings
}

// factFindings says which functions of flux and mono leave it to operators to say what users have to know
// of demand, errors, cancellation and goroutines.
func factFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && fn.Doc != nil && elsewhere.MatchString(fn.Doc.Text()) {
				findings = append(findings, fmt.Sprintf("%s: the comment on %s refers to operators: say it here", m.at(fn.Pos()), fn.Name.Name))
			}
		}
	}
	return findings
}

var elsewhere = regexp.MustCompile(`[Ss]ee\s\[operators\.`)

func TestFactsStandWithTheMethod(t *testing.T)       { report(t, factFindings(load(t))) }
func TestOptionsAreTypesOfTheirPackage(t *testing.T) { report(t, optionFindings(load(t))) }
func TestCountsAreInts(t *testing.T)                 { report(t, countFindings(load(t))) }
func TestPublicStructsAreWhole(t *testing.T)         { report(t, embeddedFindings(load(t))) }
func TestErrorsBeginSmall(t *testing.T)              { report(t, errorFindings(load(t))) }

func TestNamingFindings(t *testing.T) {
	for src, want := range map[string][4]int{
		"func (f Flux[T]) Take(n int, o ...operators.TakeOption) {}\n":      {1, 0, 0, 0},
		"func On() operators.SchedulerOption { return 0 }\n":                {1, 0, 0, 0},
		"type TakeOption = operators.TakeOption\n":                          {},
		"func Take(n int64) {}\n":                                           {0, 1, 0, 0},
		"func MapIndexed(fn func(i int64, v int)) {}\n":                     {0, 1, 0, 0},
		"func DoOnRequest(fn func(n int64)) {}\nfunc Request(n int64) {}\n": {},
		"type A struct{ protocol.Op }\n":                                    {0, 0, 1, 0},
		"type A struct{ X *protocol.Link }\n":                               {0, 0, 1, 0},
		"type A struct{ x protocol.Link }\ntype b struct{ protocol.Op }\n":  {},
		"var errA = errors.New(\"No\")\n":                                   {0, 0, 0, 1},
		"var errA = errors.New(\"WithTTL: no\")\n":                          {},
		"var errA = fmt.Errorf(\"no: %w\", errB)\n":                         {},
	} {
		m := madeUp(t, "flux/a.go", "package flux\n\nimport \"github.com/goreactor/reactor/internal/protocol\"\n\n"+src)
		assert.Equalf(t, want, [4]int{len(optionFindings(m)), len(countFindings(m)), len(embeddedFindings(m)), len(errorFindings(m))}, "%s", src)
	}
}

func TestFactFindings(t *testing.T) {
	assert.Len(t, factFindings(madeUp(t, "flux/a.go", "package flux\n\n// Map maps.\n//\n// See [operators.Map] for errors.\nfunc Map() {}\n")), 1)
	assert.Empty(t, factFindings(madeUp(t, "flux/a.go", "package flux\n\n// Map maps. Demand passes. [operators.Map] is the same.\nfunc Map() {}\n")))
}

// sayThatTheyAreNew are the words by which the comment of an operator says what the page of names would.
const sayThatTheyAreNew = "Reactor has no such operator."

// namesOf returns the exported functions and methods of flux and mono, but for operators that say themselves
// that Reactor does not have them.
func namesOf(m *module) map[string]bool {
	names := map[string]bool{}
	for _, f := range m.code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && receiverIsExported(fn) &&
				!strings.Contains(strings.Join(strings.Fields(fn.Doc.Text()), " "), sayThatTheyAreNew) {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

func TestNamesOf(t *testing.T) {
	m := madeUp(t, "flux/a.go", "package flux\n\n// A does.\nfunc A() {}\n\n// B does. Project\n// Reactor has no such operator.\nfunc B() {}\n\nfunc C() {}\n")
	assert.Equal(t, map[string]bool{"A": true, "C": true}, namesOf(m))
}

// ruleFindings says which rules of the page name no test that holds them, or one that does not exist.
func ruleFindings(page string, m *module) (findings []string) {
	tests := map[string]bool{}
	for _, f := range m.files {
		if !f.isTest() || f.dir() != "proofs/archtest" && f.dir() != "proofs/apilist" {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				tests[fn.Name.Name] = true
			}
		}
	}
	rules, _, _ := strings.Cut(page, "## Names that differ\n")
	for _, rule := range regexp.MustCompile(`(?m)^\d+\. `).Split(rules, -1)[1:] {
		title, _, _ := strings.Cut(rule, "\n")
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(rule, -1)
		if len(named) == 0 {
			findings = append(findings, "docs/naming.md: no test holds: "+title)
		}
		for _, n := range named {
			if !tests[n[1]] {
				findings = append(findings, "docs/naming.md: there is no "+n[1])
			}
		}
	}
	return findings
}

func TestEachRuleHasItsTest(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(dir, "docs", "naming.md"))
	require.NoError(t, err)
	report(t, ruleFindings(string(page), load(t)))
}

func TestRuleFindings(t *testing.T) {
	m := madeUp(t, "proofs/archtest/a_test.go", "package archtest\n\nfunc TestA() {}\n", "flux/a_test.go", "package flux\n\nfunc TestB() {}\n")
	assert.Equal(t, []string{"docs/naming.md: no test holds: Two", "docs/naming.md: there is no TestB"},
		ruleFindings("# Names\n\n1. One (`TestA`)\n2. Two\n3. Three\n   (`TestB`)\n## Names that differ\n", m))
}

// unlisted are what every publisher has.
var unlisted = []string{"Source", "String", "Subscribe"}

// pageFindings compares the page of names with the names.
func pageFindings(page string, names map[string]bool) (findings []string) {
	rules, table, ok := strings.Cut(page, "## Names that differ\n")
	if !ok || !strings.Contains(rules, "\n9. ") {
		return []string{"docs/naming.md: there are nine rules, then the names that differ"}
	}
	differing, same, _ := strings.Cut(table, "## The same names\n")
	same, _, _ = strings.Cut(same, "## What is not an operator\n")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`([A-Z]\\w*)`").FindAllStringSubmatch(differing, -1) {
		listed[m[1]] = true
	}
	for _, m := range regexp.MustCompile("`([a-z]\\w*)`").FindAllStringSubmatch(same, -1) {
		listed[strings.ToUpper(m[1][:1])+m[1][1:]] = true
	}
	for name := range listed {
		if !names[name] {
			findings = append(findings, "docs/naming.md: there is no "+name)
		}
	}
	for name := range names {
		if !listed[name] && !slices.Contains(unlisted, name) {
			findings = append(findings, "docs/naming.md: "+name+" is missing: add it, or say in its comment: "+sayThatTheyAreNew)
		}
	}
	slices.Sort(findings)
	return findings
}

func TestPageOfNames(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(dir, "docs", "naming.md"))
	require.NoError(t, err)
	names := namesOf(load(t))
	require.Greater(t, len(names), 300)
	report(t, pageFindings(string(page), names))
}

func TestPageFindings(t *testing.T) {
	const head = "1. …\n9. The listing\n## Names that differ\n"
	names := map[string]bool{"Map": true, "Fold": true, "String": true}
	assert.Empty(t, pageFindings(head+"| reduce | `Fold` |\n## The same names\n`map`\n", names))
	assert.Equal(t, []string{"docs/naming.md: Fold is missing: add it, or say in its comment: " + sayThatTheyAreNew, "docs/naming.md: there is no Filter"},
		pageFindings(head+"## The same names\n`map`, `filter`\n", names))
	assert.Len(t, pageFindings("## Names that differ\n", names), 1)
}
