// Package locktest holds what tests of keylock backends need: [Run] checks a backend
// against the contract of keylock.Backend, [Intercept] loses its answers, and [Stream]
// and [Tree] are stores in memory, one with the semantics of a stream with
// last-value-per-subject and one with those of a tree with leases.
package locktest
