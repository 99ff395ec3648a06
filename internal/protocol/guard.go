package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Crash ends a stream whose element v failed on its way down: the error passes
// the operator-error hook, v is discarded, err goes down. The guard that calls it
// has cancelled upstream already. Not inlined: it hardly ever runs.
//
//go:noinline
func Crash(ctx context.Context, down Signals, err error, v any) {
	defer func() { down.OnError(err) }() // also if a hook ends the goroutine
	if !failure.IsSettled(err) {
		failure.Beside(ctx, v, func() { err = reactor.OperatorError(ctx, err, v) })
		reactor.Discard(ctx, v)
	}
}

// Emit emits one element from somewhere other than OnNext and reports whether
// all went well; if not, it has sent OnError and the stage must regard itself as
// cancelled. (After a Goexit it does not return: keep nothing for afterwards
// that others wait for.)
func Emit[T any](ctx context.Context, down reactor.Subscriber[T], v T) (ok bool) {
	defer func() {
		if !ok {
			Crash(ctx, down, failure.Recovered(recover()), v)
		}
	}()
	down.OnNext(v)
	return true
}
