package schedulers

import (
	"fmt"

	"github.com/goreactor/reactor"
)

// NewParallel returns a scheduler with n slots that take turns: direct tasks and
// workers are spread evenly, and a worker stays where it is. Its tasks must not
// block; see [CheckBlocking]. It is an error if n ≤ 0. Dispose it when it is no
// longer needed.
func NewParallel(name string, n int, opts ...Option) (Scheduler, error) {
	return currentFactory().NewParallel(name, n, opts...)
}

func newParallel(name string, n int, opts []Option) (Scheduler, error) {
	if n <= 0 {
		return nil, fmt.Errorf("schedulers: NewParallel: n > 0 required but it was %d: %w", n, reactor.ErrIllegalArgument)
	}
	set := newSettings("NewParallel", opts)
	return newFixed("parallel", fmt.Sprintf("parallel(%d,%q)", n, name), name, n, &parallelCount, set), nil
}
