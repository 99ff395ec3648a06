package archtest

import (
	"fmt"
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
)

// plainMethods are the methods of the generic types of flux and mono that have
// no type parameter of their own, with the reason. Every other one must have one:
// a plain method is compiled for every element type that a program uses, called
// or not (docs/decisions/0001-generic-methods.md).
var plainMethods = map[string]string{
	"Subscribe": "makes the type a reactor.Publisher; method values in interfaces can't have type parameters",
	"Source":    "one return statement, called by every other method",
	"String":    "fmt.Stringer",
	"Discarded": "reactor.Discardable",
	"Key":       "accessor of a group: one return statement",
}

// genericFindings says which methods of generic types in flux and mono are plain.
// Unexported ones count: they are compiled just as often.
func genericFindings(m *module) (findings []string) {
	generic := map[string]bool{}
	each := func(fn func(*file, ast.Decl)) {
		for _, f := range m.code() {
			if f.dir() == "flux" || f.dir() == "mono" {
				for _, d := range f.ast.Decls {
					fn(f, d)
				}
			}
		}
	}
	each(func(f *file, d ast.Decl) {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.TypeParams != nil {
					generic[f.dir()+"."+s.Name.Name] = true
				}
			}
		}
	})
	each(func(f *file, d ast.Decl) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !generic[f.dir()+"."+receiver(fn)] || fn.Type.TypeParams != nil || plainMethods[fn.Name.Name] != "" {
			return
		}
		findings = append(findings, fmt.Sprintf("%s: %s.%s.%s needs a type parameter of its own",
			m.at(fn.Pos()), f.dir(), receiver(fn), fn.Name.Name))
	})
	return findings
}

func TestOperatorMethodsAreGeneric(t *testing.T) { report(t, genericFindings(load(t))) }

func TestGenericFindings(t *testing.T) {
	const types = "package flux\n\ntype Flux[T any] struct{}\n\ntype Plain struct{}\n\n"
	for src, want := range map[string]int{
		"func (f Flux[T]) Filter(keep func(T) bool) Flux[T] { return f }":                 1,
		"func (f *Flux[T]) filter() {}":                                                   1,
		"func (f Flux[T]) Filter[F Self[T]](keep func(T) bool) F { return F(f) }":         0,
		"func (f Flux[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {}":     0,
		"func (Plain) Filter() {}":                                                        0,
		"func Filter() {}":                                                                0,
		"func (f Flux[T]) Map[R any](fn func(T) R) Flux[R] { var g Flux[R]; return g }\n": 0,
	} {
		assert.Lenf(t, genericFindings(madeUp(t, "flux/a.go", types+src)), want, "%s", src)
	}
	assert.Empty(t, genericFindings(madeUp(t, "sinks/a.go", "package sinks\n\ntype Many[T any] struct{}\n\nfunc (m Many[T]) Emit(v T) {}\n")),
		"only what users chain is bound by it")
}
