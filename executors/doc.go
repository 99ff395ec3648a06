// Package executors holds what runs functions on goroutines: the interfaces that
// [github.com/goreactor/reactor/schedulers] accepts as the ground a scheduler can
// stand on.
//
// An [Executor] runs a function some time, somewhere. A [Service] is an Executor
// with an end: it can be shut down, and its end can be awaited. A [Timed] is a
// Service that can also wait for a point in time before it runs a function.
//
// None of them promises an order between two functions. A refusal is an error
// that the call returns; a function whose call returned nil is run, or is
// returned by ShutdownNow, never both and never neither.
package executors
