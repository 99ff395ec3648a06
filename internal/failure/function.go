package failure

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/goreactor/reactor"
)

// InFunction returns err, or the same panic with op as its operator if it was fn, a function of
// the user, that the library called: for a stage that hands fn to the source as it is, so
// that no frame of its own is on the stack. It costs something only where something failed.
func InFunction(err error, op string, fn any) error {
	switch e := err.(type) {
	case *reactor.PanicError:
		if e.Op != op && calledFunction(string(e.Stack)) == functionName(fn) {
			return &reactor.PanicError{Op: op, Value: e.Value, Stack: e.Stack}
		}
	case *reactor.CheckpointError:
		if inner := InFunction(e.Err, op, fn); inner != e.Err {
			return &reactor.CheckpointError{Err: inner, Checkpoints: e.Checkpoints}
		}
	}
	return err
}

// functionName returns the name of fn, a function, as stacks have it.
func functionName(fn any) string {
	name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	return strings.TrimSuffix(name, "-fm") // of a method value: stacks leave out what wraps the method
}

// calledFunction returns the function on the stack of a panic that the library called, "" if there is none.
func calledFunction(stack string) (name string) {
	_, stack, ok := strings.Cut(stack, "\npanic(")
	if !ok {
		return ""
	}
	_, stack, _ = strings.Cut(stack, "\n")
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") { // where it is
			continue
		}
		function := line[:max(strings.LastIndexByte(line, '('), 0)]
		if strings.Contains(function, operatorsPackage) || strings.Contains(function, internalPackages) {
			return name
		}
		name = function
	}
	return ""
}

const internalPackages = "goreactor/reactor/internal/"
