package sinks

import (
	"fmt"

	"github.com/goreactor/reactor"
)

// EmitResult says whether a sink has accepted a signal, and if not, why.
type EmitResult uint8

// The results of an emission.
const (
	// OK: accepted. It may still be discarded, if the subscriber cancels.
	OK EmitResult = iota
	// FailTerminated: the sink has been completed or failed before.
	FailTerminated
	// FailOverflow: there is no room for the element, or no demand.
	FailOverflow
	// FailCancelled: the subscriber has cancelled, and there will be no other.
	FailCancelled
	// FailNonSerialized: another goroutine emits at the same time.
	FailNonSerialized
	// FailZeroSubscriber: there is no subscriber, and no room for the element to wait.
	FailZeroSubscriber
)

// String returns for example "FailOverflow".
func (r EmitResult) String() string {
	switch r {
	case OK:
		return "OK"
	case FailTerminated:
		return "FailTerminated"
	case FailOverflow:
		return "FailOverflow"
	case FailCancelled:
		return "FailCancelled"
	case FailNonSerialized:
		return "FailNonSerialized"
	case FailZeroSubscriber:
		return "FailZeroSubscriber"
	}
	return fmt.Sprintf("EmitResult(%d)", uint8(r))
}

// IsSuccess reports whether the signal was accepted.
func (r EmitResult) IsSuccess() bool { return r == OK }

// Err returns nil for OK, else an [*EmissionError].
func (r EmitResult) Err() error {
	if r == OK {
		return nil
	}
	return &EmissionError{Result: r}
}

// EmissionError is a failed emission as an error. errors.Is finds the kind of failure:
// reactor.ErrOverflow, reactor.ErrCancelled, reactor.ErrProtocol for an emission that was
// not serialised, else reactor.ErrIllegalState.
type EmissionError struct {
	Result EmitResult
	Cause  error // the error that was to be emitted, nil for other signals
}

// Error says why the emission has failed.
func (e *EmissionError) Error() string {
	msg := "reactor: sink: " + e.reason()
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

func (e *EmissionError) reason() string {
	switch e.Result {
	case FailTerminated:
		return "it has ended before"
	case FailOverflow:
		return "overflow: no room or no demand for the element"
	case FailCancelled:
		return "cancelled by its subscriber"
	case FailNonSerialized:
		return "§1.3: emissions overlap: another goroutine emits, for whose end EmitNextWait waits"
	case FailZeroSubscriber:
		return "nobody has subscribed"
	}
	return e.Result.String()
}

// Unwrap returns the kind of failure and, if there is one, the cause.
func (e *EmissionError) Unwrap() []error {
	kind := reactor.ErrIllegalState
	switch e.Result {
	case FailOverflow:
		kind = reactor.ErrOverflow
	case FailCancelled:
		kind = reactor.ErrCancelled
	case FailNonSerialized:
		kind = reactor.ErrProtocol
	}
	if e.Cause == nil {
		return []error{kind}
	}
	return []error{kind, e.Cause}
}
