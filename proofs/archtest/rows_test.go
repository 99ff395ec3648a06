package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every operator goes through the proofs that are written once for all: those over
// proofs/roster, and the compatibility kit. It does if it has a row; what has none is listed
// here, with the reason.

// withoutStage are the functions of operators that are no stage of the roster, by reason.
var withoutStage = map[string][]string{
	"a source: there is no upstream whose signals could meet those of downstream; the compatibility kit and its own races": {
		"At", "Create", "Cron", "Delay", "Empty", "Error", "ErrorFrom", "ErrorOnRequest", "FromCallable", "FromChan", "FromFunc", "FromFuture",
		"FromOptional", "FromRunnable", "FromSeq", "FromSeq2", "FromSlice", "FromSupplier", "Generate", "GenerateStateless", "Interval",
		"Just", "JustAll", "MonoCreate", "MonoFromChan", "Never", "OnTrigger", "Push", "Range",
	},
	"no stage: hands back its argument, trusted or of another type":             {"As", "From"},
	"SequenceEqualFunc with ==, which the elements of the roster need not have": {"SequenceEqual"},
}

// withoutRow are the functions and methods of flux and mono without a row in the table of the
// compatibility kit, by reason.
var withoutRow = map[string][]string{
	"a terminal operator: the result is no publisher": {
		"Flux.Collect", "Flux.ForEach", "Flux.TryForEach", "Flux.Run", "Flux.All", "Flux.BlockFirst", "Flux.BlockLast", "Flux.ToChan",
		"Flux.SubscribeFunc", "Flux.SubscribeWith", "Mono.Block", "Mono.BlockOptional", "Mono.Run", "Mono.SubscribeFunc", "Mono.SubscribeWith", "Mono.ToFuture",
		"Parallel.SubscribeRails", "Parallel.SubscribeFunc", "Connectable.Connect", "Connectable.ConnectWith",
	},
	"has no elements, of which the kit needs some; Error is what fails in the rows of all sources": {
		"Flux.Empty", "Flux.Never", "Flux.Error", "Flux.ErrorFrom", "Flux.ErrorOnRequest", "Mono.Empty", "Mono.Never", "Mono.Error", "Mono.ErrorFrom",
	},
	"the stage of OnTrigger, with a trigger that fires each second at most: slower than the kit has patience": {"Flux.Cron"},
	"hands over what it wraps": {
		"Flux.Source", "Mono.Source", "Connectable.Source", "Flux.Subscribe", "Mono.Subscribe", "Connectable.Subscribe", "Parallel.Rails",
		"Parallel.Parallelism", "Flux.Key", "Flux.Discarded", "Flux.String", "Mono.String", "Connectable.String", "Parallel.String",
	},
	"the function's own publisher, at assembly": {"Flux.As", "Mono.As", "Parallel.As"},
}

// stagesIn returns the functions of operators that rows of the roster put on their source: called
// with something that has src in it, or handed as they are to a constructor of rows.
func stagesIn(m *module) map[string]bool {
	found := map[string]bool{}
	for _, f := range m.code() {
		if f.dir() != "proofs/roster" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := selected("operators", call.Fun); name != "" && slices.ContainsFunc(call.Args, mentionsSource) {
				found[name] = true
			}
			if fn, ok := call.Fun.(*ast.Ident); ok && slices.Contains([]string{"plain", "calling", "onScheduler", "perSubscription"}, fn.Name) {
				for _, arg := range call.Args {
					if name := selected("operators", arg); name != "" {
						found[name] = true
					}
				}
			}
			return true
		})
	}
	return found
}

// mentionsSource reports whether the source of a row, or what was made of it, is in the expression.
func mentionsSource(e ast.Expr) bool { return mentions(e, "src") }

// selected returns X of pkg.X and pkg.X[…].
func selected(pkg string, e ast.Expr) string {
	switch x := e.(type) {
	case *ast.IndexExpr:
		return selected(pkg, x.X)
	case *ast.IndexListExpr:
		return selected(pkg, x.X)
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Name == pkg {
			return x.Sel.Name
		}
	}
	return ""
}

// selections returns the names that are selected in n: from pkg, or from anything but the
// packages flux and mono if pkg is empty.
func selections(pkg string, n ast.Node) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			id, _ := sel.X.(*ast.Ident)
			if pkg != "" && id != nil && id.Name == pkg || pkg == "" && (id == nil || id.Name != "flux" && id.Name != "mono") {
				found[sel.Sel.Name] = true
			}
		}
		return true
	})
	return found
}

