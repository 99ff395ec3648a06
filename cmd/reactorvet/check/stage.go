package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// worker is what a chain says of the goroutine that calls the function of one of its stages.
type worker int

const (
	unknown worker = iota
	mayBlock
	mustNotBlock
)

// stage is an operator with a function.
type stage struct {
	name   string // of the operator
	body   *ast.BlockStmt
	worker worker
	where  string // what says so, for example "PublishOn(schedulers.Parallel())"
}

// eachStage calls fn with each function that is given to a method of a stream that returns a
// stream. Functions that are given to sources may block: they are where the work is.
func (p *pass) eachStage(fn func(stage)) { p.each(isMethod, fn) }

// asked are the sources whose function runs where the stream is subscribed to, or asked for more.
var asked = map[string]bool{
	"FromFunc": true, "FromCallable": true, "FromSupplier": true, "FromRunnable": true, "FromSeq": true, "FromSeq2": true,
	"Generate": true, "GenerateStateless": true, "Create": true, "Push": true, "Defer": true,
}

// eachSource calls fn with each function that is given to a source. It has a worker where the chain says who subscribes.
func (p *pass) eachSource(fn func(stage)) {
	p.each(func(f *types.Func) bool { return isSource(f) && asked[f.Name()] }, fn)
}

func (p *pass) each(of func(*types.Func) bool, fn func(stage)) {
	decls := map[types.Object]*ast.FuncDecl{}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				decls[p.TypesInfo.Defs[d.Name]] = d
			}
		}
	}
	above := map[*ast.CallExpr]*ast.CallExpr{} // the call of the next operator
	for c := range p.in.Root().Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if r, ok := receiver(call).(*ast.CallExpr); ok {
			above[r] = call
		}
		f := p.callee(call)
		if f == nil || !of(f) {
			continue
		}
		if _, ok := streamName(p.TypesInfo.TypeOf(call)); !ok {
			continue
		}
		for _, arg := range call.Args {
			body := p.bodyOf(arg, decls)
			if body == nil {
				continue
			}
			s := stage{name: f.Name(), body: body}
			s.worker, s.where = p.workerOf(call, above)
			fn(s)
		}
	}
}

// bodyOf returns what runs when arg is called, nil if that can't be seen: arg is written out, or
// stands for a function or method of the package, or for a variable that is set once.
func (p *pass) bodyOf(arg ast.Expr, decls map[types.Object]*ast.FuncDecl) *ast.BlockStmt {
	if _, ok := p.TypesInfo.TypeOf(arg).Underlying().(*types.Signature); !ok {
		return nil
	}
	switch x := ast.Unparen(arg).(type) {
	case *ast.FuncLit:
		return x.Body
	case *ast.CallExpr:
		if p.TypesInfo.Types[x.Fun].IsType() { // a conversion
			return p.bodyOf(x.Args[0], decls)
		}
		return nil
	case *ast.Ident:
		if lit, ok := p.definition(x).(*ast.FuncLit); ok {
			return lit.Body
		}
	}
	if f := p.function(arg); f != nil {
		if d := decls[f.Origin()]; d != nil { // the same one for all type arguments
			return d.Body
		}
	}
	return nil
}

// walk visits what runs when the function of the stage is called: not what is started by go, and
// not literals that are given away, which may run elsewhere.
func (s stage) walk(visit func(ast.Node) bool) { walk(s.body, visit) }

func walk(in ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt: // what is called, and what it is called with, is computed here
			walk(n.Call.Fun, visit)
			for _, arg := range n.Call.Args {
				walk(arg, visit)
			}
			return false
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok { // called at once
				walk(lit.Body, visit)
			}
		}
		return n == nil || visit(n)
	})
}

func (s stage) eachCall(fn func(*ast.CallExpr)) {
	s.walk(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fn(call)
		}
		return true
	})
}

// blocking are functions and methods of the standard library that block, by the full name that
// go/types gives them.
var blocking = map[string]bool{
	"time.Sleep":   true,
	"net/http.Get": true, "net/http.Head": true, "net/http.Post": true, "net/http.PostForm": true,
	"(*net/http.Client).Do": true, "(*net/http.Client).Get": true, "(*net/http.Client).Head": true,
	"(*net/http.Client).Post": true, "(*net/http.Client).PostForm": true,
	"(*sync.WaitGroup).Wait": true,
	"(*os/exec.Cmd).Run":     true, "(*os/exec.Cmd).Output": true, "(*os/exec.Cmd).CombinedOutput": true, "(*os/exec.Cmd).Wait": true,
	"net.Dial": true, "net.DialTimeout": true,
}

// eachBlocking calls fn with everything in the function that blocks, and a name for it.
func (s stage) eachBlocking(p *pass, fn func(n ast.Node, what string)) {
	s.walk(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f := p.callee(n); f != nil && blocking[f.Origin().FullName()] {
				fn(n, text(n.Fun))
			}
		case *ast.SelectStmt:
			for _, c := range n.Body.List {
				if c.(*ast.CommClause).Comm == nil {
					return false // it does not wait; its bodies are looked at as little as its cases
				}
			}
			fn(n, "a select without default")
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				fn(n, "a receive from a channel")
			}
		case *ast.RangeStmt:
			if t := p.TypesInfo.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Chan); ok {
					fn(n, "a range over a channel")
				}
			}
		}
		return true
	})
}
