package archtest

import (
	"fmt"
	"go/ast"
	"go/doc"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The grammar of the exported names: what docs/naming.md says of signatures. Each rule is a function from the
// source to findings.

// exported calls fn with each exported function and method of the packages that in says.
func exported(m *module, in func(dir string) bool, fn func(f *file, d *ast.FuncDecl)) {
	for _, f := range m.code() {
		if !f.isPublic() || !in(f.dir()) {
			continue
		}
		for _, decl := range f.ast.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Name.IsExported() && receiverIsExported(d) {
				fn(f, d)
			}
		}
	}
}

// dirs returns whether a folder is one of these; of none, whether it is any.
func dirs(names ...string) func(string) bool {
	return func(dir string) bool { return len(names) == 0 || slices.Contains(names, dir) }
}

// called writes a function as the documentation does.
func called(f *file, d *ast.FuncDecl) string {
	if d.Recv != nil {
		return receiver(d) + "." + d.Name.Name
	}
	return path.Base(f.dir()) + "." + d.Name.Name
}

// results returns the types of the results.
func results(fn *ast.FuncType) (list []ast.Expr) {
	if fn.Results == nil {
		return nil
	}
	for _, field := range fn.Results.List {
		for range max(1, len(field.Names)) {
			list = append(list, field.Type)
		}
	}
	return list
}

func isNamed(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && fmt.Sprint(sel.X) == pkg && sel.Sel.Name == name
}

// Rule 1: go doc lists the functions that make an option under its type.
func looseOptionFindings(m *module) (findings []string) {
	for dir, files := range m.packages() {
		var list []*ast.File
		for _, f := range files {
			if !f.isTest() && f.isPublic() {
				list = append(list, f.ast)
			}
		}
		if len(list) == 0 {
			continue
		}
		// Without AllDecls it would take what is not exported out of the files, which are those of all tests.
		pkg, err := doc.NewFromFiles(m.fset, list, dir, doc.AllDecls|doc.PreserveAST)
		if err != nil {
			findings = append(findings, fmt.Sprintf("%s: %v", dir, err))
			continue
		}
		for _, fn := range pkg.Funcs { // those of a type stand with it
			if r := results(fn.Decl.Type); ast.IsExported(fn.Name) && len(r) == 1 && strings.HasSuffix(typeName(r[0]), "Option") {
				findings = append(findings, fmt.Sprintf("%s: go doc does not list %s under %s", m.at(fn.Decl.Pos()), fn.Name, typeName(r[0])))
			}
		}
	}
	return findings
}

// Rule 2: an option has the same arguments in each package that has it.
func meaningFindings(m *module) (findings []string) {
	first := map[string]string{} // by name: where, and the types of the arguments
	exported(m, dirs(), func(f *file, d *ast.FuncDecl) {
		if !isOption(d) {
			return
		}
		var types []string
		for _, p := range parametersOf(d) {
			types = append(types, qualifier.ReplaceAllString(source(m, p.typ), ""))
		}
		is := strings.Join(types, ", ")
		where, known, ok := strings.Cut(first[d.Name.Name], "(")
		if !ok {
			first[d.Name.Name] = called(f, d) + "(" + is
		} else if known != is {
			findings = append(findings, fmt.Sprintf("%s: %s takes (%s), %s takes (%s)", m.at(d.Pos()), called(f, d), is, where, known))
		}
	})
	return findings
}

var qualifier = regexp.MustCompile(`\b[a-z]\w*\.`)

// Rule 3: what a name that ends like this takes.
var suffixes = map[string]func(d *ast.FuncDecl, p parameter) bool{
	"For": takesTime, "Every": takesTime,
	"Other":   func(_ *ast.FuncDecl, p parameter) bool { return typeName(p.typ) == "Publisher" },
	"Func":    func(_ *ast.FuncDecl, p parameter) bool { return function1(p.typ) != nil },
	"Seed":    func(d *ast.FuncDecl, p parameter) bool { return p == parametersOf(d)[0] && function1(p.typ) == nil },
	"Slice":   func(_ *ast.FuncDecl, p parameter) bool { return isSlice(p.typ) || returnsSlice(p.typ) },
	"Context": takesContext,
	"Or":      takesElement, "OrDefault": takesElement,
	"Fallback": func(_ *ast.FuncDecl, p parameter) bool { return p.name == "fallback" },
}

