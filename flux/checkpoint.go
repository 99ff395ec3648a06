package flux

import "github.com/goreactor/reactor/operators"

// CheckpointOption is an option of [Flux.Checkpoint].
type CheckpointOption = operators.CheckpointOption

// StackTrace makes Checkpoint keep the whole stack of the assembly instead of one line of it.
func StackTrace() StackTraceOption { return operators.StackTrace() }

// Checkpoint adds description, and the place where Checkpoint is called, to an error that
// passes; the message of the error, and what errors.Is and errors.As find, stay the same.
// Printed with %+v, the error lists all checkpoints that it has passed.
//
//	f:    1 --- 2 --- #
//	      Checkpoint("orders")
//	out:  1 --- 2 --- #      checkpoint "orders", assembled at orders.go:42 (main.orders)
//
// The stack of an error that comes from another goroutine does not show to which stream the error
// belongs; a checkpoint does. Each of several checkpoints adds its own description and place, in
// the order in which the error passes them. Nothing is added to an error of a stage downstream.
// Everything else passes unchanged.
//
// The place is recorded when the stream is assembled, which costs a few hundred nanoseconds, or
// about a microsecond with [StackTrace]. It is looked up in the tables of the program only when
// there is an error.
func (f Flux[T]) Checkpoint[F Self[T]](description string, opts ...CheckpointOption) F {
	return wrap[F](operators.Checkpoint(f.Source(), description, opts...))
}

// Checkpoint adds description, and the place where Checkpoint is called, to an error of a rail.
//
//	p:    1 --- 2 --- #
//	      Checkpoint("orders")
//	out:  1 --- 2 --- #      checkpoint "orders", assembled at orders.go:42 (main.orders)
//
// The stack of an error that comes from another goroutine does not show to which stream the error
// belongs; a checkpoint does. Each of several checkpoints adds its own description and place, in
// the order in which the error passes them. Nothing is added to an error of a stage downstream.
// Everything else passes unchanged.
//
// The place is recorded when the stream is assembled, which costs a few hundred nanoseconds, or
// about a microsecond with [StackTrace]. It is looked up in the tables of the program only when
// there is an error.
func (p ParallelFlux[T]) Checkpoint[P ParallelSelf[T]](description string, opts ...CheckpointOption) P {
	return P{operators.ParallelCheckpoint(railsOf(p), description, opts...)}
}
