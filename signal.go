package reactor

import (
	"fmt"
)

// SignalKind tells the signals of the protocol apart.
type SignalKind uint8

// The kinds of signals. The zero SignalKind is none of them.
const (
	KindNext SignalKind = iota + 1
	KindError
	KindComplete
	KindSubscribe
	KindRequest
	KindCancel
)

// String returns the name of the callback or call that carries the signal,
// for example "onNext".
func (k SignalKind) String() string {
	switch k {
	case KindNext:
		return "onNext"
	case KindError:
		return "onError"
	case KindComplete:
		return "onComplete"
	case KindSubscribe:
		return "onSubscribe"
	case KindRequest:
		return "request"
	case KindCancel:
		return "cancel"
	}
	return "none"
}

// Signal is one of the three signals a stream consists of, as a value: an
// element, a failure, or completion. Signals are made by [NextSignal],
// [ErrorSignal] and [CompleteSignal]; the zero Signal is none of them.
type Signal[T any] struct {
	kind  SignalKind
	value T
	err   error
}

// NextSignal returns the signal that carries v.
func NextSignal[T any](v T) Signal[T] { return Signal[T]{kind: KindNext, value: v} }

// ErrorSignal returns the signal of a failure. A nil err is replaced by an
// error that says so, because a terminal signal must not get lost.
func ErrorSignal[T any](err error) Signal[T] {
	return Signal[T]{kind: KindError, err: NonNil(err)}
}

// CompleteSignal returns the signal of a successful end.
func CompleteSignal[T any]() Signal[T] { return Signal[T]{kind: KindComplete} }

// Kind returns [KindNext], [KindError] or [KindComplete], and 0 for the zero
// Signal.
func (s Signal[T]) Kind() SignalKind { return s.kind }

// Value returns the element and true, or the zero value and false if s carries
// none.
func (s Signal[T]) Value() (T, bool) { return s.value, s.kind == KindNext }

// Err returns the error of a failure, nil for the other kinds.
func (s Signal[T]) Err() error { return s.err }

// IsTerminal reports whether s ends a stream.
func (s Signal[T]) IsTerminal() bool { return s.kind == KindError || s.kind == KindComplete }

// Accept calls the callback of sub that corresponds to s; the zero Signal
// calls none.
func (s Signal[T]) Accept(sub Subscriber[T]) {
	switch s.kind {
	case KindNext:
		sub.OnNext(s.value)
	case KindError:
		sub.OnError(s.err)
	case KindComplete:
		sub.OnComplete()
	}
}

// String returns for example "onNext(3)", "onError(boom)" or "onComplete()".
func (s Signal[T]) String() string {
	switch s.kind {
	case KindNext:
		return fmt.Sprintf("onNext(%v)", s.value)
	case KindError:
		return fmt.Sprintf("onError(%v)", s.err)
	}
	return s.kind.String() + "()"
}

func (s Signal[T]) element() any      { return s.value }
func (Signal[T]) elementPointer() any { return (*T)(nil) }
