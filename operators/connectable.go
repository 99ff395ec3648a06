package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
)

// ConnectablePublisher is a stream that its subscribers share. The stream begins when it
// is connected: by a call of Connect, or automatically with [AutoConnect] or [RefCount].
// [Publish] and [Replay] return one.
type ConnectablePublisher[T any] interface {
	reactor.Publisher[T]
	// Connect starts the source with the values of ctx, unless the source runs already.
	// The end of ctx ends the stream for all subscribers with context.Cause(ctx).
	// connecting, unless it is nil, gets the handle of the connection before the source
	// can send anything; disposing the handle cancels the source and ends the stream
	// with reactor.ErrCancelled.
	Connect(ctx context.Context, connecting func(reactor.Disposable))

	// open returns the run that subscribers join, which may not have begun. It calls
	// nobody.
	open() connection
	// introduce prepares a subscriber, and calls introduced of by then, also if the goroutine ends meanwhile.
	introduce(ctx context.Context, down reactor.Subscriber[T], by introduced)
}

// introduced is called when a subscriber is prepared. join makes it a subscriber of the run, or
// reports false because the run has ended.
type introduced interface {
	introduced(ctx context.Context, join func(connection) bool)
}

// connection is one run of the source of a connectable publisher, and the handle to stop
// it.
type connection interface {
	reactor.Disposable
	// detach makes room for another run. It calls nobody.
	detach()
	// counted says that RefCount stops the run when its last subscriber has left. It calls nobody.
	counted()
	// fail ends the run for all subscribers.
	fail(err error)
	// begin reports whether the caller must call run.
	begin() bool
	run(ctx context.Context)
}

// connect starts c unless somebody has.
func connect(ctx context.Context, c connection, connecting func(reactor.Disposable)) {
	argument.Given("connect", "context", ctx != nil)
	first := c.begin()
	if connecting != nil && !failure.Guard(
		func() { connecting(c) },
		func(err error) { c.fail(reactor.OperatorError(ctx, err, nil)) },
	) {
		return
	}
	if !first || c.IsDisposed() {
		return
	}
	if ctx.Err() != nil {
		c.fail(reactor.NonNil(context.Cause(ctx)))
		return
	}
	c.run(ctx)
}
