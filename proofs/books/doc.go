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
// Narrow programs (TestNarrowBooks) are one stage, sometimes two, between strangers: sources and readers that keep to the rules of
// Reactive Streams and have nothing of the library around them. One to three faults come early, most of them in the stage or
// in the reader: those of trees, and
//
//	request   the reader asks for more, within a function or beside it
//	nil       a function returns no publisher
//	refused   the scheduler takes no task
//
// In those of TestBooksOfABrokenScheduler one call of the scheduler panics, and nothing else goes wrong.
//
// Each run ends with how often every kind of fault has happened. TestNarrowProgramsReachEverything has every stage, neighbour, ending
// and fault drawn; the rows of the roster and the operators that no program has are listed beside it.
//
// A subscriber of either kind of program also looks at its signals: one at a time, no more elements than were asked for, nothing
// behind the end. A stream that nobody leaves has to end, unless endless says why not.
//
// What the library forgets on purpose is in a table (excuses_test.go) with the reason.
//
// proofs/chainfuzz looks at the order of signals, at demand and at races of data, in chains; this is about what
// becomes of things, also where streams meet. All of it is test code, see TestBooks and TestNarrowBooks.
package books