func function1(e ast.Expr) *ast.FuncType { fn, _ := e.(*ast.FuncType); return fn }

func isSlice(e ast.Expr) bool { _, ok := e.(*ast.ArrayType); return ok }

func returnsSlice(e ast.Expr) bool {
	fn := function1(e)
	return fn != nil && slices.ContainsFunc(results(fn), isSlice)
}

func takesTime(_ *ast.FuncDecl, p parameter) bool {
	fn := function1(p.typ)
	return isNamed(p.typ, "time", "Duration") || fn != nil && slices.ContainsFunc(results(fn), func(e ast.Expr) bool { return isNamed(e, "time", "Duration") })
}

func takesContext(_ *ast.FuncDecl, p parameter) bool {
	fn := function1(p.typ)
	return fn != nil && len(fn.Params.List) > 0 && isNamed(fn.Params.List[0].Type, "context", "Context")
}

func takesElement(_ *ast.FuncDecl, p parameter) bool {
	id, ok := p.typ.(*ast.Ident)
	return ok && id.Name == "T"
}

// otherSuffixes are the names that end so and mean something else, with the reason.
var otherSuffixes = map[string]string{
	"Flux.CollectSlice": "what comes of it",
	"Flux.Or":           "Reactor's name: the word, not the suffix",
	"Mono.Or":           "Reactor's name: the word, not the suffix",
}

func suffixFindings(m *module, except map[string]string) (findings []string) {
	exported(m, dirs("flux", "mono"), func(f *file, d *ast.FuncDecl) {
		for suffix, takes := range suffixes {
			if !strings.HasSuffix(d.Name.Name, suffix) || suffix == "Or" && strings.HasSuffix(d.Name.Name, "For") || except[called(f, d)] != "" {
				continue
			}
			if !slices.ContainsFunc(parametersOf(d), func(p parameter) bool { return takes(d, p) }) {
				findings = append(findings, fmt.Sprintf("%s: %s takes nothing of what names that end in %s do", m.at(d.Pos()), called(f, d), suffix))
			}
		}
	})
	return findings
}

// Rule 3, Try: a function that returns an error besides its result belongs to a method that begins with Try,
// which has a twin without.

// fallible are the functions that take one that returns an error and have another name, by reason.
var fallible = map[string][]string{
	"what makes the element, or fails: there is no twin": {
		"mono.FromCallable", "mono.FromFunc", "mono.FromOptional", "mono.FromRunnable", "flux.ErrorFrom", "mono.ErrorFrom", "flux.FromSeq2", "Flux.FlatMapSeq2",
	},
	"a resource that can't be had, or not be given back": {"flux.Using", "flux.UsingCloser", "mono.Using", "mono.UsingCloser"},
	"an error for an error":                              {"Flux.OnErrorMap", "Mono.OnErrorMap"},
}

// withoutTry are the methods of Mono and ParallelFlux that have no Try… although the one of Flux has it, by reason.
var withoutTry = map[string][]string{
	"the function returns a Mono, and FromCallable makes one of a function that fails": {"Mono.FlatMap"},
	"TransformGroups gives each rail the methods of Flux":                              {"ParallelFlux.Filter", "ParallelFlux.DoOnNext", "ParallelFlux.FlatMap", "ParallelFlux.Reduce"},
}

func listedFor(lists map[string][]string, name string) bool {
	for _, list := range lists {
		if slices.Contains(list, name) {
			return true
		}
	}
	return false
}

