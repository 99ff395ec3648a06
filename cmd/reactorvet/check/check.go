// Package check has the analyzers of reactorvet:
//
//   - unusedstream: a Flux or Mono that nobody uses. Nothing runs before somebody subscribes,
//     and an operator does not change the stream that it is called on.
//   - allerror: a range over All that does not look at the error, which is the last pair.
//   - blockinstage: a call that blocks until a stream ends, such as Block, in a function that is
//     given to an operator.
//   - blockonparallel: a call that blocks, such as time.Sleep or a receive from a channel, in a
//     function that is given to an operator or a source and runs on a worker that must not block, as
//     far as the chain says so.
package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzers returns the analyzers.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{UnusedStream, AllError, BlockInStage, BlockOnParallel}
}

const module = "github.com/goreactor/reactor"

// streams are the types of the library that do nothing until they are subscribed to.
var streams = map[string]bool{
	module + "/flux.Flux": true, module + "/flux.GroupedFlux": true, module + "/flux.ParallelFlux": true,
	module + "/flux.ConnectableFlux": true, module + "/mono.Mono": true,
}

// streamName returns "Flux", "Mono" and so on for a type that is one of the streams.
func streamName(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	return n.Obj().Name(), streams[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
}

// pass is what the analyzers share: the files without what is silenced.
type pass struct {
	*analysis.Pass
	in       *inspector.Inspector
	silent   map[lineKey]bool
	settings map[types.Object]*setting // nil until the first definition is looked for
	reported map[finding]bool          // a function may be given to several operators
}

type finding struct {
	pos  token.Pos
	text string
}

type lineKey struct {
	file string
	line int
}

const ignore = "//reactorvet:ignore"

func newPass(p *analysis.Pass) *pass {
	q := &pass{Pass: p, in: p.ResultOf[inspect.Analyzer].(*inspector.Inspector), silent: map[lineKey]bool{}, reported: map[finding]bool{}}
	for _, f := range p.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				reason, ok := strings.CutPrefix(c.Text, ignore)
				if !ok || reason != "" && !strings.ContainsAny(reason[:1], " \t") { // such as ignored, which is another word
					continue
				}
				if strings.TrimSpace(reason) == "" {
					if p.Analyzer.Name == "unusedstream" { // one of them is enough
						p.Reportf(c.Pos(), "%s needs a reason", ignore)
					}
					continue
				}
				q.silence(f, c)
			}
		}
	}
	return q
}

// silence notes that nothing is reported on the line of a comment or, if it stands there alone, in the statement or
// declaration that begins on the next.
func (p *pass) silence(f *ast.File, c *ast.Comment) {
	at := p.Fset.Position(c.Pos())
	p.silent[lineKey{at.Filename, at.Line}] = true
	if p.isBehind(f, c) {
		return
	}
	p.silent[lineKey{at.Filename, at.Line + 1}] = true
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case ast.Stmt, ast.Decl:
			if p.Fset.Position(n.Pos()).Line == at.Line+1 {
				for line := at.Line + 1; line <= p.Fset.Position(n.End()).Line; line++ {
					p.silent[lineKey{at.Filename, line}] = true
				}
			}
		}
		return true
	})
}

// isBehind reports whether there is code before a comment, on its line.
func (p *pass) isBehind(f *ast.File, c *ast.Comment) (is bool) {
	line := p.Fset.Position(c.Pos()).Line
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		for _, end := range []token.Pos{n.Pos(), n.End() - 1} {
			is = is || end < c.Pos() && p.Fset.Position(end).Line == line
		}
		return !is
	})
	return is
}

func (p *pass) report(pos token.Pos, format string, args ...any) {
	at, f := p.Fset.Position(pos), finding{pos, fmt.Sprintf(format, args...)}
	if p.silent[lineKey{at.Filename, at.Line}] || p.reported[f] {
		return
	}
	p.reported[f] = true
	p.Reportf(pos, "%s", f.text)
}

// callee returns the function or method that is called, or nil.
func (p *pass) callee(call *ast.CallExpr) *types.Func { return p.function(call.Fun) }

// function returns the function or method that an expression names, or nil.
func (p *pass) function(e ast.Expr) *types.Func {
	fun := ast.Unparen(e)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		f, _ := p.TypesInfo.Uses[x].(*types.Func)
		return f
	case *ast.SelectorExpr:
		f, _ := p.TypesInfo.Uses[x.Sel].(*types.Func)
		return f
	}
	return nil
}

// receiver returns the expression that a method is called on, or nil.
func receiver(call *ast.CallExpr) ast.Expr {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		return ast.Unparen(s.X)
	}
	return nil
}

// isMethod reports whether f is a method of one of the streams.
func isMethod(f *types.Func) bool {
	sig := f.Signature()
	if sig.Recv() == nil {
		return false
	}
	_, ok := streamName(sig.Recv().Type())
	return ok
}

// pathOf returns the path of the package of f, "" if it has none.
func pathOf(f *types.Func) string {
	if f == nil || f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Path()
}

// text is an expression as a message shows it: not too long.
func text(e ast.Expr) string {
	s := types.ExprString(e)
	if r := []rune(s); len(r) > 40 {
		s = string(r[:20]) + "…" + string(r[len(r)-17:])
	}
	return s
}
