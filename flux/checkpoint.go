package flux

import "github.com/goreactor/reactor/operators"

// CheckpointOption is an option of [Flux.Checkpoint].
type CheckpointOption = operators.CheckpointOption

// StackTrace keeps the whole stack of the assembly instead of one line of it.
func StackTrace() StackTraceOption { return operators.StackTrace() }

// Checkpoint adds description, and the place where it is called, to an error that
// passes here; the message and what errors.Is and errors.As find stay. Printed with
// %+v the error tells of all checkpoints it has passed.
//
// See [operators.Checkpoint].
func (f Flux[T]) Checkpoint[F Self[T]](description string, opts ...CheckpointOption) F {
	return wrap[F](operators.Checkpoint(f.Source(), description, opts...))
}

// Checkpoint adds description, and the place where it is called, to an error of a rail.
//
// See [operators.Checkpoint].
func (p ParallelFlux[T]) Checkpoint[P ParallelSelf[T]](description string, opts ...CheckpointOption) P {
	return P{operators.ParallelCheckpoint(railsOf(p), description, opts...)}
}
