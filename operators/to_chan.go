package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// ToChan subscribes to src and sends its elements to the first channel. That channel is
// closed at the end; then the second channel yields the error, or is closed if there is
// none.
//
//	src:  1 --- 2 |
//	      ToChan(ctx, src) sends 1, 2, closes
//
// A reader that stops before the first channel is closed has to end ctx. The end of ctx
// cancels src and ends the goroutine that sends; the error is then the cause of ctx. If
// a user function ended that goroutine, the error is reactor.ErrGoexit. Prefetching is
// that of [All].
func ToChan[T any](ctx context.Context, src reactor.Publisher[T], opts ...AllOption) (<-chan T, <-chan error) {
	out, failed := make(chan T), make(chan error, 1)
	elements := newAll("toChan", ctx, src, opts)
	go func() {
		clean := false
		defer func() {
			if !clean { // closed channels alone would look like completion
				select {
				case failed <- failure.Recovered(recover()):
				default: // the error is there, and leaving has ended the goroutine
				}
			}
			close(out)
			close(failed)
		}()
		for v, err := range elements {
			if err == nil {
				select {
				case out <- v:
					continue
				case <-ctx.Done():
					reactor.Discard(ctx, v)
					err = context.Cause(ctx)
				}
			}
			failed <- err
			break
		}
		clean = true
	}()
	return out, failed
}
