package reactor

import (
	"fmt"
	"time"
)

// Timed is an element with the times that belong to it.
type Timed[T any] struct {
	Value   T
	Time    time.Time     // when it came
	Elapsed time.Duration // since the element before, or the subscription
	Total   time.Duration // since the subscription
}

// String returns for example "7 after 10ms (25ms)".
func (t Timed[T]) String() string {
	return fmt.Sprintf("%v after %v (%v)", t.Value, t.Elapsed, t.Total)
}

func (t Timed[T]) element() any      { return t.Value }
func (Timed[T]) elementPointer() any { return (*T)(nil) }
