package keylock

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/goreactor/reactor"
)

// Why a key was not granted, or is not held any more; test for them with errors.Is.
// They are wrapped in an [*Error].
var (
	// ErrWaitTimeout: the key was not free in time. It matches
	// [reactor.ErrTimeout] as well.
	ErrWaitTimeout = errors.New("the key was not free in time")
	// ErrQueueFull: the largest allowed number of callers waits for the key already. It
	// matches [reactor.ErrRejected] as well.
	ErrQueueFull = errors.New("too many wait for the key")
	// ErrReentrant: the caller holds the key already, and would wait for itself.
	ErrReentrant = errors.New("the caller holds the key already")
	// ErrLeaseExpired: the time of the lease is over.
	ErrLeaseExpired = errors.New("the lease has expired")
	// ErrLeaseLost: the record of the key in the [Backend] is gone, or could not
	// be renewed in time: others may hold the key.
	ErrLeaseLost = errors.New("the lease is lost")
	// ErrReleased: the lease was released.
	ErrReleased = errors.New("the lease is released")
	// ErrLocksClosed: the manager was shut down.
	ErrLocksClosed = errors.New("the manager is closed")
	// ErrTokenRegressed: the [Backend] granted a key with a token that is not
	// higher than the tokens seen before: its store was restored from a backup, or
	// made anew.
	ErrTokenRegressed = errors.New("the token is lower than one seen before")
)

// Error is the failure of a call for a key. It matches Kind, Cause if there is one,
// and for some kinds an error of package reactor, with errors.Is.
type Error struct {
	Op     string        // the method, for example "Do"
	Kind   error         // one of the errors of this package, or of package reactor
	Key    string        // the key
	Token  uint64        // token of the lease, 0 if there was none
	Waited time.Duration // how long for the key, if that is what failed
	Held   time.Duration // how long the key was held, if the lease ended
	Detail string        // what else is known, or ""
	Cause  error         // underlying failure, or nil
}

// Error returns for example
// "keylock: Do \"order-7\": the key was not free in time: waited 3s".
func (e *Error) Error() string {
	s := "keylock: " + e.Op
	if e.Key != "" || e.Token != 0 {
		s += " " + strconv.Quote(e.Key)
	}
	s += ": " + e.Kind.Error()
	if e.Token != 0 {
		s += ": token " + strconv.FormatUint(e.Token, 10)
	}
	if e.Waited != 0 {
		s += ": waited " + e.Waited.String()
	}
	if e.Held != 0 {
		s += ": held " + e.Held.String()
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns Kind, what that is in package reactor, and Cause.
func (e *Error) Unwrap() []error {
	errs := []error{e.Kind}
	switch e.Kind {
	case ErrWaitTimeout:
		errs = append(errs, reactor.ErrTimeout)
	case ErrQueueFull:
		errs = append(errs, reactor.ErrRejected)
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	return errs
}

// Timeout reports whether the key was not free in time, as errors of package net do.
func (e *Error) Timeout() bool { return e.Kind == ErrWaitTimeout }

// notMade returns the error of a zero [Manager].
func notMade(op, key string) *Error {
	return &Error{Op: op, Kind: reactor.ErrIllegalState, Key: key, Detail: "the manager was not made by New"}
}

// illegal returns the error for an argument that can't be used.
func illegal(op, key, format string, args ...any) *Error {
	return &Error{Op: op, Kind: reactor.ErrIllegalArgument, Key: key, Detail: fmt.Sprintf(format, args...)}
}
