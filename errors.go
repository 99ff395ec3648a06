package reactor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The kinds of failure that the library itself produces. Operators wrap them in
// an [*OpError] that names the operator and the number that mattered, so test
// for them with errors.Is.
var (
	// ErrIllegalRequest: Request was called with n ≤ 0 (§3.9).
	ErrIllegalRequest = errors.New("illegal request")
	// ErrOverflow: an element came without demand and could not be kept.
	ErrOverflow = errors.New("overflow")
	// ErrTimeout: a signal did not come in time. It matches
	// context.DeadlineExceeded too, and its Timeout method reports true, as that of
	// net errors does.
	ErrTimeout error = timeoutKind{}
	// ErrNoElements: an element was needed and the stream was empty.
	ErrNoElements = errors.New("no elements")
	// ErrTooManyElements: more than one element came where one was allowed.
	ErrTooManyElements = errors.New("too many elements")
	// ErrIndexOutOfRange: the stream ended before the index that was asked for.
	ErrIndexOutOfRange = errors.New("index out of range")
	// ErrRetryExhausted: a retry policy allowed no further attempt.
	ErrRetryExhausted = errors.New("retries exhausted")
	// ErrRejected: a scheduler or executor refused a task.
	ErrRejected = errors.New("task rejected")
	// ErrCancelled: an awaited result will not come, because the stream was
	// cancelled.
	ErrCancelled = errors.New("cancelled")
	// ErrIllegalState: the call is not allowed now, for example a second
	// subscriber of something that serves one.
	ErrIllegalState = errors.New("illegal state")
	// ErrIllegalArgument: a value computed while the stream ran is outside
	// what the operator accepts.
	ErrIllegalArgument = errors.New("illegal argument")
	// ErrCleanup: the asynchronous clean-up of a resource failed.
	ErrCleanup = errors.New("cleanup failed")
	// ErrBlocking: a blocking call was made on a worker that must not block.
	ErrBlocking = errors.New("blocking call on a non-blocking worker")
	// ErrGoexit: a user function ended its goroutine with runtime.Goexit. Where the
	// operator is known, it comes in an OpError that names the operator.
	ErrGoexit = errors.New("user function called runtime.Goexit")
	// ErrStalled: nothing moves any more and, as far as can be seen, nothing will. It
	// is reported to the hook for dropped errors; the stream goes on.
	ErrStalled = errors.New("stalled")
	// ErrProtocol: a foreign publisher or subscriber broke the rules.
	ErrProtocol = errors.New("protocol violation")
	// ErrUnhandled: a stream failed, and its subscriber has no function for errors.
	ErrUnhandled = errors.New("the stream failed and no OnError was given")
	// ErrNilError stands in for a nil error where a failure was reported.
	ErrNilError = errors.New("a failure was reported with a nil error")
)

// timeoutKind is the type of ErrTimeout.
type timeoutKind struct{}

func (timeoutKind) Error() string        { return "timeout" }
func (timeoutKind) Timeout() bool        { return true }
func (timeoutKind) Is(target error) bool { return target == context.DeadlineExceeded }

// OpError says which operator failed and with what. Unwrap yields Kind, one of
// the sentinels above, and Cause if there is one.
type OpError struct {
	Op     string // operator, for example "elementAt"
	Kind   error  // sentinel
	Detail string // what happened, with the numbers
	Cause  error  // underlying failure, or nil
}

// Error returns for example
// "reactor: elementAt: index out of range: index 7, the source ended after 3 elements".
func (e *OpError) Error() string {
	msg := "reactor: " + e.Op + ": " + NonNil(e.Kind).Error()
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

// Unwrap returns Kind and, if not nil, Cause.
func (e *OpError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// CausedBy sets Cause and returns e, for use right where the error is made:
//
//	reactor.Failure("retry", reactor.ErrRetryExhausted, "after %d attempts", n).CausedBy(last)
func (e *OpError) CausedBy(err error) *OpError {
	e.Cause = err
	return e
}

// Failure returns an [*OpError] of the given kind; the detail is formatted as by
// fmt.Sprintf.
func Failure(op string, kind error, format string, args ...any) *OpError {
	return &OpError{Op: op, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// IllegalRequest returns the error of §3.9 for a request of n.
func IllegalRequest(n int64) error {
	return Failure("request", ErrIllegalRequest, "§3.9: demand must be positive, got %d", n)
}

// TimeoutFailure returns the error of an operator whose signal did not come within
// the duration after. Its Timeout method reports true, as that of net errors does.
func TimeoutFailure(op string, after time.Duration) error {
	return &TimeoutError{Op: op, After: after}
}

// TimeoutError is the failure of an operator that waits for a signal. It matches
// [ErrTimeout] and context.DeadlineExceeded with errors.Is.
type TimeoutError struct {
	Op    string        // operator, for example "timeout"
	After time.Duration // 0 if the limit was a publisher, not a duration
}

// Error names the operator and the limit.
func (e *TimeoutError) Error() string {
	msg := "reactor: "
	if e.Op != "timeout" { // which says it all
		msg += e.Op + ": "
	}
	if e.After <= 0 {
		return msg + "timeout: no signal before the trigger"
	}
	return msg + "timeout: no signal within " + e.After.String()
}

// Unwrap returns [ErrTimeout].
func (e *TimeoutError) Unwrap() error { return ErrTimeout }

// Timeout reports true.
func (e *TimeoutError) Timeout() bool { return true }

// PanicError is the error that a panic in a user function becomes: the stream is
// cancelled upstream and fails downstream with this error. If the value of the
// panic is an error, errors.Is and errors.As see it.
type PanicError struct {
	Op    string // the operator whose function panicked, "" if unknown
	Value any    // what was passed to panic
	Stack []byte // the stack of the goroutine that panicked
}

// Error returns the panic value without the stack.
func (e *PanicError) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("reactor: panic: %v", e.Value)
	}
	return fmt.Sprintf("reactor: %s: panic: %v", e.Op, e.Value)
}

// Format writes Error, and with the verb %+v the stack behind it, on lines of its own.
func (e *PanicError) Format(s fmt.State, verb rune) {
	if verb == 'v' && s.Flag('+') {
		fmt.Fprintf(s, "%s\n\n%s", e.Error(), e.Stack)
		return
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), formatted(e.Error()))
}

// formatted is a text that fmt formats as it does an error.
type formatted string

func (f formatted) Error() string { return string(f) }

// Unwrap returns Value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// NonNil returns err, or [ErrNilError] if err is nil: a terminal signal must not
// get lost because somebody passed nil.
func NonNil(err error) error {
	if err == nil {
		return ErrNilError
	}
	return err
}

// isSettled reports whether err stands for a Goexit that was reported before: nothing stops one,
// so every guard that it passes on its way hears of it (see internal/failure).
func isSettled(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if s, ok := err.(interface{ SettledGoexit() bool }); ok { // a name that no error of a program has
			return s.SettledGoexit()
		}
	}
	return false
}
