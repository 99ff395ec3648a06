package failure

import (
	"path"
	"runtime"
	"strings"
	"sync"
	"unicode"

	"github.com/goreactor/reactor"
)

// failedOp finds the operator whose function failed, from a function that was
// deferred: on the stack, the innermost frame of an operator below the panic, or
// below the end of the goroutine. It costs something only where something failed.
func failedOp() string {
	for size := 64; ; size *= 4 {
		pcs := make([]uintptr, size)
		n := runtime.Callers(2, pcs)
		if op, ok := opOf(runtime.CallersFrames(pcs[:n])); ok || n < size {
			return op
		}
	}
}

func opOf(frames *runtime.Frames) (op string, ok bool) {
	failing := false
	for {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			failing = failing || strings.HasPrefix(f.Function, "runtime.gopanic") || f.Function == "runtime.Goexit"
		case failing:
			if op := frameOp(f.Function, f.File); op != "" {
				return op, true
			}
		}
		if !more {
			return "", false
		}
	}
}

const operatorsPackage = "goreactor/reactor/operators."

// frameOp returns the operator that a frame belongs to, "" if it belongs to none or
// does not tell.
func frameOp(function, file string) string {
	_, name, ok := strings.Cut(function, operatorsPackage)
	switch {
	case !ok:
		if op := faceOp(function, file); op != "" {
			return op
		}
		return namedOp(function)
	case strings.HasSuffix(file, "_test.go"):
		return ""
	}
	if op := exportedOp(name); op != "" {
		return op
	}
	if i := strings.IndexAny(name, "[."); i > 0 && helpers[name[:i]] {
		return ""
	}
	file = strings.TrimSuffix(path.Base(file), ".go")
	if op, ok := fileOps[file]; ok {
		return op
	}
	return camel(file)
}

const modulePackages = "goreactor/reactor/"

// faceOps are the operators of flux and mono that are made of one with another name, by the functions that call
// those of the user; and one whose function is called by what a source that hands over its elements in a loop
// calls: the next frame out is that of the source.
var faceOps = map[string]string{
	"internal/stage/pending.(*Buffer).Folding": "reduce",

	"flux.Flux.TransformDeferred":        "transformDeferred",
	"flux.Flux.TransformDeferredContext": "transformDeferredContext",
	"flux.Flux.Dematerialize":            "dematerialize",
	"flux.ParallelFlux.Collect":          "collect",
	"flux.ParallelFlux.ReduceWith":       "reduceWith",
	"flux.ParallelFlux.TransformGroups":  "transformGroups",
	"mono.Mono.Dematerialize":            "dematerialize",
	"mono.Mono.TransformDeferred":        "transformDeferred",
	"mono.Mono.TransformDeferredContext": "transformDeferredContext",
}

// faceOp returns the operator that the user has written, if the frame is that of a function literal that calls a
// function of theirs for one that has another name: in faceOps, and in an adapter, whose functions are its operators.
func faceOp(function, file string) string {
	_, name, ok := strings.Cut(function, modulePackages)
	if !ok || strings.HasSuffix(file, "_test.go") {
		return ""
	}
	name, _, literal := strings.Cut(strings.ReplaceAll(name, "[...]", ""), ".func")
	if !literal {
		return ""
	}
	if op, ok := faceOps[name]; ok {
		return op
	}
	adapter, ok := strings.CutPrefix(name, "adapt/")
	pkg, fn, _ := strings.Cut(adapter, ".")
	if !ok || fn == "" || !unicode.IsUpper(rune(fn[0])) {
		return "" // a function that several operators share, or a method
	}
	return pkg + "." + strings.ToLower(fn[:1]) + fn[1:]
}

