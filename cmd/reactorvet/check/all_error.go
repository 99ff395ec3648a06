package check

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// AllError finds loops over All that have no name for the error.
var AllError = &analysis.Analyzer{
	Name:     "allerror",
	Doc:      "report a range over All that does not look at the error",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(a *analysis.Pass) (any, error) {
		p := newPass(a)
		for c := range p.in.Root().Preorder((*ast.RangeStmt)(nil)) {
			loop := c.Node().(*ast.RangeStmt)
			pairs := ast.Unparen(loop.X)
			if id, ok := pairs.(*ast.Ident); ok {
				pairs = p.definition(id)
			}
			call, ok := pairs.(*ast.CallExpr)
			if !ok {
				continue
			}
			f := p.callee(call)
			if f == nil || f.Name() != "All" || !isMethod(f) && pathOf(f) != module+"/operators" {
				continue
			}
			if id, ok := loop.Value.(*ast.Ident); loop.Value == nil || ok && id.Name == "_" {
				p.report(loop.Pos(), "the error of %s is not looked at: the stream may have failed, and the loop ends as if it had completed", text(call.Fun))
			}
		}
		return nil, nil
	},
}
