package failure

import (
	"runtime/debug"

	"github.com/goreactor/reactor"
)

// Both joins the failure of a user function that was called because of an error
// with that error; errors.Is and errors.As see the two.
func Both(failure, because error) error { return &bothError{failure, because} }

type bothError struct{ failure, because error }

func (e *bothError) Error() string {
	return e.failure.Error() + " (while handling: " + e.because.Error() + ")"
}

func (e *bothError) Unwrap() []error { return []error{e.failure, e.because} }

// Recovered returns the error for what recover() yielded in a deferred function
// that found its function unfinished. A nil r means runtime.Goexit: panic(nil)
// arrives as *runtime.PanicNilError. The error names the operator whose function
// failed, as far as the stack tells. A Goexit goes on to the guards further out, which
// get an error that [IsSettled].
func Recovered(r any) error { return RecoveredIn("", r) }

// RecoveredIn is [Recovered] where the operator is known.
func RecoveredIn(op string, r any) error {
	switch r := r.(type) {
	case nil:
		return goexit(func() error {
			if op == "" {
				op = failedOp()
			}
			if op == "" {
				return reactor.ErrGoexit
			}
			return &reactor.OpError{Op: op, Kind: reactor.ErrGoexit}
		})
	case *reactor.PanicError:
		return r
	case *reactor.CheckpointError:
		// A panic that passed a checkpoint on its way.
		if _, ok := r.Err.(*reactor.PanicError); ok {
			return r
		}
	}
	if op == "" {
		op = failedOp()
	}
	return &reactor.PanicError{Op: op, Value: r, Stack: debug.Stack()}
}

// Guard calls fn and reports whether it returned; if fn panics or ends its
// goroutine, failed gets the error. After a Goexit the goroutine goes on ending
// once failed has returned, so whatever must happen belongs into failed. For user
// functions that run once per subscription, not per element.
func Guard(fn func(), failed func(error)) (ok bool) {
	defer func() {
		if !ok {
			failed(Recovered(recover()))
		}
	}()
	fn()
	return true
}

// Apply is Guard for a function that makes something of v, which failed gets, too.
func Apply[T, R any](fn func(T) R, v T, failed func(T, error)) (r R, ok bool) {
	defer func() {
		if !ok {
			failed(v, Recovered(recover()))
		}
	}()
	return fn(v), true
}

// Persist calls step with 0, 1, … up to n-1, until it returns false. If a call ends its
// goroutine (runtime.Goexit), the calls after it are made all the same, while the goroutine
// unwinds: for stages that subscribe several sources, of which one may fail without
// ending the stream.
func Persist(n int, step func(i int) bool) { persist(0, n, step) }

func persist(i, n int, step func(i int) bool) {
	clean := false
	defer func() {
		if !clean {
			persist(i+1, n, step)
		}
	}()
	for ; i < n; i++ {
		if !step(i) {
			break
		}
	}
	clean = true
}

// InTurn is [Persist] for steps of different kinds.
func InTurn(steps ...func()) {
	Persist(len(steps), func(i int) bool { steps[i](); return true })
}

// SecondSubscription is what is reported when OnSubscribe is called again, or after the end.
// Its subscription is cancelled, and the stream goes on.
func SecondSubscription() error {
	return reactor.Failure("subscribe", reactor.ErrProtocol, "§2.12: OnSubscribe a second time, or after the end; that subscription was cancelled")
}