func tryFindings(m *module, fallible, withoutTry map[string][]string) (findings []string) {
	all := map[string]*ast.FuncDecl{}
	exported(m, dirs("flux", "mono"), func(f *file, d *ast.FuncDecl) { all[called(f, d)] = d })
	used := map[string]bool{}
	for name, d := range all {
		family, short, _ := strings.Cut(name, ".")
		base, tries := strings.CutPrefix(short, "Try")
		fails := slices.ContainsFunc(parametersOf(d), func(p parameter) bool { return canFail(p.typ) })
		twin := all[family+"."+strings.TrimSuffix(base, "Context")]
		switch {
		case tries && !fails:
			findings = append(findings, fmt.Sprintf("%s: no function that %s takes returns an error", m.at(d.Pos()), name))
		case tries && twin == nil:
			findings = append(findings, fmt.Sprintf("%s: there is no %s.%s", m.at(d.Pos()), family, base))
		case tries && len(parametersOf(twin)) != len(parametersOf(d)):
			findings = append(findings, fmt.Sprintf("%s: %s takes other arguments than %s", m.at(d.Pos()), name, base))
		case !tries && fails && !listedFor(fallible, name):
			findings = append(findings, fmt.Sprintf("%s: a function that %s takes returns an error: Try%s", m.at(d.Pos()), name, short))
		}
		used[name] = used[name] || fails
		if tries && family == "Flux" {
			for _, other := range []string{"Mono", "ParallelFlux"} {
				here, tried := all[other+"."+base], all[other+".Try"+base]
				used[other+"."+base] = used[other+"."+base] || here != nil && tried == nil
				if here != nil && tried == nil && !listedFor(withoutTry, other+"."+base) {
					findings = append(findings, fmt.Sprintf("%s: Flux has Try%s, %s has %s alone", m.at(here.Pos()), base, other, base))
				}
			}
		}
	}
	for _, lists := range []map[string][]string{fallible, withoutTry} {
		for name := range reasonsOf(lists) {
			if !used[name] {
				findings = append(findings, fmt.Sprintf("%s is listed without need", name))
			}
		}
	}
	return findings
}

func reasonsOf(lists map[string][]string) map[string]string {
	reasons := map[string]string{}
	for reason, names := range lists {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	return reasons
}

// canFail reports whether e is a function whose last result is an error, or a sequence with errors.
func canFail(e ast.Expr) bool {
	if fn := function1(e); fn != nil {
		r := results(fn)
		return len(r) > 0 && (isError(r[len(r)-1]) || canFail(r[len(r)-1]))
	}
	seq, ok := e.(*ast.IndexListExpr)
	return ok && typeName(seq.X) == "Seq2" && isError(seq.Indices[1])
}

func isError(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "error" }

// Rule 4: int64 is demand, ticks and counters.
var int64s = map[string]string{
	"Flux.DoOnRequest": "demand", "Mono.DoOnRequest": "demand", "ParallelFlux.DoOnRequest": "demand", "operators.DoOnRequest": "demand",
	"BaseSubscriber.Request": "demand", "FluxSink.OnRequest": "demand", "FluxSink.Requested": "demand",
	"flux.Interval": "ticks", "operators.Interval": "ticks", "mono.Delay": "ticks", "operators.Delay": "ticks",
	"flux.RepeatFrom": "a counter", "mono.RepeatFrom": "a counter", "operators.RepeatFrom": "a counter",
}

func int64Findings(m *module, except map[string]string) (findings []string) {
	used := map[string]bool{}
	exported(m, dirs("flux", "mono", "operators", "sinks"), func(f *file, d *ast.FuncDecl) {
		if !identifiers(d.Type)["int64"] {
			return
		}
		if used[called(f, d)] = true; except[called(f, d)] == "" {
			findings = append(findings, fmt.Sprintf("%s: %s has an int64 that is neither demand nor a tick", m.at(d.Pos()), called(f, d)))
		}
	})
	for name := range except {
		if !used[name] {
			findings = append(findings, name+" is listed without need")
		}
	}
	return findings
}

// Rule 5: an argument is a reactor.Publisher, and type parameters have an order: those of elements and keys, of publishers,
// of the result.
func typeParameterFindings(m *module) (findings []string) {
	exported(m, dirs("flux", "mono"), func(f *file, d *ast.FuncDecl) {
		if d.Type.TypeParams == nil {
			return
		}
		last, publishers := 0, map[string]bool{}
		for _, field := range d.Type.TypeParams.List {
			kind := parameterKind(field.Type)
			for _, name := range field.Names {
				publishers[name.Name] = kind == 1
			}
			if kind < last {
				findings = append(findings, fmt.Sprintf("%s: the type parameter %s of %s stands behind one of another kind", m.at(field.Pos()), field.Names[0].Name, called(f, d)))
			}
			last = kind
		}
		for _, p := range parametersOf(d) {
			if id, ok := p.typ.(*ast.Ident); ok && publishers[id.Name] {
				findings = append(findings, fmt.Sprintf("%s: the argument %s of %s must be a reactor.Publisher", m.at(d.Pos()), p.name, called(f, d)))
			}
		}
	})
	return findings
}

// parameterKind is 0 for elements, keys and results of functions, 1 for publishers, 2 for what the method returns.
func parameterKind(constraint ast.Expr) int {
	switch name := typeName(constraint); {
	case name == "Publisher":
		return 1
	case name == "any" || name == "comparable" || name == "error" || name == "Closer":
		return 0
	default:
		return 2
	}
}

// Rule 6: no exported signature has a type that users can't name.
func hiddenTypeFindings(m *module) (findings []string) {
	exported(m, dirs(), func(f *file, d *ast.FuncDecl) {
		internal := map[string]bool{}
		for _, imp := range f.ast.Imports {
			if p := strings.Trim(imp.Path.Value, `"`); strings.Contains(p, "/internal/") {
				internal[path.Base(p)] = true
			}
		}
		ast.Inspect(d.Type, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && internal[fmt.Sprint(sel.X)] {
				findings = append(findings, fmt.Sprintf("%s: %s has %s.%s in its signature, which is internal", m.at(sel.Pos()), called(f, d), sel.X, sel.Sel))
			}
			return true
		})
	})
	return findings
}

