package protocol

import (
	"context"
	"runtime/debug"

	"github.com/goreactor/reactor"
)

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

// Crash ends a stream whose element v failed on its way down: the error passes
// the operator-error hook, v is discarded, err goes down. The guard that calls it
// has cancelled upstream already. Not inlined: it hardly ever runs.
//
//go:noinline
func Crash(ctx context.Context, down Signals, err error, v any) {
	if !IsSettled(err) {
		err = reactor.OperatorError(ctx, err, v)
		reactor.Discard(ctx, v)
	}
	down.OnError(err)
}

// Last emits v and completes, from somewhere other than OnNext: a failure of v's
// journey downstream becomes OnError. The caller knows that there is demand and
// that it is still wanted.
func Last[T any](ctx context.Context, down reactor.Subscriber[T], v T) {
	if Emit(ctx, down, v) {
		down.OnComplete()
	}
}

// Emit emits one element from somewhere other than OnNext and reports whether
// all went well; if not, it has sent OnError and the stage must regard itself as
// cancelled. (After a Goexit it does not return: keep nothing for afterwards
// that others wait for.)
func Emit[T any](ctx context.Context, down reactor.Subscriber[T], v T) (ok bool) {
	defer func() {
		if !ok {
			Crash(ctx, down, Recovered(recover()), v)
		}
	}()
	down.OnNext(v)
	return true
}

// EmitEach is Emit for what next returns, which is told how many elements have arrived, until there
// is nothing more. It returns that number.
func EmitEach[T any](ctx context.Context, down reactor.Subscriber[T], next func(sent int64) (T, bool)) (sent int64, ok bool) {
	var hand Hand[T]
	defer func() {
		if !ok {
			hand.Crash(ctx, down, false, Recovered(recover()))
		}
	}()
	for v, more := next(0); more; v, more = next(sent) {
		hand.Hold(v)
		down.OnNext(v)
		hand.Sent()
		sent++
	}
	return sent, true
}
