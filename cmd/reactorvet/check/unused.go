package check

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// UnusedStream finds calls whose result is a stream that is thrown away. A function that shall
// panic, given to a call with Panic in its name, is left alone.
var UnusedStream = &analysis.Analyzer{
	Name:     "unusedstream",
	Doc:      "report a Flux or Mono that nobody uses",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(a *analysis.Pass) (any, error) {
		p := newPass(a)
		kinds := []ast.Node{(*ast.ExprStmt)(nil), (*ast.GoStmt)(nil), (*ast.DeferStmt)(nil)}
		for c := range p.in.Root().Preorder(kinds...) {
			var call *ast.CallExpr
			switch s := c.Node().(type) {
			case *ast.ExprStmt:
				call, _ = ast.Unparen(s.X).(*ast.CallExpr)
			case *ast.GoStmt:
				call = s.Call
			case *ast.DeferStmt:
				call = s.Call
			}
			if call == nil {
				continue
			}
			if name, ok := streamName(p.TypesInfo.TypeOf(call)); ok && !p.mayPanic(c) && !p.mayConnect(call) {
				if f := p.callee(call); f != nil && isMethod(f) {
					p.report(call.Pos(), "the %s that %s returns is not used: it changes nothing in the one it is called on, and nothing runs before somebody subscribes", name, f.Name())
				} else {
					p.report(call.Pos(), "the %s that %s returns is not used: nothing runs before somebody subscribes", name, text(call.Fun))
				}
			}
		}
		return nil, nil
	},
}

// mayConnect reports whether a call may start its source by itself: AutoConnect of 0, or of a number that is
// not known here.
func (p *pass) mayConnect(call *ast.CallExpr) bool {
	f := p.callee(call)
	if f == nil || f.Name() != "AutoConnect" || !isMethod(f) || len(call.Args) == 0 {
		return false
	}
	n := p.TypesInfo.Types[call.Args[0]].Value
	return n == nil || constant.Sign(n) == 0
}

// mayPanic reports whether a statement stands in a function that is expected to panic.
func (p *pass) mayPanic(c inspector.Cursor) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		if call, ok := lit.Parent().Node().(*ast.CallExpr); ok && strings.Contains(strings.ToLower(types.ExprString(call.Fun)), "panic") {
			return true
		}
	}
	return false
}
