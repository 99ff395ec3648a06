package belated

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Drop reports an error that comes after the end of a stream whose context ctx is.
// Where that is the end of the context, the stream knows already: two watch over it, the
// edge and perhaps the source.
func Drop(ctx context.Context, err error) {
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
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && isEnd(ctx, end, inner)
	case interface{ Unwrap() []error }:
		if t := reflect.TypeOf(err); t == joined || t == both {
			return !slices.ContainsFunc(e.Unwrap(), func(part error) bool { return !isEnd(ctx, end, part) })
		}
	}
	return is(ctx, end, err)
}

// is reports whether err is the end, or the cause with which ctx has ended. A method of err that fails says no.
func is(ctx context.Context, end, err error) (is bool) {
	defer func() { _ = recover() }()
	return has(err, end) || has(err, context.Cause(ctx))
}

// has is errors.Is, except for errors that can't be compared: see [Same].
func has(err, target error) bool {
	if isItself(err, target) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && has(inner, target)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(part error) bool { return part != nil && has(part, target) })
	}
	return false
}

// bare is an error without those that it wraps.
type bare struct{ error }

// Is is asked by has.
func (b bare) Is(target error) bool { return isItself(b.error, target) }

// isItself reports whether err is target, whatever it wraps.
func isItself(err, target error) bool {
	if Same(err, target) {
		return true
	}
	e, ok := err.(interface{ Is(error) bool })
	return ok && e.Is(target)
}

// Same is ==, except for errors that can't be compared, such as a slice of errors, or a struct with details of any type that are a map:
// they are the same if their contents are.
func Same(a, b error) (same bool) {
	defer func() {
		if recover() != nil {
			same = reflect.DeepEqual(a, b)
		}
	}()
	return a == b
}

// joined is what errors.Join returns, and both what [failure.Both] does. Others of several parts are one error, of a kind and with a cause.
var (
	joined = reflect.TypeOf(errors.Join(reactor.ErrGoexit))
	both   = reflect.TypeOf(failure.Both(reactor.ErrGoexit, reactor.ErrGoexit))
)
