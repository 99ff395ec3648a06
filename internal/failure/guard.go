package failure

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"slices"

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

// DropLate reports an error that comes after the end of a stream whose context ctx is.
// Where that is the end of the context, the stream knows already: two watch over it, the
// edge and perhaps the source.
func DropLate(ctx context.Context, err error) {
	if !IsEnd(ctx, err) {
		reactor.DropError(ctx, err)
	}
}

// IsEnd reports whether err is the end of ctx, which has come, and nothing else.
func IsEnd(ctx context.Context, err error) bool {
	end := ctx.Err()
	return end != nil && isEnd(ctx, end, err)
}

// IsCancellation is IsEnd for what a function has returned that was called with ctx: it may say just context.Canceled, of
// a context of its own.
func IsCancellation(ctx context.Context, err error) bool {
	return isEnd(ctx, context.Canceled, err) || IsEnd(ctx, err)
}

// isEnd is IsEnd where the end is called end: each part is that where several were joined, however deep.
func isEnd(ctx context.Context, end, err error) bool {
	if is(ctx, end, bare{err}) {
		return true
	}
	switch e := err.(type) {
	case *reactor.OpError:
		if e.Cause != nil {
			return isEnd(ctx, end, e.Cause)
		}
	case *bothError:
		return isEnd(ctx, end, e.failure) && isEnd(ctx, end, e.because)
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && isEnd(ctx, end, inner)
	case interface{ Unwrap() []error }:
		if reflect.TypeOf(err) == joined {
			return !slices.ContainsFunc(e.Unwrap(), func(part error) bool { return !isEnd(ctx, end, part) })
		}
	}
	return is(ctx, end, err)
}

func is(ctx context.Context, end, err error) bool { return errors.Is(err, end) || isCause(ctx, err) }

// bare is an error without those that it wraps.
type bare struct{ error }

// Is is asked by errors.Is.
func (b bare) Is(target error) bool {
	if b.error == target {
		return true
	}
	e, ok := b.error.(interface{ Is(error) bool })
	return ok && e.Is(target)
}

// joined is what errors.Join returns. Others of several parts are one error, of a kind and with a cause.
var joined = reflect.TypeOf(errors.Join(reactor.ErrGoexit))

// isCause is errors.Is for the cause with which ctx has ended. That compares the two, and panics where both are of a type
// of which some values can't be compared, such as a struct with details of any type that are a map: then they
// were equal up to there, and so the same as far as anybody can tell.
func isCause(ctx context.Context, err error) (is bool) {
	defer func() {
		if recover() != nil {
			is = true
		}
	}()
	return errors.Is(err, context.Cause(ctx))
}
