package upstream

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Continuation is what onErrorContinue leaves in the context for the stages
// upstream of it: failures to be reported instead of ending the stream. A stage
// that supports it looks it up once per subscription with [Continuing] and, if
// there is one, subscribes a different subscriber: nobody else pays for it.
type Continuation struct {
	handles func(error) bool // nil: every error
	consume func(err error, v any)
}

type continuationKey struct{}

// continued is set when a context has got a continuation for the first time: most programs never use onErrorContinue,
// and each subscription of theirs is spared the search through the values of its context.
var continued atomic.Bool

// NewContinuation returns the continuation that passes the errors for which
// handles reports true to consume, with the element in flight or nil.
func NewContinuation(handles func(error) bool, consume func(err error, v any)) *Continuation {
	return &Continuation{handles: handles, consume: consume}
}

// WithContinuation returns a context for what is upstream of onErrorContinue; a
// nil c, that of onErrorStop, hides one from further downstream.
func WithContinuation(ctx context.Context, c *Continuation) context.Context {
	continued.Store(true)
	return context.WithValue(ctx, continuationKey{}, c)
}

// Continuing returns the continuation in force, or nil.
func Continuing(ctx context.Context) *Continuation {
	if !continued.Load() {
		return nil
	}
	return find(ctx)
}

func find(ctx context.Context) *Continuation {
	c, _ := ctx.Value(continuationKey{}).(*Continuation)
	return c
}

// Take offers a failure and the element in flight, or nil. The result is nil if
// the stage is to carry on without the element, else the error that ends the
// stream. A nil Continuation takes nothing.
//
// Goexit is never taken: the goroutine is ending.
func (c *Continuation) Take(err error, v any) (rest error) {
	rest = err
	if c != nil && !errors.Is(err, reactor.ErrGoexit) {
		c.offer(err, v, &rest)
	}
	return rest
}

// TakeAnd is Take for a failure that comes outside of OnNext, where no guard tells the stage what else has failed: it calls then with
// the result, also if a function of the continuation ends the goroutine.
func (c *Continuation) TakeAnd(err error, v any, then func(rest error)) {
	if c == nil || errors.Is(err, reactor.ErrGoexit) {
		then(err)
		return
	}
	rest := err
	defer func() { then(rest) }()
	c.offer(err, v, &rest)
}

// offer sets *rest, which is err, to the result of Take.
func (c *Continuation) offer(err error, v any, rest *error) {
	failure.Guard(func() {
		if c.handles == nil || c.handles(err) {
			c.consume(err, v)
			*rest = nil
		}
	}, func(broken error) { *rest = failure.Both(broken, err) })
}
