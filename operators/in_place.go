package operators

import (
	"context"
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
)

// isInPlace reports whether a stage may compute src in the place of a subscription, unless there are hooks: everything
// in it happens within the first request and before the element goes down, or because src has failed. So nobody can
// tell the one from the other. That is not so for a stage that does something when the element has gone down, as
// [Using] may, or that looks at the context, as [ContextWrite] does.
func isInPlace[T any](src reactor.Publisher[T]) bool { return wayOf(src) == direct.InPlace }

// beginInPlace returns the context in which a publisher with that way may be computed, or nil if it has to be
// subscribed to: see [caller.begin].
func (c *caller) beginInPlace(ctx context.Context, way direct.Way) *callContext {
	if way != direct.InPlace || !direct.MayCompute(ctx) {
		return nil
	}
	return c.begin(ctx)
}

// inPlaceCall is the context of such a computation. Functions of the user get the callContext itself.
type inPlaceCall struct{ *callContext }

// errGivenUp is the error of a computation in a stage that was cancelled meanwhile. Everything was done about what it had. No user
// sees this error.
var errGivenUp = errors.New("reactor: given up")

// isGivenUp reports whether ctx is that of a computation in a stage that was cancelled since.
func isGivenUp(ctx context.Context) bool {
	in, placed := ctx.(inPlaceCall)
	return placed && in.Err() != nil
}

// endOf returns the error of a computation because of the end of ctx.
func endOf(ctx context.Context) error {
	if _, placed := ctx.(inPlaceCall); placed {
		return errGivenUp
	}
	return context.Cause(ctx)
}

// outcome is what has come of a publisher that was computed.
type outcome int

const (
	outcomeNone outcome = iota // it has no element
	outcomeOne                 // it has one
	outcomeRest                // there is something to subscribe to in its place
	outcomeOver                // it has failed, or was cancelled, and everything was done about that
)

// computedBy computes src as a subscription would be run, for a stage that emits the result. If it has failed and was
// not cancelled, failed gets the error. The result of a computation that was cancelled is discarded, and its error
// is reported as dropped, unless the error only says that it was cancelled.
func computedBy[T any](src reactor.Publisher[T], c *caller, ctx context.Context, call *callContext, failed func(error)) (v T, how outcome, rest reactor.Publisher[T]) {
	some := false
	var err error
	fails := func(err error) {
		if c.ended(call) {
			failed(reactor.OperatorError(ctx, err, nil))
		} else {
			dropUnlessCancelled(ctx, call, err)
		}
	}
	if !failure.Guard(func() { v, some, err = computed[T](inPlaceCall{call}, src) }, fails) {
		return *new(T), outcomeOver, nil
	}
	if err != nil {
		if of, is := err.(*instead[T]); is {
			c.ended(call)
			return v, outcomeRest, of.src
		}
		if err != errGivenUp {
			fails(err)
		}
		return v, outcomeOver, nil
	}
	switch ended := c.ended(call); {
	case ended && some:
		return v, outcomeOne, nil
	case ended:
		return v, outcomeNone, nil
	case some:
		reactor.Discard(ctx, v)
	}
	return *new(T), outcomeOver, nil
}
