package live

import "context"

// Ended is what hears of the end of a context.
type Ended interface {
	// ContextEnded is called once, on a goroutine that nothing else waits for.
	ContextEnded()
}

// WatchContext has x told when ctx ends, unless stop is called before. Where ctx has ended already x is told at once,
// here: whoever begins with what is over hears so from the call, and not when some goroutine gets round to it.
func WatchContext(ctx context.Context, x Ended) (stop func() bool) {
	if ctx.Err() != nil {
		x.ContextEnded()
		return over
	}
	return AfterContext(ctx, x)
}

// AfterContext is WatchContext, except that x always hears on another goroutine.
func AfterContext(ctx context.Context, x Ended) (stop func() bool) {
	done := ctx.Done()
	if done == nil {
		return never
	}
	x = watched(x)
	if h := hubOf(ctx, done); h != nil {
		if p := h.enter(x); p != nil {
			return p.leave
		}
	}
	if f, is := x.(Func); is {
		return single(context.AfterFunc(ctx, f)) // its method is another one, on the heap
	}
	return single(context.AfterFunc(ctx, x.ContextEnded))
}

// Func is a function as [Ended].
type Func func()

// ContextEnded calls f.
func (f Func) ContextEnded() { f() }

// over is the stop of what was called already.
func over() bool { return false }

// never is the stop of a watch over what does not end.
func never() bool { return true }
