package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// pushFindings returns the types that have an OnNext of their own, and inherit Push from what they
// embed: a source that takes Push would pass by their OnNext.
func pushFindings(m *module) (findings []string) {
	type shape struct {
		onNext, push bool
		at           string
		embeds       []string
	}
	shapes := map[string]*shape{} // by folder and name
	of := func(key string) *shape {
		if shapes[key] == nil {
			shapes[key] = &shape{}
		}
		return shapes[key]
	}
	for _, f := range m.code() {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					continue
				}
				s := of(f.dir() + "." + typeName(d.Recv.List[0].Type))
				switch d.Name.Name {
				case "OnNext":
					s.onNext, s.at = true, m.at(d.Pos())
				case "Push":
					s.push = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					t, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if body, ok := t.Type.(*ast.StructType); ok {
						for _, field := range body.Fields.List {
							if len(field.Names) == 0 {
								s := of(f.dir() + "." + t.Name.Name)
								s.embeds = append(s.embeds, m.folderOf(f, field.Type)+"."+typeName(field.Type))
							}
						}
					}
				}
			}
		}
	}
	var inherits func(key string) bool
	inherits = func(key string) bool {
		for _, e := range shapes[key].embeds {
			if s := shapes[e]; s != nil && (s.push || inherits(e)) {
				return true
			}
		}
		return false
	}
	for key, s := range shapes {
		if s.onNext && !s.push && inherits(key) {
			findings = append(findings, fmt.Sprintf("%s: %s has an OnNext of its own and the Push of what it embeds", s.at, key))
		}
	}
	return findings
}

// folderOf returns the folder of the package that a type in f is of, "" if that is not one of the module.
func (m *module) folderOf(f *file, e ast.Expr) string {
	switch x := e.(type) {
	case *ast.IndexExpr:
		return m.folderOf(f, x.X)
	case *ast.IndexListExpr:
		return m.folderOf(f, x.X)
	case *ast.StarExpr:
		return m.folderOf(f, x.X)
	case *ast.SelectorExpr:
		name := types.ExprString(x.X)
		for _, imp := range f.ast.Imports {
			target, err := strconv.Unquote(imp.Path.Value)
			if err == nil && path.Base(target) == name && under(target, m.path) {
				return strings.TrimPrefix(strings.TrimPrefix(target, m.path), "/")
			}
		}
		return ""
	}
	return f.dir()
}

func TestPushIsThatOfOnNext(t *testing.T) { report(t, pushFindings(load(t))) }

func TestPushFindings(t *testing.T) {
	findings := pushFindings(madeUp(t, "internal/stage/base/base.go", `package base

type Stage[T any] struct{}

func (b *Stage[T]) OnNext(T)      {}
func (b *Stage[T]) Push() func(T) { return b.OnNext }
`, "operators/a.go", `package operators

import "github.com/goreactor/reactor/internal/stage/base"

type wrong[T any] struct{ base.Stage[T] }

func (w *wrong[T]) OnNext(T) {}

type right[T any] struct{ base.Stage[T] }

func (r *right[T]) OnNext(T)      {}
func (r *right[T]) Push() func(T) { return r.OnNext }

type same[T any] struct{ *base.Stage[T] }

type Stage[T any] struct{ same[T] } // has the name of what is embedded

func (s *Stage[T]) OnNext(T) {}
`))
	assert.Len(t, findings, 2)
	slices.Sort(findings)
	assert.Contains(t, findings[0], "Stage has an OnNext of its own")
	assert.Contains(t, findings[1], "wrong has an OnNext of its own")
}
