package stall

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

// Place is where a goroutine waits.
type Place struct {
	Function string // the innermost one outside of the runtime, for example "time.Sleep"
	Caller   string // the innermost one of the program with its line, "" if it is Function itself
	Library  bool   // a call of this library waits, such as Block
}

// String returns for example "time.Sleep, called by main.load (load.go:12)".
func (p Place) String() string {
	if p.Caller == "" {
		return p.Function
	}
	return p.Function + ", called by " + p.Caller
}

// Find returns where the goroutine waits that has the profiler label worker and the
// function below at the bottom of its stack, and false if there is none or it computes. It
// stops the program for a moment that grows with the number of goroutines.
func Find(worker, below string) (Place, bool) {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 1); err != nil {
		return Place{}, false
	}
	label := fmt.Sprintf("%q:%q", "worker", worker)
	for record := range strings.SplitSeq(text.String(), "\n\n") {
		if !strings.Contains(record, label) || !strings.Contains(record, "\t"+below+"+") {
			continue
		}
		if waits(record) {
			return placeOf(record), true
		}
	}
	return Place{}, false
}

// waits reports whether the first frames of a record are those of a goroutine that is parked
// or in a system call, and not on behalf of the allocator.
func waits(record string) bool {
	_, line, ok := strings.Cut(record, " @ ")
	if !ok {
		return false
	}
	line, _, _ = strings.Cut(line, "\n")
	for i, field := range strings.Fields(line) {
		pc, err := strconv.ParseUint(strings.TrimPrefix(field, "0x"), 16, 64)
		if err != nil {
			return false
		}
		name := ""
		if f := runtime.FuncForPC(uintptr(pc)); f != nil {
			name = f.Name()
		}
		switch {
		case name == "runtime.mallocgc":
			return false
		case i == 0 && name != "runtime.gopark" && !strings.Contains(name, "syscall"):
			return false
		case !strings.HasPrefix(name, "runtime."):
			return true
		}
	}
	return false
}

// placeOf reads the frames of a record, "#\t0x47\tmain.f+0x1d\t/src/f.go:12".
func placeOf(record string) (p Place) {
	for line := range strings.SplitSeq(record, "\n") {
		fields := strings.Fields(line) // the columns are aligned by tabs
		if len(fields) < 4 || fields[0] != "#" || !strings.HasPrefix(fields[1], "0x") {
			continue
		}
		function, at := fields[2], fields[len(fields)-1]
		if i := strings.LastIndexByte(function, '+'); i > 0 {
			function = function[:i]
		}
		library := isLibrary(function, at)
		if p.Function == "" {
			p.Function = short(function)
			if !library && !isStandard(function) {
				p.Function += " (" + path.Base(at) + ")"
				return p
			}
		}
		if strings.Contains(function, modulePath+"operators.") || strings.Contains(function, modulePath+"executors.") {
			p.Library = true
		}
		switch {
		case library && p.Caller == "" && exported(function):
			p.Function = short(function)
		case !library && !isStandard(function):
			p.Caller = short(function) + " (" + path.Base(at) + ")"
			return p
		}
	}
	return p
}

const modulePath = "github.com/goreactor/reactor/"

// libraryFolders are the packages between a stream and its user.
var libraryFolders = []string{"flux", "mono", "operators", "internal", "schedulers", "executors", "sinks", "reactortest"}

func isLibrary(function, at string) bool {
	rest, ok := strings.CutPrefix(function, modulePath)
	if !ok || strings.Contains(at, "_test.go:") {
		return false
	}
	for _, f := range libraryFolders {
		if strings.HasPrefix(rest, f+".") || strings.HasPrefix(rest, f+"/") {
			return true
		}
	}
	return false
}

// standard are the first elements of the paths of standard packages that wait.
var standard = map[string]bool{
	"bufio": true, "bytes": true, "context": true, "crypto": true, "database": true, "encoding": true, "fmt": true,
	"internal": true, "io": true, "iter": true, "log": true, "maps": true, "net": true, "os": true, "reflect": true,
	"runtime": true, "slices": true, "strings": true, "sync": true, "syscall": true, "testing": true, "time": true, "vendor": true,
}

func isStandard(function string) bool {
	return standard[function[:max(0, strings.IndexAny(function, "./"))]]
}

var typeArguments = regexp.MustCompile(`\[[^\]]*\]`)

// short returns a function without the path of its package and its type arguments.
func short(function string) string {
	function = typeArguments.ReplaceAllString(function, "")
	return function[strings.LastIndexByte(function, '/')+1:]
}

// exported reports whether a function is one that users call.
func exported(function string) bool {
	name := short(function)
	name = name[strings.LastIndexByte(name, '.')+1:]
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}
