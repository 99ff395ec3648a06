package operators

import (
	"testing"

	"github.com/goreactor/reactor"
)

func TestMergeSequential(t *testing.T) {
	sources := []reactor.Publisher[int]{tens(1), queuedTens(2), Just(5), Empty[int]()}
	run(MergeSequential(sources)).Done(t, 10, 11, 12, 20, 21, 22, 5)
	run(MergeSequential(sources[:1])).Done(t, 10, 11, 12)
	run(MergeSequential(sources[:0])).Done(t)
	run(MergeSequentialAll(FromSlice(sources))).Done(t, 10, 11, 12, 20, 21, 22, 5)
	failing := []reactor.Publisher[int]{Error[int](errBoom), Just(1)}
	run(MergeSequential(failing)).Failed(t, errBoom)
	run(MergeSequential(failing, DelayErrors())).Failed(t, errBoom, 1)
}

func TestMergeSequentialAll(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := run(MergeSequentialAll[int](JustAll[reactor.Publisher[int]](a, b)))
	b.last().OnNext(3)
	b.last().OnComplete()
	p.Open(t)
	a.last().OnNext(1)
	p.Open(t, 1)
	a.last().OnComplete()
	p.Done(t, 1, 3)
}
