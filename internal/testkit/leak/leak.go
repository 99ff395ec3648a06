// Package leak asks the runtime at the end of a package's tests whether goroutines wait for
// what nobody can reach any more: for ever, that is. A count of goroutines, as goleak makes it,
// can't tell those from others, has exceptions, and does not see what tests in a bubble leave
// behind; a leak is found by the garbage collector, with proof. With the build tag chaos it also
// asks internal/live for timers that are still set and contexts that are still watched.
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }
package leak

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/goreactor/reactor/internal/live"
)

// Find returns an error with the stacks of all goroutines that wait for ever.
func Find() error {
	profile := pprof.Lookup("goroutineleak")
	if profile == nil {
		return nil // a toolchain without it
	}
	var text bytes.Buffer
	if err := profile.WriteTo(&text, 1); err != nil { // which looks for leaks first
		return err
	}
	if n := profile.Count(); n > 0 {
		return fmt.Errorf("leak: %d goroutines wait for what nobody can reach:\n%s", n, text.String())
	}
	return nil
}

// Registered returns an error if timers are set or contexts are watched. That is known with the
// build tag chaos only.
func Registered() error {
	if timers, contexts := live.Counts(); timers != 0 || contexts != 0 {
		return fmt.Errorf("leak: %d timers are set, %d contexts are watched", timers, contexts)
	}
	return nil
}

// Exit ends the process with code, or with 1 if the tests have passed and something has leaked.
func Exit(code int) {
	if err := errors.Join(Find(), Registered()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
