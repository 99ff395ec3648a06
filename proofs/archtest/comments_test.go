package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// startsWith reports whether the text of a comment begins with a name, as a
// word of its own.
func startsWith(doc *ast.CommentGroup, name string) bool {
	return regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `\b`).MatchString(doc.Text())
}

// commentFindings says which exported names of public packages have no comment,
// or one that does not begin with the name. A group of constants or variables may
// share the comment on the group; what such a group says on single names begins
// with the name again.
func commentFindings(m *module) (findings []string) {
	miss := func(pos token.Pos, what, name string) {
		findings = append(findings, fmt.Sprintf("%s: the comment on %s %s must begin with %q", m.at(pos), what, name, name))
	}
	for _, f := range m.code() {
		if !f.isPublic() {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() || !receiverIsExported(d) {
					continue
				}
				if !startsWith(d.Doc, d.Name.Name) {
					miss(d.Pos(), "func", d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if !s.Name.IsExported() {
							continue
						}
						doc := s.Doc
						if doc == nil && !d.Lparen.IsValid() {
							doc = d.Doc
						}
						if !startsWith(doc, s.Name.Name) {
							miss(s.Pos(), "type", s.Name.Name)
						}
						if i, ok := s.Type.(*ast.InterfaceType); ok {
							for _, method := range i.Methods.List {
								for _, n := range method.Names {
									if n.IsExported() && !startsWith(method.Doc, n.Name) {
										miss(n.Pos(), "method "+s.Name.Name+".", n.Name)
									}
								}
							}
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							switch {
							case !n.IsExported():
							case s.Doc != nil:
								if !startsWith(s.Doc, s.Names[0].Name) {
									miss(n.Pos(), "value", n.Name)
								}
							case d.Lparen.IsValid() && (d.Doc != nil || s.Comment != nil):
							case !startsWith(d.Doc, n.Name):
								miss(n.Pos(), "value", n.Name)
							}
						}
					}
				}
			}
		}
	}
	return findings
}

// receiverIsExported reports whether a function has no receiver or one of an
// exported type.
func receiverIsExported(d *ast.FuncDecl) bool {
	return d.Recv == nil || ast.IsExported(receiver(d))
}

// receiver returns the name of the type that a method belongs to, "" for a
// function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.ParenExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// packageCommentFindings says which packages do not introduce themselves.
func packageCommentFindings(m *module) (findings []string) {
	for dir, files := range m.packages() {
		var docs []string
		name := ""
		for _, f := range files {
			if f.isTest() {
				continue
			}
			name = f.ast.Name.Name
			if f.ast.Doc != nil {
				docs = append(docs, f.ast.Doc.Text())
			}
		}
		switch {
		case len(docs) != 1:
			findings = append(findings, fmt.Sprintf("%s: %d files have a package comment, want 1", dir, len(docs)))
		case name != "main" && !strings.HasPrefix(docs[0], "Package "+name+" "):
			findings = append(findings, fmt.Sprintf("%s: the package comment must begin with \"Package %s\"", dir, name))
		}
	}
	return findings
}

// sentAway matches a comment that sends the reader to package operators for what a method does. An alias may
// name what it stands for.
var sentAway = regexp.MustCompile(`(?i)\bsee\s+\[?operators\.\w+\]?\s+for\b`)

// sentAwayFindings says where flux and mono, the manual, are none.
func sentAwayFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, group := range f.ast.Comments {
			if sentAway.MatchString(group.Text()) {
				findings = append(findings, m.at(group.Pos())+": say here what it does; a reader of go doc does not look in operators")
			}
		}
	}
	return findings
}

func TestTheManualIsInFluxAndMono(t *testing.T) { report(t, sentAwayFindings(load(t))) }

func TestSentAwayFindings(t *testing.T) {
	for src, want := range map[string]int{
		"// F does. See operators.Map for demand, errors\n// and goroutines.\nfunc F() {}": 1,
		"// F does; see\n// [operators.Map] for demand.\nfunc F() {}":                      1,
		"// F is operators.Map.\nfunc F() {}":                                              0,
		"// F has, see [operators.Map]:\nfunc F() {}":                                      0,
		"// F does. See [Map].\nfunc F() {}":                                               0,
	} {
		assert.Lenf(t, sentAwayFindings(madeUp(t, "flux/a.go", "package flux\n\n"+src+"\n")), want, "%s", src)
	}
	assert.Empty(t, sentAwayFindings(madeUp(t, "operators/a.go", "package operators\n\n// F does. See operators.Map for demand.\nfunc F() {}\n")))
}

func TestExportedNamesHaveComments(t *testing.T)   { report(t, commentFindings(load(t))) }
func TestPackagesIntroduceThemselves(t *testing.T) { report(t, packageCommentFindings(load(t))) }
func TestCommentsThatAreRightAreLeftAlone(t *testing.T) {
	assert.Empty(t, commentFindings(madeUp(t, "flux/a.go", `package flux

// A is a type.
type A interface {
	// Do does.
	Do()
	hidden()
}

// The kinds.
const (
	B = iota
	// C: the second.
	C
)

// D is a variable.
var D int

var (
	E int // E too
)

// F does.
func F() {}

// G does.
func (a *H[T]) G() {}

// H is a type.
type H[T any] struct{}

type hidden struct{}

func (hidden) I() {}
func (*hidden) J() {}
`, "internal/x/x.go", "package x\n\nfunc K() {}\n", "flux/x_test.go", "package flux\n\nfunc K() {}\n",
		"examples/x/main.go", "package main\n\nfunc K() {}\n")))
}

func TestCommentFindings(t *testing.T) {
	for _, src := range []string{
		"func A() {}",
		"// Does it.\nfunc A() {}",
		"// Aa does.\nfunc A() {}",
		"type A struct{}",
		"// B is.\ntype A struct{}",
		"// A is.\ntype A struct{}\n\nfunc (A) B() {}",
		"// A is.\ntype A[T any] struct{}\n\nfunc (*A[T]) B() {}",
		"// A is.\ntype A[T, U any] struct{}\n\nfunc (A[T, U]) B() {}",
		"// A is.\ntype A interface{ B() }",
		"// Group.\ntype (\n\tA int\n)",
		"const A = 1",
		"// The answer.\nconst A = 1",
		"var (\n\tA int\n)",
		"// Group.\nvar (\n\t// The answer.\n\tA int\n)",
	} {
		assert.Lenf(t, commentFindings(madeUp(t, "flux/a.go", "package flux\n\n"+src+"\n")), 1, "%s", src)
	}
}

func TestPackageCommentFindings(t *testing.T) {
	assert.Empty(t, packageCommentFindings(madeUp(t,
		"flux/a.go", "// Package flux is.\npackage flux\n", "flux/b.go", "package flux\n",
		"flux/x_test.go", "// Package flux_test is.\npackage flux_test\n",
		"examples/a/main.go", "// A shows.\npackage main\n", "mono/x_test.go", "package mono\n")))
	assert.Len(t, packageCommentFindings(madeUp(t, "flux/a.go", "package flux\n")), 1)
	assert.Len(t, packageCommentFindings(madeUp(t, "flux/a.go", "// Flux is.\npackage flux\n")), 1)
	assert.Len(t, packageCommentFindings(madeUp(t, "examples/a/main.go", "package main\n")), 1)
	assert.Len(t, packageCommentFindings(madeUp(t,
		"flux/a.go", "// Package flux is.\npackage flux\n", "flux/b.go", "// Package flux is.\npackage flux\n")), 1)
}
