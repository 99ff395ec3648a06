package blocking

import (
	"context"
	"time"
)

// apartFrom returns the context of a resource: it has the values and the deadline of that of the subscription, whose end
// reaches it by Cancel. So what the resource makes of that comes behind the end of the stream, whose error is the cause.
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
