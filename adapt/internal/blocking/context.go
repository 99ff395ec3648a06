package blocking

import (
	"context"
	"time"
)

// apartFrom returns the context of a resource. It has the values and the deadline of ctx, that of the subscription, but does not end
// with ctx by itself: the stream fails with the cause first, and then Cancel calls stop. So what the resource makes of its end comes late.
func apartFrom(ctx context.Context) (run context.Context, stop context.CancelCauseFunc) {
	inner, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	return runContext{inner, ctx}, stop
}

type runContext struct {
	context.Context
	subscription context.Context
}

// String is for code that prints the context, as mocks do with their arguments: package fmt would
// read the fields of subscription.
func (c runContext) String() string { return "resource of a stream" }

// Deadline returns the subscription's.
func (c runContext) Deadline() (time.Time, bool) { return c.subscription.Deadline() }
