// Package goid answers one question: do two calls come from the same goroutine?
//
// Go gives goroutines no identity on purpose, and nothing here is meant for
// goroutine-local storage. A scheduler needs the answer for one decision: a task
// that disposes itself must not be cancelled, a task disposed from outside must
// be. That decision is taken at the end of nearly every asynchronous stream, so
// it has to be cheap: a nanosecond where an assembly stub exists, as it does for
// all processors but WebAssembly, a few microseconds elsewhere.
package goid

// Current returns a token that differs between any two goroutines alive at the
// same time. It is never 0. After a goroutine has ended its token may be given to
// another one.
func Current() uintptr { return current() }
