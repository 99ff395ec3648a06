package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// setting is what the package says of a variable that it declares by itself: not as a parameter, a result or
// the variable of a range, which somebody else sets first.
type setting struct {
	values []ast.Expr // that it is set to, nil for those that can't be seen
}

// settingsOf looks at all variables of the package.
func (p *pass) settingsOf() map[types.Object]*setting {
	all := map[types.Object]*setting{}
	declare := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && p.TypesInfo.Defs[id] != nil {
			all[p.TypesInfo.Defs[id]] = &setting{}
		}
	}
	for c := range p.in.Root().Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)) {
		switch s := c.Node().(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				declare(e)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				declare(n)
			}
		}
	}
	set := func(e, value ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if s := all[p.TypesInfo.ObjectOf(id)]; s != nil {
				s.values = append(s.values, value)
			}
		}
	}
	// A call with several results is the value of all of them.
	pairs := func(i int, e ast.Expr, right []ast.Expr) {
		if len(right) > 0 {
			set(e, ast.Unparen(right[min(i, len(right)-1)]))
		}
	}
	for c := range p.in.Root().Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil)) {
		switch s := c.Node().(type) {
		case *ast.AssignStmt:
			for i, e := range s.Lhs {
				pairs(i, e, s.Rhs)
			}
		case *ast.ValueSpec:
			for i, n := range s.Names {
				pairs(i, n, s.Values)
			}
		case *ast.RangeStmt:
			set(s.Key, nil)
			set(s.Value, nil)
		case *ast.UnaryExpr:
			if s.Op == token.AND { // who has the address may set it
				set(s.X, nil)
			}
		}
	}
	return all
}

// definition returns what a variable is set to, nil if that can't be seen or it is set more than once.
func (p *pass) definition(id *ast.Ident) ast.Expr {
	if p.settings == nil {
		p.settings = p.settingsOf()
	}
	if s := p.settings[p.TypesInfo.Uses[id]]; s != nil && len(s.values) == 1 {
		return s.values[0]
	}
	return nil
}
