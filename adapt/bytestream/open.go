package bytestream

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// Opener opens the reader of a stream. It is called once per subscription, on a goroutine of
// its own or on the worker of [On], and may block; its context ends with the subscription.
// The reader that it returns is closed once.
type Opener = func(ctx context.Context) (io.ReadCloser, error)

// File returns the Opener of a file, by its name. A named pipe that has no writer yet
// holds up its subscription, which can't be cancelled before the pipe has a writer.
func File(name string) Opener {
	return func(context.Context) (io.ReadCloser, error) { return os.Open(name) }
}

// From returns the Opener of a reader that is open already, for one subscription: a
// second subscription fails with reactor.ErrIllegalState. If r is an io.Closer, a
// subscription that has begun to read closes r; a subscription that is cancelled before
// leaves r open. If r is not an io.Closer, nothing but r itself can free a Read. From
// panics if r is nil.
func From(r io.Reader) Opener {
	argument.NotNil("bytestream.from", "reader", r)
	var taken atomic.Bool
	return func(context.Context) (io.ReadCloser, error) {
		if taken.Swap(true) {
			return nil, reactor.Failure("bytestream.from", reactor.ErrIllegalState, "the %s can be read by one subscriber only", typeName(r))
		}
		if rc, ok := r.(io.ReadCloser); ok {
			return rc, nil
		}
		return io.NopCloser(r), nil
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
