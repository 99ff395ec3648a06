package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A bad argument panics where the chain is put together, not in the goroutine that
// runs it an hour later. So every function, publisher, scheduler and number that an
// exported function of these packages takes must reach a check: one of the checks of
// internal/argument and internal/protocol, a comparison, or a function of these packages that checks it.
var checkedPackages = []string{"operators", "flux", "mono", "sinks", "adapt/bytestream", "adapt/httpstream", "adapt/sse",
	"adapt/sqlstream", "adapt/execstream", "adapt/slogstream", "adapt/osstream"}

// checks are the functions of these two that refuse a bad argument.
var checks = []string{"NotNil", "Positive", "NotNegative", "Prefetch", "Trust", "TrustAll"}

// stageChecks are the arguments that functions of the public kit refuse.
var stageChecks = map[string][]int{"NotNil": {2}, "Positive": {2}, "Upstream": {1}, "Each": {1}, "Choose": {2}}

// uncheckedParameters are those without a check that this rule can see, with the reason.
var uncheckedParameters = map[string]string{
	"operators.As src":                   "a conversion that an operator makes of its own source, checked before",
	"operators.FlatMapSignal onError":    "nil passes the error",
	"operators.FlatMapSignal onComplete": "nil passes the completion",
	"operators.MergeComparingWith src":   "part of a list that is checked",
	"operators.MergeComparingWith other": "part of a list that is checked",
	"operators.SubscribeFunc onNext":     "nil ignores elements",
	"flux.Flux.MergeComparingWith other": "part of a list that is checked",
	"flux.Flux.SubscribeFunc onNext":     "nil ignores elements",
	"mono.Mono.SubscribeFunc onNext":     "nil ignores elements",
}

// function is a function or method by its package and name; methods have their
// receiver's type in front of the name.
type function struct {
	decl *ast.FuncDecl
	dir  string
}

func functionsOf(m *module) map[string]function {
	fns := map[string]function{}
	for _, f := range m.code() {
		if !slices.Contains(checkedPackages, f.dir()) {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				name := fn.Name.Name
				if fn.Recv != nil {
					name = receiver(fn) + "." + name
				}
				fns[f.dir()+"."+name] = function{fn, f.dir()}
			}
		}
	}
	return fns
}

// needsCheck reports whether a parameter of this type can be a bad argument.
func needsCheck(typ ast.Expr) bool {
	switch x := typ.(type) {
	case *ast.FuncType:
		return true
	case *ast.Ident:
		return x.Name == "int" || x.Name == "int64"
	case *ast.Ellipsis:
		_, number := x.Elt.(*ast.Ident)
		return !number && needsCheck(x.Elt)
	case *ast.ArrayType:
		_, number := x.Elt.(*ast.Ident)
		return !number && needsCheck(x.Elt)
	case *ast.SelectorExpr:
		return slices.Contains([]string{"Scheduler", "Trigger", "Executor"}, x.Sel.Name)
	case *ast.IndexExpr:
		return needsCheckGeneric(x.X)
	case *ast.IndexListExpr:
		return needsCheckGeneric(x.X)
	}
	return false
}

func needsCheckGeneric(typ ast.Expr) bool {
	sel, ok := typ.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Publisher", "Seq", "Seq2"}, sel.Sel.Name)
}

// parameter is the name and type of one parameter.
type parameter struct {
	name string
	typ  ast.Expr
}

func parametersOf(fn *ast.FuncDecl) (list []parameter) {
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			list = append(list, parameter{name.Name, field.Type})
		}
		if len(field.Names) == 0 {
			list = append(list, parameter{"_", field.Type})
		}
	}
	return list
}

// checker finds out which parameters reach a check.
type checker struct {
	fns  map[string]function
	seen map[string]bool // "function#index": the answer, or false while it is looked for
}

func (c *checker) checked(name string, index int) bool {
	fn, ok := c.fns[name]
	if !ok {
		return false
	}
	params := parametersOf(fn.decl)
	index = min(index, len(params)-1) // the last may be variadic
	key := fmt.Sprint(name, "#", index)
	if answer, ok := c.seen[key]; ok {
		return answer
	}
	c.seen[key] = false
	c.seen[key] = c.look(fn, params[index].name)
	return c.seen[key]
}

