package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

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

func TestMergeSequentialConcurrency(t *testing.T) {
	a, b, c := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
	p := run(MergeSequential([]stream{a, b, c}, Concurrency(2)))
	b.last().OnNext(2)
	b.last().OnComplete()
	assert.Zero(t, c.count(), "two wait or run")
	a.last().OnNext(1)
	a.last().OnComplete()
	assert.Equal(t, 1, c.count())
	p.Open(t, 1, 2)
	c.last().OnNext(3)
	c.last().OnComplete()
	p.Done(t, 1, 2, 3)
	for n := range 4 {
		assert.PanicsWithValue(t, "reactor: mergeSequential: concurrency must be positive, got 0",
			func() { MergeSequential([]stream{a, b, c}[:n], Concurrency(0)) })
	}
}

// What is refused is refused under the name that the caller has written.
func TestMergeAllNamesItself(t *testing.T) {
	src := Just[stream](Just(1))
	requirePanics(t, "reactor: mergeAll: concurrency must be positive, got 0", func() { MergeAll(src, Concurrency(0)) })
	requirePanics(t, "reactor: mergeAll: option 1 is nil", func() { MergeAll(src, nil) })
	requirePanics(t, "reactor: mergeSequentialAll: prefetch must be positive, got 0", func() { MergeSequentialAll(src, Prefetch(0)) })
	requirePanics(t, "reactor: mergeSequentialAll: option 1 is nil", func() { MergeSequentialAll(src, nil) })
	for name, all := range map[string]stream{"mergeAll": MergeAll(Just[stream](nil)), "mergeSequentialAll": MergeSequentialAll(Just[stream](nil))} {
		_, err := BlockLast(context.Background(), all)
		assert.ErrorContains(t, err, "reactor: "+name+": ")
	}
}
