package operators

import (
	"context"
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
)

// ErrorFilter chooses among errors. An operator that gets several filters acts on the
// errors that at least one of them accepts; an operator that gets none acts on every
// error. [WhenError], [WhenIs] and [WhenAs] make filters.
type ErrorFilter func(error) bool

// WhenError accepts the errors for which match reports true.
func WhenError(match func(error) bool) ErrorFilter {
	argument.Given("whenError", "predicate", match != nil)
	return match
}

// WhenIs accepts the errors that match one of the targets with errors.Is.
func WhenIs(targets ...error) ErrorFilter {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

// WhenAs accepts the errors that are or wrap an E, as errors.As finds it.
func WhenAs[E error]() ErrorFilter {
	return func(err error) bool {
		var target E
		return errors.As(err, &target)
	}
}

// anyFilter makes one predicate of filters; nil accepts everything.
func anyFilter(op string, filters []ErrorFilter) ErrorFilter {
	for _, f := range filters {
		argument.NotNil(op, "error filter", f)
	}
	switch len(filters) {
	case 0:
		return nil
	case 1:
		return filters[0]
	}
	filters = append([]ErrorFilter(nil), filters...)
	return func(err error) bool {
		for _, f := range filters {
			if f(err) {
				return true
			}
		}
		return false
	}
}

// accepts applies a filter that may be nil. If it reports false, it has called refused
// with the error that goes downstream instead: err, or the failure of the filter. The
// guard makes that call, because nothing runs after the guard if the filter has ended
// the goroutine.
func (f ErrorFilter) accepts(ctx context.Context, err error, refused func(error)) (ok bool) {
	if failure.IsReported(err) { // the stream has its end already, perhaps by this filter
		refused(err)
		return false
	}
	if f == nil {
		return true
	}
	if !failure.Guard(func() { ok = f(err) }, func(broken error) { refused(whileHandling(ctx, broken, err)) }) {
		return false
	}
	if !ok {
		refused(err)
	}
	return ok
}

// refusal returns nil if f accepts err, and otherwise the error that goes downstream.
func (f ErrorFilter) refusal(ctx context.Context, err error) (refused error) {
	if f != nil {
		f.accepts(ctx, err, func(err error) { refused = err })
	}
	return refused
}

// whileHandling returns the error that goes downstream when the user function that was
// to handle err failed itself.
func whileHandling(ctx context.Context, broken, err error) error {
	return failure.Both(reactor.OperatorError(ctx, broken, nil), err)
}

// mayRepeat reports whether a source that failed with err may be subscribed
// again: not if a function ended its goroutine, because we are on it.
func mayRepeat(err error) bool { return !errors.Is(err, reactor.ErrGoexit) }
