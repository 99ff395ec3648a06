package live

import "context"

// WatchContext is AfterContext, except that f is called at once where ctx has ended before: whoever begins with what is over
// hears so from the call, and not when some goroutine gets round to it.
func WatchContext(ctx context.Context, f func()) (stop func() bool) {
	if ctx.Err() != nil {
		f()
		return over
	}
	return AfterContext(ctx, f)
}

// over is the stop of what was called already.
func over() bool { return false }