// publishing returns the exported functions of operators that return a publisher.
func publishing(m *module) (names []string) {
	for _, f := range m.code() {
		if f.dir() != "operators" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
				continue
			}
			if strings.HasSuffix(typeName(fn.Type.Results.List[0].Type), "Publisher") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// typeName returns the name of a type, without its package and its arguments.
func typeName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// callingWhole returns the functions of operators with a row of the roster from which the compatibility kit makes
// one of its own.
func callingWhole(m *module) map[string]bool {
	found := map[string]bool{}
	for _, f := range m.code() {
		if f.dir() != "proofs/roster" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 3 {
				return true
			}
			fn, isIdent := call.Fun.(*ast.Ident)
			traits, plain := call.Args[1].(*ast.Ident)
			if isIdent && plain && fn.Name == "calling" && traits.Name == "whole" {
				for name := range selections("operators", call.Args[2]) {
					found[name] = true
				}
			}
			return true
		})
	}
	return found
}

// face is a function or a method of flux or mono.
type face struct {
	method bool
	engine []string // the functions of operators that its body mentions
}

// families are the types whose methods are operators, and the words that rows begin with.
var families = map[string]string{
	"Flux": "Flux", "GroupedFlux": "Flux", "Mono": "Mono", "ParallelFlux": "Parallel", "ConnectableFlux": "Connectable",
}

// facesOf returns the operators of flux and mono by family and name. Functions that return neither
// a Flux nor a Mono, such as options, are none.
func facesOf(m *module) map[string][]face {
	found := map[string][]face{}
	for _, f := range m.code() {
		dir := f.dir()
		if dir != "flux" && dir != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Body == nil {
				continue
			}
			family := map[string]string{"flux": "Flux", "mono": "Mono"}[dir]
			if fn.Recv != nil {
				family = families[typeName(fn.Recv.List[0].Type)]
			} else if fn.Type.Results == nil || families[typeName(fn.Type.Results.List[0].Type)] == "" {
				continue
			}
			if family != "" {
				key := family + "." + fn.Name.Name
				found[key] = append(found[key], face{fn.Recv != nil, slices.Sorted(maps.Keys(selections("operators", fn.Body)))})
			}
		}
	}
	return found
}

// rowsOfKit returns the operators that have a row in the table of the compatibility kit: the first
// word of the row's name, if the row calls what it says.
func rowsOfKit(m *module) map[string]bool {
	found := map[string]bool{}
	for _, f := range m.files {
		if f.dir() != "reactortest/tck" || !f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			fn, isIdent := call.Fun.(*ast.Ident)
			if !ok || lit.Kind != token.STRING || !isIdent || !slices.Contains([]string{"source", "through", "single"}, fn.Name) {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				return true
			}
			name, _, _ := strings.Cut(text, " ")
			family, pkg := "Flux", "flux"
			if prefix, rest, ok := strings.Cut(name, "."); ok {
				family, name = prefix, rest
				if called := selections("", call.Args[1]); called[prefix] {
					found["Flux."+prefix] = true // a method that leads to another type, as in Publish.RefCount
				}
				if prefix == "Publish" || prefix == "Replay" {
					family = "Connectable"
				}
				if prefix == "Mono" {
					pkg = "mono"
				}
			}
			if selections(pkg, call.Args[1])[name] || selections("", call.Args[1])[name] {
				found[family+"."+name] = true
			}
			return true
		})
	}
	return found
}

// rowless compares what there is with what has a row and with what needs none.
func rowless(what string, all []string, has func(string) bool, listed map[string][]string) (findings []string) {
	reasons := map[string]string{}
	for reason, names := range listed {
		for _, name := range names {
			if reasons[name] != "" {
				findings = append(findings, fmt.Sprintf("%s: %s is listed twice", what, name))
			}
			reasons[name] = reason
		}
	}
	for _, name := range all {
		switch {
		case !has(name) && reasons[name] == "":
			findings = append(findings, fmt.Sprintf("%s: %s has no row; add one, or list it in proofs/archtest with the reason", what, name))
		case has(name) && reasons[name] != "":
			findings = append(findings, fmt.Sprintf("%s: %s has a row; it is no longer %q", what, name, reasons[name]))
		}
		delete(reasons, name)
	}
	for name := range reasons {
		findings = append(findings, fmt.Sprintf("%s: %s is listed, but there is no such operator", what, name))
	}
	return findings
}

