package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/printer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A type of operators that flux and mono pass on is an alias there, since its methods are
// written once and its values pass between the packages. But go doc shows an alias without
// methods. So the comment of each alias lists them: run the test with -args -aliases to
// write the lists.
var writeAliases = flag.Bool("aliases", false, "write the methods of aliases into their comments")

// listed is where the list in a comment begins.
const listed = "// It has, see [operators."

// alias is one type that is passed on.
type alias struct {
	file *file
	decl *ast.GenDecl
	name string // here
	of   string // in operators
	list []string
}

// aliasesOf returns the aliases of flux and mono for types of operators that have exported
// methods or fields.
func aliasesOf(m *module) (all []alias) {
	for _, f := range m.code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || len(g.Specs) != 1 {
				continue
			}
			s, ok := g.Specs[0].(*ast.TypeSpec)
			if !ok || !s.Assign.IsValid() || !s.Name.IsExported() {
				continue
			}
			typ := s.Type
			if x, ok := typ.(*ast.IndexExpr); ok {
				typ = x.X
			}
			sel, ok := typ.(*ast.SelectorExpr)
			if !ok || fmt.Sprint(sel.X) != "operators" {
				continue
			}
			a := alias{file: f, decl: g, name: s.Name.Name, of: sel.Sel.Name}
			if a.list = membersOf(m, a); len(a.list) > 0 {
				all = append(all, a)
			}
		}
	}
	return all
}

// membersOf returns the exported fields and methods of the type behind an alias, as go doc
// writes them.
func membersOf(m *module, a alias) (list []string) {
	for _, f := range m.code() {
		if f.dir() != "operators" {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok || s.Name.Name != a.of {
						continue
					}
					if typ, ok := s.Type.(*ast.StructType); ok {
						list = append(fieldsOf(m, typ), list...)
					}
				}
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiver(d) == a.of && d.Name.Name != "String" {
					text := strings.TrimPrefix(source(m, &ast.FuncDecl{Name: d.Name, Type: d.Type}), "func ")
					list = append(list, strings.ReplaceAll(text, a.of, a.name))
				}
			}
		}
	}
	return list
}

func fieldsOf(m *module, typ *ast.StructType) (list []string) {
	for _, field := range typ.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				list = append(list, name.Name+" "+source(m, field.Type))
			}
		}
	}
	return list
}

func source(m *module, n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, m.fset, n); err != nil {
		panic(err)
	}
	return b.String()
}

// text is the list as a comment.
func (a alias) text() string {
	return listed + a.of + "]:\n//\n//\t" + strings.Join(a.list, "\n//\t") + "\n"
}

// comment returns the comment of the alias as it is in the source.
func (a alias) comment(m *module) string {
	if a.decl.Doc == nil {
		return ""
	}
	return string(a.file.src[m.fset.Position(a.decl.Doc.Pos()).Offset:m.fset.Position(a.decl.Pos()).Offset])
}

func aliasFindings(m *module) (findings []string) {
	for _, a := range aliasesOf(m) {
		if !strings.HasSuffix(a.comment(m), "//\n"+a.text()) {
			findings = append(findings, fmt.Sprintf("%s: the comment of %s must end in what it has: go test ./proofs/archtest -args -aliases",
				m.at(a.decl.Pos()), a.name))
		}
	}
	return findings
}

func TestAliasesShowWhatTheyHave(t *testing.T) {
	m := load(t)
	if *writeAliases {
		dir, err := root()
		require.NoError(t, err)
		changed := map[*file]string{}
		for _, a := range aliasesOf(m) {
			src, ok := changed[a.file]
			if !ok {
				src = string(a.file.src)
			}
			old := a.comment(m)
			words, _, _ := strings.Cut(old, "//\n"+listed)
			changed[a.file] = strings.Replace(src, old, words+"//\n"+a.text(), 1)
		}
		for f, src := range changed {
			require.NoError(t, os.WriteFile(filepath.Join(dir, f.path), []byte(src), 0o644))
		}
		return
	}
	report(t, aliasFindings(m))
}

func TestAliasFindings(t *testing.T) {
	m := func(comment string) *module {
		m := madeUp(t, "flux/a.go", "package flux\n\nimport \"x/operators\"\n\n"+comment+"type Sink[T any] = operators.FluxSink[T]\n")
		require.NoError(t, m.add("operators/sink.go", []byte("package operators\n\ntype FluxSink[T any] struct{ Open bool; core int }\n\n"+
			"func (s *FluxSink[T]) Next(v T) {}\nfunc (s *FluxSink[T]) With(n int) *FluxSink[T] { return s }\nfunc (s *FluxSink[T]) reset() {}\n"+
			"func (s *FluxSink[T]) String() string { return \"\" }\n")))
		return m
	}
	const all = "// Sink is where elements go.\n//\n// It has, see [operators.FluxSink]:\n//\n//\tOpen bool\n//\tNext(v T)\n//\tWith(n int) *Sink[T]\n"
	assert.Empty(t, aliasFindings(m(all)))
	assert.Len(t, aliasFindings(m("// Sink is where elements go.\n")), 1)
	assert.Len(t, aliasFindings(m(strings.Replace(all, "//\tNext(v T)\n", "", 1))), 1)
	assert.Len(t, aliasFindings(m(strings.Replace(all, "Next(v T)", "Next(v int)", 1))), 1)
}
