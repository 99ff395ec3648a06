package schedulers

import (
	"fmt"
	"strconv"
	"sync/atomic"
)

// The workers of a kind are numbered through the whole process, so that a name
// points at one worker.
var (
	singleCount   atomic.Int64
	parallelCount atomic.Int64
	elasticCount  atomic.Int64
	perTaskCount  atomic.Int64
)

func numbered(prefix string, count *atomic.Int64) string {
	return prefix + "-" + strconv.FormatInt(count.Add(1), 10)
}

// NewSingle returns a scheduler with one slot: all of its tasks, from whichever
// worker, run one after the other. Its tasks must not block; see [CheckBlocking].
// Dispose it when it is no longer needed.
func NewSingle(name string, opts ...Option) Scheduler {
	return currentFactory().NewSingle(name, opts...)
}

func newSingle(name string, opts []Option) Scheduler {
	return newFixed("single", fmt.Sprintf("single(%q)", name), name, 1, &singleCount, newSettings("NewSingle", opts))
}
