package operators

// Values that users get have a String method, because package fmt would read fields that other
// goroutines write meanwhile: code that prints a context, as mocks do with their arguments, would
// have a race.

// String returns "function of a stream", as contexts describe themselves.
func (c *callContext) String() string { return "function of a stream" }

// String returns "future", and whether its result is there.
func (f *Future[T]) String() string {
	select {
	case <-f.done:
		return "future, done"
	default:
		return "future"
	}
}

// String returns "subscription", and whether it is disposed.
func (s *funcSubscriber[T]) String() string { return handleText("subscription", s.IsDisposed()) }

// String returns "subscription", and whether it is disposed.
func (f *funcRails[T]) String() string { return handleText("subscription", f.IsDisposed()) }

// String returns "connection", and whether it is disposed.
func (c *replayConnection[T]) String() string { return handleText("connection", c.IsDisposed()) }

// String returns "connection", and whether it is disposed.
func (c *publishConnection[T]) String() string { return handleText("connection", c.IsDisposed()) }

func handleText(what string, disposed bool) string {
	if disposed {
		return what + ", disposed"
	}
	return what
}