func rosterFindings(m *module, listed map[string][]string) []string {
	rows := stagesIn(m)
	return rowless("proofs/roster", publishing(m), func(name string) bool { return rows[name] }, listed)
}

// kitFindings takes a function or method without a row for proved if one with a row is made of the
// same functions of operators: Flux and Mono share most of their stages.
func kitFindings(m *module, listed map[string][]string) []string {
	faces, rows := facesOf(m), rowsOfKit(m)
	engines := callingWhole(m)
	for name, list := range faces {
		for _, f := range list {
			if rows[name] && len(f.engine) > 0 {
				engines[strings.Join(f.engine, " ")] = true
			}
		}
	}
	has := func(name string) bool {
		return rows[name] || !slices.ContainsFunc(faces[name], func(f face) bool { return !engines[strings.Join(f.engine, " ")] })
	}
	return rowless("reactortest/tck", slices.Sorted(maps.Keys(faces)), has, listed)
}

func TestEveryOperatorIsInTheRoster(t *testing.T) { report(t, rosterFindings(load(t), withoutStage)) }

func TestEveryOperatorIsInTheKit(t *testing.T) { report(t, kitFindings(load(t), withoutRow)) }

func TestRosterFindings(t *testing.T) {
	m := madeUp(t,
		"operators/a.go", `package operators

func Map[T any](src reactor.Publisher[T]) reactor.Publisher[T]
func Hide[T any](src reactor.Publisher[T]) reactor.Publisher[T]
func Just[T any](v T) reactor.Publisher[T]
func Take[T any](src reactor.Publisher[T]) reactor.Publisher[T]
func Rails[T any](src reactor.Publisher[T]) ParallelPublisher[T]
func Times(n int) TimesOption
func (m *mapper) Publisher() reactor.Publisher[int]
`,
		"proofs/roster/a.go", `package roster

func all[T any]() []Stage[T] {
	return []Stage[T]{
		plain("map", func(src P) P { return operators.Map(src, operators.Just[T]) }),
		plain("hide", operators.Hide[T]),
		plain("other", func(src P) P { return with(src, operators.Take(operators.Just(1))) }),
	}
}
`)
	assert.ElementsMatch(t, []string{
		"proofs/roster: Take has no row; add one, or list it in proofs/archtest with the reason",
		"proofs/roster: Rails has no row; add one, or list it in proofs/archtest with the reason",
		`proofs/roster: Map has a row; it is no longer "none"`,
		"proofs/roster: Gone is listed, but there is no such operator",
	}, rosterFindings(m, map[string][]string{"a source": {"Just"}, "none": {"Map", "Gone"}}))
}

func TestKitFindings(t *testing.T) {
	m := madeUp(t,
		"flux/a.go", `package flux

func Just[T any](v T) Flux[T] { return Flux[T]{operators.Just(v)} }
func (f Flux[T]) Map(fn func(T) T) Flux[T] { return Flux[T]{operators.Map(f.Source(), fn)} }
func (f Flux[T]) Take[F any](n int) F { return F{operators.Take(f.Source(), n)} }
func (f Flux[T]) Run() error { return nil }
func Times(n int) operators.TimesOption { return operators.Times(n) }
`,
		"mono/a.go", `package mono

func (m Mono[T]) Map(fn func(T) T) Mono[T] { return Mono[T]{operators.Map(m.Source(), fn)} }
func (m Mono[T]) Zip() Mono[T] { return Mono[T]{operators.MonoZip(m.Source())} }
`,
		"reactortest/tck/a_test.go", `package tck

var rows = []row{
	source("Just", func(n int) fluxOf { return flux.Just(n) }),
	through("Map twice", func(f fluxOf) fluxOf { return f.Map(same).Map(same) }),
	through("Take", func(f fluxOf) fluxOf { return f.Map(same) }),
}
`)
	assert.ElementsMatch(t, []string{
		"reactortest/tck: Flux.Take has no row; add one, or list it in proofs/archtest with the reason",
		"reactortest/tck: Mono.Zip has no row; add one, or list it in proofs/archtest with the reason",
	}, kitFindings(m, map[string][]string{"terminal": {"Flux.Run"}}))
}
