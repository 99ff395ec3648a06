package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConcat(t *testing.T) {
	run(Concat[int]()).Done(t)
	run(Concat(FromSlice([]int{1, 2}))).Done(t, 1, 2)
	run(Concat(FromSlice([]int{1, 2}), Empty[int](), Just(3))).Done(t, 1, 2, 3)
	run(Concat(failing(1), Just(3))).Failed(t, errBoom, 1)
	run(ConcatWith(Just(1), Just(2), Just(3))).Done(t, 1, 2, 3)
	run(ConcatWith(Just(1))).Done(t, 1)
	run(StartWith(Just(1), Just(2), Just(3))).Done(t, 2, 3, 1)
	run(StartWith(Just(1))).Done(t, 1)
}

func TestConcatWithMakesOneStage(t *testing.T) {
	base := Concat(Just(1), Just(2))
	a, b := ConcatWith(base, Just(3)), ConcatWith(base, Just(4), Just(5))
	assert.Len(t, a.(*concatPublisher[int]).sources, 3)
	run(a).Done(t, 1, 2, 3)
	run(b).Done(t, 1, 2, 4, 5)
	run(base).Done(t, 1, 2)
}

func TestStartWith(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](2)
	StartWith(src, Range(1, 2), Just(3)).Subscribe(t.Context(), p)
	p.Open(t, 1, 2)
	assert.Zero(t, src.count(), "the others come first")
	p.Request(2)
	p.Open(t, 1, 2, 3)
	assert.EqualValues(t, 1, src.last().requested.Load(), "what is left of the demand")
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Done(t, 1, 2, 3, 4)

	never := &puppet[int]{}
	run(StartWith(never, Error[int](errBoom))).Failed(t, errBoom)
	assert.Zero(t, never.count())
}
