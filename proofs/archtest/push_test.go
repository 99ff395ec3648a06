package archtest

import (
	"fmt"
	"go/ast"
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
	folders := map[string]map[string]*shape{}
	of := func(dir, name string) *shape {
		if folders[dir] == nil {
			folders[dir] = map[string]*shape{}
		}
		if folders[dir][name] == nil {
			folders[dir][name] = &shape{}
		}
		return folders[dir][name]
	}
	for _, f := range m.code() {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					continue
				}
				s := of(f.dir(), typeName(d.Recv.List[0].Type))
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
								s := of(f.dir(), t.Name.Name)
								s.embeds = append(s.embeds, typeName(field.Type))
							}
						}
					}
				}
			}
		}
	}
	for _, types := range folders {
		var inherits func(name string) bool
		inherits = func(name string) bool {
			for _, e := range types[name].embeds {
				if s := types[e]; s != nil && (s.push || inherits(e)) {
					return true
				}
			}
			return false
		}
		for name, s := range types {
			if s.onNext && !s.push && inherits(name) {
				findings = append(findings, fmt.Sprintf("%s: %s has an OnNext of its own and the Push of what it embeds", s.at, name))
			}
		}
	}
	return findings
}

func TestPushIsThatOfOnNext(t *testing.T) { report(t, pushFindings(load(t))) }

func TestPushFindings(t *testing.T) {
	findings := pushFindings(madeUp(t, "operators/a.go", `package operators

type base[T any] struct{}

func (b *base[T]) OnNext(T)     {}
func (b *base[T]) Push() func(T) { return b.OnNext }

type wrong[T any] struct{ base[T] }

func (w *wrong[T]) OnNext(T) {}

type right[T any] struct{ base[T] }

func (r *right[T]) OnNext(T)      {}
func (r *right[T]) Push() func(T) { return r.OnNext }

type same[T any] struct{ *base[T] }
`))
	assert.Len(t, findings, 1)
	assert.Contains(t, findings[0], "wrong has an OnNext of its own")
}
