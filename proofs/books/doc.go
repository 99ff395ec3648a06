// Package books builds random trees of operators, lets things go wrong in them, and keeps books of
// every element, error and resource.
//
//   - An element that a source has emitted ends exactly once: it is delivered, discarded (the hook), or
//     reported as dropped.
//   - An error that came up arrives at the end, is handled by an operator that handles errors, or is
//     reported as dropped: at least once, and not twice.
//   - A resource is released exactly once: what Using and UsingWhen acquire, states and stores, what waits
//     for DoFinally, handles of sinks. Subscriptions of inner publishers, tasks and workers of schedulers,
//     goroutines, timers and watches over contexts are gone when the stream is.
//
// The leaves of a tree are sources, its other nodes stages with one child or more, shared ones among them;
// the root is read by a subscriber or by a call that blocks. Functions panic, fail, end their goroutine, cancel
// or end the context; the reader cancels, leaves its loop, fails, or stops to ask.
//
// What the library forgets on purpose is in a table (excuses_test.go) with the reason.
//
// proofs/chainfuzz looks at the order of signals, at demand and at races of data, in chains; this is about what
// becomes of things, also where streams meet. All of it is test code, see TestBooks.
package books
