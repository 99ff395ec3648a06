package check

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// waits are the methods that wait for the end of a stream, or for its next element.
var waits = map[string]bool{
	"Block": true, "BlockOptional": true, "BlockFirst": true, "BlockLast": true, "Collect": true,
	"ForEach": true, "TryForEach": true, "Run": true, "All": true, "Wait": true,
}

// waiting returns the name of a method of a stream, or of a future, that call waits in.
func (p *pass) waiting(call *ast.CallExpr) (name string, ok bool) {
	f := p.callee(call)
	if f == nil || f.Signature().Recv() == nil || !waits[f.Name()] {
		return "", false
	}
	if isMethod(f) {
		_, isStream := streamName(f.Signature().Results().At(0).Type()) // that of ParallelFlux.Collect, for one
		return f.Name(), !isStream
	}
	recv := f.Signature().Recv().Type()
	if ptr, ok := recv.(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	n, ok := types.Unalias(recv).(*types.Named)
	return f.Name(), ok && n.Obj().Name() == "Future" && pathOf(f) == module+"/operators"
}

// BlockInStage finds calls that wait for a stream in a function that an operator calls.
var BlockInStage = &analysis.Analyzer{
	Name:     "blockinstage",
	Doc:      "report Block and its like in a function that is given to an operator",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(a *analysis.Pass) (any, error) {
		p := newPass(a)
		p.eachStage(func(s stage) {
			if s.worker == mayBlock {
				return
			}
			s.eachCall(func(call *ast.CallExpr) {
				if name, ok := p.waiting(call); ok {
					p.report(call.Pos(), "%s waits in a function of %s, and holds the worker that the stream may need: use FlatMap, or PublishOn(schedulers.BoundedElastic()) before it", name, s.name)
				}
			})
		})
		return nil, nil
	},
}

// BlockOnParallel finds calls that block in a function that runs on a worker that must not.
var BlockOnParallel = &analysis.Analyzer{
	Name:     "blockonparallel",
	Doc:      "report blocking calls in a function that runs on a worker that must not block",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(a *analysis.Pass) (any, error) {
		p := newPass(a)
		look := func(remedy string) func(stage) {
			return func(s stage) {
				if s.worker != mustNotBlock {
					return
				}
				s.eachBlocking(p, func(n ast.Node, what string) {
					p.report(n.Pos(), "%s in a function of %s blocks a worker that must not block (%s): use %s", what, s.name, s.where, remedy)
				})
			}
		}
		p.eachStage(look("PublishOn(schedulers.BoundedElastic()) before it"))
		p.eachSource(look("SubscribeOn(schedulers.BoundedElastic()) behind it"))
		return nil, nil
	},
}