// Rule 7: a function that returns a bool alone reports whether.
func boolFindings(m *module) (findings []string) {
	exported(m, dirs(), func(f *file, d *ast.FuncDecl) {
		r := results(d.Type)
		if len(r) != 1 || fmt.Sprint(r[0]) != "bool" {
			return
		}
		if !reports.MatchString(d.Doc.Text()) {
			findings = append(findings, fmt.Sprintf("%s: the comment on %s must say what it reports: whether …", m.at(d.Pos()), called(f, d)))
		}
	})
	return findings
}

var reports = regexp.MustCompile(`\breports\s+(whether|true|false)\b`)

// Rule 7: who registers a function under a key gets how to remove it, which Reset… with the key does, too.
func registeringFindings(m *module) (findings []string) {
	all := map[string]*ast.FuncDecl{}
	exported(m, dirs(), func(f *file, d *ast.FuncDecl) {
		if d.Recv == nil {
			all[f.dir()+"."+d.Name.Name] = d
		}
	})
	for name, d := range all {
		dir, short, _ := strings.Cut(name, ".")
		params := parametersOf(d)
		if !strings.HasPrefix(short, "On") || len(params) != 2 || params[0].name != "key" || function1(params[1].typ) == nil {
			continue
		}
		if r := results(d.Type); len(r) != 1 || function1(r[0]) == nil {
			findings = append(findings, fmt.Sprintf("%s: %s must return how to remove the function", m.at(d.Pos()), short))
		}
		if reset := all[dir+".Reset"+short]; reset == nil || len(parametersOf(reset)) != 1 {
			findings = append(findings, fmt.Sprintf("%s: there is no Reset%s(key)", m.at(d.Pos()), short))
		}
	}
	return findings
}

// Rule 5: the context comes first, and behind it the source.
func orderFindings(m *module) (findings []string) {
	exported(m, dirs(), func(f *file, d *ast.FuncDecl) {
		params := parametersOf(d)
		for i, p := range params {
			if isNamed(p.typ, "context", "Context") && i > 0 {
				findings = append(findings, fmt.Sprintf("%s: the context of %s must come first", m.at(d.Pos()), called(f, d)))
			}
			first := i == 0 || i == 1 && isNamed(params[0].typ, "context", "Context")
			if f.dir() == "operators" && p.name == "src" && !first {
				findings = append(findings, fmt.Sprintf("%s: the source of %s must come first", m.at(d.Pos()), called(f, d)))
			}
		}
	})
	return findings
}

