package reactor

import (
	"fmt"
)

// Indexed is an element with its place in the stream.
type Indexed[T any] struct {
	Index int // counts from 0
	Value T
}

// String returns for example "3: x".
func (i Indexed[T]) String() string { return fmt.Sprintf("%d: %v", i.Index, i.Value) }

func (i Indexed[T]) element() any      { return i.Value }
func (Indexed[T]) elementPointer() any { return (*T)(nil) }