// look searches the body of fn for a check of what is called name there. A loop over
// it, or a conversion of it, goes by another name.
func (c *checker) look(fn function, name string) (found bool) {
	names := []string{name}
	known := func(x ast.Expr) bool {
		for {
			switch y := x.(type) {
			case *ast.Ident:
				return slices.Contains(names, y.Name)
			case *ast.ParenExpr:
				x = y.X
			case *ast.IndexExpr:
				x = y.X
			case *ast.CallExpr: // a conversion
				if len(y.Args) != 1 {
					return false
				}
				x = y.Args[0]
			default:
				return false
			}
		}
	}
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.RangeStmt:
			if v, ok := x.Value.(*ast.Ident); ok && known(x.X) {
				names = append(names, v.Name)
			}
		case *ast.AssignStmt:
			for i, rhs := range x.Rhs {
				if v, ok := x.Lhs[min(i, len(x.Lhs)-1)].(*ast.Ident); ok && known(rhs) {
					names = append(names, v.Name)
				}
			}
		case *ast.BinaryExpr:
			found = found || known(x.X) || known(x.Y)
		case *ast.CallExpr:
			for i, arg := range x.Args {
				found = found || known(arg) && c.refuses(fn.dir, x.Fun, i)
			}
		}
		return !found
	})
	return found
}

// refuses reports whether fun, called in the package dir, checks its argument i.
func (c *checker) refuses(dir string, fun ast.Expr, i int) bool {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		return c.refuses(dir, x.X, i)
	case *ast.IndexListExpr:
		return c.refuses(dir, x.X, i)
	case *ast.Ident:
		return c.checked(dir+"."+x.Name, i)
	case *ast.SelectorExpr:
		pkg, ok := x.X.(*ast.Ident)
		switch {
		case ok && pkg.Name == "protocol" || pkg.Name == "argument":
			return slices.Contains(checks, x.Sel.Name)
		case ok && pkg.Name == "stage":
			return slices.Contains(stageChecks[x.Sel.Name], i)
		case ok && slices.Contains(checkedPackages, pkg.Name):
			return c.checked(pkg.Name+"."+x.Sel.Name, i)
		}
		for _, typ := range []string{"Flux", "Mono", "ParallelFlux"} { // a method of the chain
			if c.checked(dir+"."+typ+"."+x.Sel.Name, i) {
				return true
			}
		}
	}
	return false
}

// isOption reports whether fn makes an option: the operator that gets it refuses what
// is wrong with it, and is named then.
func isOption(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || fn.Type.Results == nil {
		return false
	}
	var name string
	switch x := fn.Type.Results.List[0].Type.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return strings.HasSuffix(name, "Option")
}

func argumentFindings(m *module) (findings []string) {
	c := &checker{fns: functionsOf(m), seen: map[string]bool{}}
	for name, fn := range c.fns {
		if !fn.decl.Name.IsExported() || isOption(fn.decl) || fn.decl.Recv != nil && !strings.Contains("Flux Mono ParallelFlux GroupedFlux", receiver(fn.decl)) {
			continue
		}
		for i, p := range parametersOf(fn.decl) {
			if key := name + " " + p.name; needsCheck(p.typ) && !c.checked(name, i) && uncheckedParameters[key] == "" {
				findings = append(findings, fmt.Sprintf("%s: %s does not check its argument %s", m.at(fn.decl.Pos()), name, p.name))
			}
		}
	}
	slices.Sort(findings)
	return findings
}

func TestArgumentsAreChecked(t *testing.T) { report(t, argumentFindings(load(t))) }

func TestArgumentFindings(t *testing.T) {
	const start = "package operators\n\n"
	for src, want := range map[string]int{
		"func Map(fn func()) { keep(fn) }\n\nfunc keep(fn func()) {}":                                      1,
		"func Map(fn func()) { argument.NotNil(\"map\", \"mapper\", fn) }":                                 0,
		"func Map(fn func()) { newMap(1, fn) }\n\nfunc newMap(n int, f func()) { argument.NotNil(f) }":     0,
		"func Map(fn func()) { a(fn) }\n\nfunc a(f func()) { b(f) }\n\nfunc b(f func()) { a(f) }":          1,
		"func Take(n int) { if n < 0 { panic(n) } }":                                                       0,
		"func Take(n int) { take = n }":                                                                    1,
		"func Zip(all ...reactor.Publisher[int]) { for _, p := range all { protocol.Trust(\"zip\", p) } }": 0,
		"func Zip(all ...reactor.Publisher[int]) { zip = all }":                                            1,
		"func On(s schedulers.Scheduler) { on = s }":                                                       1,
		"func Just(v ...int) { just = v }":                                                                 0,
		"func hidden(fn func()) {}":                                                                        0,
	} {
		assert.Lenf(t, argumentFindings(madeUp(t, "operators/a.go", start+src)), want, "%s", src)
	}
}