// named are the operators of other packages, by the types that define them: "example.com/own.pairwise". No sync.Map: its trie would be
// compiled for this package alone, half of what there is to compile.
var named = struct {
	mu sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// NameOperator says that the methods of the type typeName in the package pkgPath are those of the
// operator called op.
func NameOperator(pkgPath, typeName, op string) {
	slash := strings.LastIndexByte(pkgPath, '/') + 1
	// The linker escapes the dots of the last element, so that the first one ends it.
	pkg := pkgPath[:slash] + strings.ReplaceAll(pkgPath[slash:], ".", "%2e")
	named.mu.Lock()
	defer named.mu.Unlock()
	named.of[pkg+"."+typeName] = op
}

// namedOp returns the operator of a frame such as "example.com/own.(*pairwise[...]).Step.func1".
func namedOp(function string) string {
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/') + 1
	pkg, rest, _ := strings.Cut(function[slash:], ".")
	rest = strings.TrimPrefix(rest, "(*")
	if end := strings.IndexAny(rest, ".)"); end >= 0 {
		rest = rest[:end]
	}
	named.mu.Lock()
	defer named.mu.Unlock()
	return named.of[function[:slash]+pkg+"."+rest]
}

// exportedOp returns the operator whose exported function, or a function literal in
// it, is called name, for example "CollectMap[...].func2".
func exportedOp(name string) string {
	end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(name)
	}
	name, rest := name[:end], strings.TrimPrefix(name[end:], "[...]")
	if end == 0 || !unicode.IsUpper(rune(name[0])) || rest != "" && !strings.HasPrefix(rest, ".func") {
		return "" // a method, or a function that several operators share
	}
	if op, ok := functionOps[name]; ok {
		return op
	}
	name = strings.TrimPrefix(name, "Mono")
	if !strings.Contains(name, "Seq") {
		name = strings.TrimRight(name, "2345678") // the number of sources
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// camel turns a file name such as "on_error_resume" into the operator's name,
// "onErrorResume".
func camel(name string) string {
	parts := strings.Split(strings.TrimPrefix(name, "mono_"), "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// functionOps are the operators whose functions have other names: variants of one.
var functionOps = map[string]string{
	"BufferUntilChangedFunc": "bufferUntilChanged",
	"WindowUntilChangedFunc": "windowUntilChanged",
	"DistinctIn":             "distinct",
	"ErrorFrom":              "error",
	"GenerateStateless":      "generate",
	"GroupByMap":             "groupBy",
	"ParallelGroups":         "groups",
	"ParallelOrdered":        "ordered",
	"ParallelSorted":         "sorted",
	"SubscribeFunc":          "subscribe",
	"TimeoutWhenFallback":    "timeout",
	"ZipSeq":                 "zip",
}

// fileOps are the operators of files that are not called after one. "" means that
// the frame does not tell: the file serves several operators, and one of them is
// further out on the stack.
var fileOps = map[string]string{
	"base_subscriber":       "subscribe",
	"companion":             "",
	"concat_map_inner":      "concatMap",
	"connectable":           "autoConnect",
	"error_filter":          "",
	"error_from":            "error",
	"pending":               "",
	"backoff":               "",
	"match":                 "anyMatch",
	"mono_cache":            "cacheFor",
	"mono_shared":           "cacheInvalidateIf",
	"parallel_groups":       "groups",
	"backoff_settings":      "",
	"repeat_spec":           "",
	"retry_spec":            "",
	"sorted":                "",
	"sink_core":             "create",
	"sink_disposal":         "create",
	"subscribe_func":        "subscribe",
	"subscribe_with":        "subscribe",
	"switch_map_queued":     "switchMap",
	"using_when_subscriber": "usingWhen",
	"window_overlap":        "window",
	"window_timeout_fair":   "windowTimeout",
}

// helpers are functions that several operators call, in the file of one of them.
var helpers = map[string]bool{"expandOne": true, "runLate": true}

// Renamed returns err, or the same failure of a function of the user with another
// operator if it says that it comes from the operator called shared: for stages that
// serve several operators, and know which.
func Renamed(err error, shared, op string) error {
	switch e := err.(type) {
	case *reactor.PanicError:
		if e.Op == shared {
			return &reactor.PanicError{Op: op, Value: e.Value, Stack: e.Stack}
		}
	case *reactor.OpError:
		if e.Op == shared && e.Kind == reactor.ErrGoexit {
			return &reactor.OpError{Op: op, Kind: e.Kind}
		}
	}
	return err
}
