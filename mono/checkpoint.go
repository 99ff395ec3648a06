package mono

import "github.com/goreactor/reactor/operators"

// CheckpointOption is an option of [Mono.Checkpoint].
type CheckpointOption = operators.CheckpointOption

// StackTrace keeps the whole stack of the assembly instead of one line of it.
func StackTrace() StackTraceOption { return operators.StackTrace() }

// Checkpoint adds description, and the place where it is called, to an error that
// passes here; the message and what errors.Is and errors.As find stay. Printed with
// %+v the error tells of all checkpoints it has passed.
//
// See [operators.Checkpoint].
func (m Mono[T]) Checkpoint[M Self[T]](description string, opts ...CheckpointOption) M {
	return wrap[M](operators.Checkpoint(m.Source(), description, opts...))
}
