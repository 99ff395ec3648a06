// Package chainfuzz builds random chains of operators, runs them in virtual time
// with random demand, cancellation, panics and ends of the context, and compares
// what comes out with a model of each operator that works on whole lists and knows
// nothing of demand, queues or goroutines.
//
// On real schedulers, with panics, ends of goroutines, refusals and cancellations from everywhere,
// there is no model; there what must hold whatever happens is checked: see TestThreads.
//
// All of it is test code. A chain is a string of bytes: the same bytes build the same
// chain for ever, so what go test -fuzz finds is kept as a file in testdata/fuzz.
package chainfuzz