func TestOptionsAreListedUnderTheirType(t *testing.T) { report(t, looseOptionFindings(load(t))) }
func TestOneWordOneMeaning(t *testing.T)              { report(t, meaningFindings(load(t))) }
func TestSuffixesMeanWhatTheyTake(t *testing.T)       { report(t, suffixFindings(load(t), otherSuffixes)) }
func TestTryIsComplete(t *testing.T)                  { report(t, tryFindings(load(t), fallible, withoutTry)) }
func TestInt64IsDemand(t *testing.T)                  { report(t, int64Findings(load(t), int64s)) }
func TestTypeParametersHaveAnOrder(t *testing.T)      { report(t, typeParameterFindings(load(t))) }
func TestSignaturesHideNothing(t *testing.T)          { report(t, hiddenTypeFindings(load(t))) }
func TestBoolsReportWhether(t *testing.T)             { report(t, boolFindings(load(t))) }
func TestRegisteringCanBeUndone(t *testing.T)         { report(t, registeringFindings(load(t))) }
func TestContextComesFirst(t *testing.T)              { report(t, orderFindings(load(t))) }

// Each of these sources breaks one rule, once; the first of a pair breaks none.
func TestGrammarFindings(t *testing.T) {
	rules := map[string]func(*module) []string{
		"loose":   looseOptionFindings,
		"meaning": meaningFindings,
		"suffix":  func(m *module) []string { return suffixFindings(m, nil) },
		"try":     func(m *module) []string { return tryFindings(m, nil, nil) },
		"int64":   func(m *module) []string { return int64Findings(m, nil) },
		"order":   typeParameterFindings,
		"hidden":  hiddenTypeFindings,
		"bool":    boolFindings,
		"context": orderFindings,
		"on":      registeringFindings,
	}
	for _, c := range []struct{ rule, right, wrong string }{
		{"loose", "type AOption = operators.AOption\n\nfunc A(int) AOption { return 0 }", "func A(int) operators.AOption { return 0 }"},
		{"meaning", "func Capacity(n int) CapacityOption { return 0 }", "func Capacity(n int64) CapacityOption { return 0 }"},
		{"meaning", "func On(s schedulers.Scheduler) OnOption { return 0 }", "func On(s string) OnOption { return 0 }"},
		{"suffix", "func (f Flux[T]) SkipFor(d time.Duration) {}", "func (f Flux[T]) SkipFor(n int) {}"},
		{"suffix", "func (m Mono[T]) CacheFor(ttl func(T) time.Duration) {}", "func (m Mono[T]) CacheFor(ttl func(T) int) {}"},
		{"suffix", "func (f Flux[T]) SampleEvery(d time.Duration) {}", "func (f Flux[T]) SampleEvery(p reactor.Publisher[T]) {}"},
		{"suffix", "func (f Flux[T]) SkipOther(p reactor.Publisher[T]) {}", "func (f Flux[T]) SkipOther(d time.Duration) {}"},
		{"suffix", "func (f Flux[T]) SkipFunc(fn func()) {}", "func (f Flux[T]) SkipFunc(n int) {}"},
		{"suffix", "func (f Flux[T]) ScanSeed(seed T, fn func()) {}", "func (f Flux[T]) ScanSeed(fn func(), seed T) {}"},
		{"suffix", "func ZipSlice[T any](all []T) {}", "func ZipSlice[T any](all ...T) {}"},
		{"suffix", "func (f Flux[T]) MapContext(fn func(context.Context, T)) {}", "func (f Flux[T]) MapContext(fn func(T)) {}"},
		{"suffix", "func (f Flux[T]) LastOr(v T) {}", "func (f Flux[T]) LastOr(fn func()) {}"},
		{"suffix", "func (f Flux[T]) OneOrDefault(v T) {}", "func (f Flux[T]) OneOrDefault() {}"},
		{"suffix", "func (f Flux[T]) TimeoutFallback(fallback int) {}", "func (f Flux[T]) TimeoutFallback(other int) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}", "func (f Flux[T]) Map(fn func(T) (T, error)) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}", "func (f Flux[T]) Map(all iter.Seq2[T, error]) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}\nfunc (f Flux[T]) TryMap(fn func(T) error) {}", "func (f Flux[T]) TryMap(fn func(T) error) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}", "func (f Flux[T]) Map(fn func(T)) {}\nfunc (f Flux[T]) TryMap(fn func(T)) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}", "func (f Flux[T]) Map(fn func(T), n int) {}\nfunc (f Flux[T]) TryMap(fn func(T) error) {}"},
		{"try", "func (f Flux[T]) Map(fn func(T)) {}\nfunc (f Flux[T]) TryMapContext(fn func(T) error) {}", "func (f Flux[T]) TryMapContext(fn func(T) error) {}"},
		{"try", "func (m Mono[T]) Map(fn func(T)) {}", "func (m Mono[T]) Map(fn func(T)) {}\nfunc (f Flux[T]) Map(fn func(T)) {}\nfunc (f Flux[T]) TryMap(fn func(T) error) {}"},
		{"int64", "func Take(n int) {}", "func Take() Mono[int64] { return 0 }"},
		{"order", "func (f Flux[T]) A[R any, P reactor.Publisher[R], F Self[T]](fn func() P) {}", "func (f Flux[T]) A[F Self[T], R any](fn func() R) {}"},
		{"order", "func (f Flux[T]) A[R any](p reactor.Publisher[R]) {}", "func (f Flux[T]) A[R any, P reactor.Publisher[R]](p P) {}"},
		{"order", "func (f Flux[T]) A[K comparable, P reactor.Publisher[K]](all []P) {}", "func (f Flux[T]) A[P reactor.Publisher[K], K comparable](all []P) {}"},
		{"hidden", "func A(l operators.Link) {}", "func A(l protocol.Link) {}"},
		{"hidden", "func a(l protocol.Link) {}", "func (f Flux[T]) A() []*protocol.Link { return nil }"},
		{"bool", "// A reports whether it is.\nfunc A() bool { return true }", "// A is true.\nfunc A() bool { return true }"},
		{"bool", "// A takes it and reports\n// true.\nfunc A() bool { return true }", "func A() bool { return true }"},
		{"on", "func OnA(key string, fn func()) func() { return nil }\nfunc ResetOnA(key string) {}", "func OnA(key string, fn func()) {}\nfunc ResetOnA(key string) {}"},
		{"on", "func OnA(fn func()) AOption { return 0 }", "func OnA(key string, fn func()) func() { return nil }\nfunc ResetOnA() {}"},
		{"context", "func A(ctx context.Context, n int) {}", "func A(n int, ctx context.Context) {}"},
	} {
		const head = "package flux\n\nimport \"github.com/goreactor/reactor/internal/protocol\"\n\nvar _ protocol.Link\n\n"
		other := []string{"sinks/a.go", "package sinks\n\nfunc Capacity(n int) CapacityOption { return 0 }\nfunc On(s Scheduler) OnOption { return 0 }\n"}
		if c.rule != "meaning" {
			other = nil
		}
		assert.Emptyf(t, rules[c.rule](madeUp(t, append(other, "flux/a.go", head+c.right)...)), "%s: %s", c.rule, c.right)
		assert.Lenf(t, rules[c.rule](madeUp(t, append(other, "flux/a.go", head+c.wrong)...)), 1, "%s: %s", c.rule, c.wrong)
	}
	m := madeUp(t, "operators/a.go", "package operators\n\nfunc A(ctx context.Context, src int) {}\nfunc B(n int, src int) {}\n")
	assert.Len(t, orderFindings(m), 1)
	assert.Equal(t, []string{"operators.A is listed without need"}, int64Findings(m, map[string]string{"operators.A": "…"}))
	assert.Equal(t, []string{"flux.A is listed without need"}, tryFindings(m, map[string][]string{"…": {"flux.A"}}, nil))
	assert.Equal(t, []string{"flux.A is listed without need"}, tryFindings(m, nil, map[string][]string{"…": {"flux.A"}}))
}
