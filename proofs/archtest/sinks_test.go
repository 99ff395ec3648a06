package archtest

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Sinks are made by methods of specs, and have to have a row each in proofs/roster and in the
// table of the compatibility kit, as operators have.

// sinkWithoutStage are the methods that open sinks which are no stage of the roster, by reason.
var sinkWithoutStage = map[string][]string{
	"has no elements: there is nothing to keep books on": {"Spec.Empty"},
}

// sinksOf returns the methods of specs that open a sink, such as UnicastSpec.OnBackpressureError.
func sinksOf(m *module) (names []string) {
	for _, f := range m.code() {
		if f.dir() != "sinks" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
				continue
			}
			spec, sink := typeName(fn.Recv.List[0].Type), typeName(fn.Type.Results.List[0].Type)
			if strings.HasSuffix(spec, "Spec") && strings.HasSuffix(sink, "Sink") {
				names = append(names, spec+"."+fn.Name.Name)
			}
		}
	}
	return names
}

// opened returns the sinks that files open with the fluent calls of the package, such as
// sinks.Many().Unicast().OnBackpressureError[T]().
func opened(files []*file) map[string]bool {
	found := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fn := call.Fun
			if x, ok := fn.(*ast.IndexExpr); ok {
				fn = x.X
			}
			if sel, ok := fn.(*ast.SelectorExpr); ok && mentions(sel.X, "sinks") {
				found[specOf(sel.X)+"."+sel.Sel.Name] = true
			}
			return true
		})
	}
	return found
}

// specOf returns the type of an expression in front of the last call.
func specOf(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name != "Unsafe" {
			return sel.Sel.Name + "Spec"
		}
	}
	return "Spec"
}

// mentions reports whether e has an identifier of that name in it.
func mentions(e ast.Expr, name string) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			yes = true
		}
		return !yes
	})
	return yes
}

func sinkFindings(m *module, dir string, listed map[string][]string) []string {
	var files []*file
	for _, f := range m.files {
		if f.dir() == dir {
			files = append(files, f)
		}
	}
	rows := opened(files)
	return rowless(dir, sinksOf(m), func(name string) bool { return rows[name] }, listed)
}

func TestEverySinkIsInTheRoster(t *testing.T) {
	report(t, sinkFindings(load(t), "proofs/roster", sinkWithoutStage))
}

func TestEverySinkIsInTheKit(t *testing.T) {
	report(t, sinkFindings(load(t), "reactortest/tck", nil))
}

func TestSinkFindings(t *testing.T) {
	m := madeUp(t,
		"sinks/a.go", `package sinks

func One[T any]() *OneSink[T]
func (s Spec) One[T any]() *OneSink[T]
func (s Spec) Many() ManySpec
func (s Spec) Empty[T any]() *EmptySink[T]
func (u UnicastSpec) Buffer[T any]() *ManySink[T]
func (m MulticastSpec) Buffer[T any]() *ManySink[T]
func (r ReplaySpec) All[T any]() *ManySink[T]
func (s *ManySink[T]) Other() *ManySink[T]
`,
		"proofs/roster/a.go", `package roster

func all[T any]() {
	other.Many().Replay().All[T]()
	sinks.Unsafe().Many().Unicast().Buffer[T]()
	sinks.One[T]()
	sinks.Spec{}.Empty[T]()
}
`)
	assert.ElementsMatch(t, []string{
		"proofs/roster: MulticastSpec.Buffer has no row; add one, or list it in proofs/archtest with the reason",
		"proofs/roster: ReplaySpec.All has no row; add one, or list it in proofs/archtest with the reason",
		`proofs/roster: Spec.Empty has a row; it is no longer "none"`,
		"proofs/roster: ReplaySpec.Gone is listed, but there is no such operator",
	}, sinkFindings(m, "proofs/roster", map[string][]string{"none": {"Spec.Empty", "ReplaySpec.Gone"}}))
}
