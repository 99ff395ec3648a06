package operators

import (
	"testing"

	"github.com/goreactor/reactor"
)

func TestMergeSequential(t *testing.T) {
	sources := []reactor.Publisher[int]{tens(1), queuedTens(2), Just(5), Empty[int]()}
	run(MergeSequential(sources)).assertCompleted(t, 10, 11, 12, 20, 21, 22, 5)
	run(MergeSequential(sources[:1])).assertCompleted(t, 10, 11, 12)
	run(MergeSequential(sources[:0])).assertCompleted(t)
	run(MergeSequentialAll(FromSlice(sources))).assertCompleted(t, 10, 11, 12, 20, 21, 22, 5)
	failing := []reactor.Publisher[int]{Error[int](errBoom), Just(1)}
	run(MergeSequential(failing)).assertFailed(t, errBoom)
	run(MergeSequential(failing, DelayErrors())).assertFailed(t, errBoom, 1)
}
