package flux

import "github.com/goreactor/reactor/operators"

// CheckpointOption is an option of [Flux.Checkpoint].
type CheckpointOption = operators.CheckpointOption

// StackTrace keeps the whole stack of the assembly instead of one line of it.
func StackTrace() StackTraceOption { return operators.StackTrace() }

// Checkpoint adds description, and the place where it is called, to an error that passes here;
// the message and what errors.Is and errors.As find stay. Printed with %+v the error tells of
// all checkpoints it has passed.
//
//	f:    1 --- 2 --- #
//	      Checkpoint("orders")
//	out:  1 --- 2 --- #      checkpoint "orders", assembled at orders.go:42 (main.orders)
//
// The stack of an error that comes from another goroutine says nothing about the stream it
// belongs to; a checkpoint does. Of several each adds its own, in the order in which the error
// passes them. An error of what is downstream is not added to. Everything else passes unchanged.
//
// The place is noted when the stream is assembled, which costs some hundred nanoseconds, with
// [StackTrace] about a microsecond, and is looked up in the tables of the program only for an
// error.
func (f Flux[T]) Checkpoint[F Self[T]](description string, opts ...CheckpointOption) F {
	return wrap[F](operators.Checkpoint(f.Source(), description, opts...))
}

// Checkpoint adds description, and the place where it is called, to an error of a rail.
//
//	p:    1 --- 2 --- #
//	      Checkpoint("orders")
//	out:  1 --- 2 --- #      checkpoint "orders", assembled at orders.go:42 (main.orders)
//
// The stack of an error that comes from another goroutine says nothing about the stream it
// belongs to; a checkpoint does. Of several each adds its own, in the order in which the error
// passes them. An error of what is downstream is not added to. Everything else passes unchanged.
//
// The place is noted when the stream is assembled, which costs some hundred nanoseconds, with
// [StackTrace] about a microsecond, and is looked up in the tables of the program only for an
// error.
func (p ParallelFlux[T]) Checkpoint[P ParallelSelf[T]](description string, opts ...CheckpointOption) P {
	return P{operators.ParallelCheckpoint(railsOf(p), description, opts...)}
}
