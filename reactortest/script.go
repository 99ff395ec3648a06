package reactortest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goreactor/reactor"
)

// signal is what came from the publisher, or what the test did to it.
type signal[T any] struct {
	id    int // tells the signals of a run apart
	kind  reactor.SignalKind
	value T     // of KindNext
	err   error // of KindError
	n     int64 // of KindRequest
	at    time.Duration
	mark  string // what the report says beside it

	format formatter // of the value
}

func (s signal[T]) String() string {
	switch s.kind {
	case reactor.KindNext:
		return "onNext(" + s.format.show(s.value) + ")"
	case reactor.KindError:
		return fmt.Sprintf("onError(%v)", s.err)
	case reactor.KindRequest:
		return "request(" + demandString(s.n) + ")"
	}
	return s.kind.String() + "()"
}

// step is one step of a script. Of match, inline and do exactly one is set.
type step[T any] struct {
	what  string // "expect next 1, 2"
	name  string // given by As
	where string // "pipeline_test.go:17"

	subscription bool  // the step expects it
	subscribed   bool  // the step waits until there is one
	needs        int64 // elements that it takes at least
	asks         int64 // elements that it requests

	// match looks at the next signal, on the goroutine that brought it or that got
	// round to it.
	match func(signal[T]) verdict
	// inline acts right after the step before, on whatever goroutine is there.
	inline func(*run[T])
	// do acts on the goroutine of the test and returns what went wrong.
	do func(*run[T]) string
}

// verdict is what a step says of a signal.
type verdict struct {
	taken, over bool   // the signal was for this step; the step has ended
	wrong       string // what was expected instead, if it failed
}

var (
	done = verdict{taken: true, over: true}
	more = verdict{taken: true}
	pass = verdict{over: true}
)

func refuse(expected string) verdict { return verdict{wrong: expected} }

// caller returns file and line of the first caller outside of this package, or in
// its tests.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "github.com/goreactor/reactor/reactortest.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// ofStep returns what stack has between the panic and the step: who called the step is the publisher and the
// kit, dozens of lines that tell nothing of its function.
func ofStep(stack []byte) string {
	lines := strings.Split(strings.TrimSpace(string(stack)), "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic(") }) + 2 // a frame has two lines
	if first < 2 || first >= len(lines) {
		return string(stack)
	}
	lines = lines[first:]
	if last := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "reactortest.(*run[") }); last > 0 {
		lines = lines[:last]
	}
	return strings.Join(lines, "\n")
}

func demandString(n int64) string {
	if n == reactor.Unbounded {
		return "unbounded"
	}
	return fmt.Sprint(n)
}
