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

func TestMergeSequentialAll(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := run(MergeSequentialAll[int](JustAll[reactor.Publisher[int]](a, b)))
	b.last().OnNext(3)
	b.last().OnComplete()
	p.assertOpen(t)
	a.last().OnNext(1)
	p.assertOpen(t, 1)
	a.last().OnComplete()
	p.assertCompleted(t, 1, 3)
}
