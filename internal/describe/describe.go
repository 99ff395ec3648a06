package describe

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/goreactor/reactor/internal/protocol"
)

// mostStages is how many stages Chain names: a chain may be of any length.
const mostStages = 64

// Chain returns prefix and the operators of a chain in the order of the elements, for
// example "range → filter → map", and several sources of one stage as
// "merge(just, range → map)". It reads the types of the publishers, and so costs
// them nothing; what it does not know is shown by its type.
func Chain(prefix string, p any) string {
	left := mostStages
	return prefix + describe(reflect.ValueOf(p), &left)
}

func describe(p reflect.Value, left *int) string {
	var stages []string
	for p = behind(p); p.IsValid(); {
		if *left--; *left < 0 {
			stages = append(stages, "…")
			break
		}
		name, own := stageName(p)
		var sources []reflect.Value
		if own {
			sources = sourcesOf(p)
		}
		p = reflect.Value{}
		switch len(sources) {
		case 0:
		case 1:
			p = behind(sources[0])
		default:
			var parts []string
			for _, s := range sources {
				parts = append(parts, describe(s, left))
			}
			name += "(" + strings.Join(parts, ", ") + ")"
		}
		stages = append(stages, name)
	}
	slices.Reverse(stages)
	return strings.Join(stages, " → ")
}

// behind returns the publisher that an interface, or the checks for a foreign one, stand for.
func behind(p reflect.Value) reflect.Value {
	for {
		for p.Kind() == reflect.Interface {
			p = p.Elem()
		}
		if !p.IsValid() || !strings.HasPrefix(typeOf(p).Name(), "foreign[") || typeOf(p).PkgPath() != ownPackage {
			return p
		}
		p = field(p, "src")
	}
}

var ownPackage = reflect.TypeFor[protocol.Inner]().PkgPath()

// typeOf returns the type of a publisher without its pointer.
func typeOf(p reflect.Value) reflect.Type {
	if t := p.Type(); t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return p.Type()
}

// stageName returns the operator of a publisher, and whether it is one of packages
// operators, stage and internal/stage: only of these the fields are known not to change.
func stageName(p reflect.Value) (name string, own bool) {
	t := typeOf(p)
	name, _, _ = strings.Cut(t.Name(), "[")
	pkg := t.PkgPath()
	switch {
	case strings.HasSuffix(pkg, "reactor/operators"), strings.HasSuffix(pkg, "reactor/stage"), strings.Contains(pkg, "reactor/internal/stage/"):
	case name == "":
		return p.Type().String(), false
	default:
		return path.Base(pkg) + "." + name, false
	}
	for _, where := range [...]string{"op", "operator", "Name"} {
		if op := field(p, where); op.Kind() == reflect.String && op.Len() > 0 {
			return op.String(), true
		}
	}
	for _, suffix := range []string{"Publisher", "Callable", "Source"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch rest := strings.TrimPrefix(name, "mono"); {
	case name == "peek":
		return peekName(field(p, "hooks")), true
	case rest != name && rest != "":
		name = strings.ToLower(rest[:1]) + rest[1:]
	}
	if op, ok := typeOps[name]; ok {
		name = op
	}
	return name, true
}

// typeOps are the operators of publishers whose types are called otherwise.
var typeOps = map[string]string{
	"backpressureBuffer": "onBackpressureBuffer",
	"backpressureDrop":   "onBackpressureDrop",
	"backpressureLatest": "onBackpressureLatest",
	"bufferTTL":          "onBackpressureBufferTimeout",
	"bufferTimeoutFair":  "bufferTimeout",
	"callable":           "fromCallable",
	"chan":               "fromChan",
	"changed":            "distinctUntilChanged",
	"errorFrom":          "error",
	"first":              "firstWithSignal",
	"func":               "fromFunc",
	"future":             "fromFuture",
	"hiddenJust":         "just → hide",
	"sharedMono":         "cache",
	"labelled":           "name",
	"match":              "allMatch",
	"mergeComparingWith": "mergeComparing",
	"parallelGroups":     "groups",
	"parallelRails":      "rails", // of which each has stages of its own
	"parallelReduce":     "reduce",
	"parallelRunOn":      "runOn",
	"parallelSources":    "parallelFrom",
	"repeatSpec":         "repeatWhen",
	"retrySpec":          "retryWhen",
	"runnable":           "fromRunnable",
	"seq":                "fromSeq",
	"slice":              "fromSlice",
	"takeUntilMatch":     "takeUntil",
	"windowTimeoutFair":  "windowTimeout",
	"zipSeq":             "zip",
}

// peekName returns the operator that made a stage with these callbacks.
func peekName(hooks reflect.Value) string {
	for _, h := range [...]struct{ field, op string }{
		{"subscribe", "doOnSubscribe"}, {"request", "doOnRequest"}, {"cancel", "doOnCancel"},
		{"after", "doAfterTerminate"}, {"finally", "doFinally"},
	} {
		if f := field(hooks, h.field); f.IsValid() && !f.IsNil() {
			return h.op
		}
	}
	failed, completed := field(hooks, "err"), field(hooks, "complete")
	switch {
	case !failed.IsValid() || !completed.IsValid():
		return "peek"
	case completed.IsNil():
		return "doOnError"
	case failed.IsNil():
		return "doOnComplete"
	}
	return "doOnTerminate"
}

// sourcesOf returns the publishers that a stage subscribes to by itself.
func sourcesOf(p reflect.Value) []reflect.Value {
	for _, where := range [...]string{"src", "Src", "ParallelPublisher"} {
		if f := field(p, where); isPublisher(f) {
			return []reflect.Value{f}
		}
	}
	f := field(p, "sources")
	if p.Kind() == reflect.Slice {
		f = p
	}
	if f.Kind() != reflect.Slice {
		return nil
	}
	var all []reflect.Value
	for i := range f.Len() {
		all = append(all, f.Index(i))
	}
	return all
}

// isPublisher reports whether f is an interface or a pointer to a struct that is subscribed to, by its rails perhaps.
func isPublisher(f reflect.Value) bool {
	if !f.IsValid() {
		return false
	}
	_, ok := f.Type().MethodByName("Subscribe")
	_, rails := f.Type().MethodByName("SubscribeRails")
	return ok || rails
}

// field returns a field of a struct or of what a pointer points to, the zero Value if there is none.
func field(v reflect.Value, name string) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}
