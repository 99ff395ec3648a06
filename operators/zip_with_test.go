package operators

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestZipWithAddsSources(t *testing.T) {
	p := ZipWith(ZipWith(Range(1, 3), Range(10, 3), add), Range(100, 3), func(a, b int) string { return fmt.Sprint(a, b) })
	run(p).Done(t, "11 100", "13 101", "15 102")
	a, b, c := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
	run(ZipWith(ZipWith(a, b, add), c, add))
	for range 24 {
		a.last().OnNext(1)
		b.last().OnNext(2)
	}
	assert.EqualValues(t, 32, a.last().requested.Load(), "one stage: nothing is combined yet")
	run(ZipWith(ZipWith(a, b, add), c, add, Prefetch(32)))
	for range 24 {
		a.last().OnNext(1)
		b.last().OnNext(2)
	}
	assert.EqualValues(t, 56, a.last().requested.Load(), "two stages")
}

// A failure of the second function must find the elements of the first ones.
func TestZipWithDiscardsRowOfFailedFunction(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := ZipWith(ZipWith(Hide(FromSlice([]int{1})), DoOnRequest(FromSlice([]int{2}), func(int64) {}), add),
		DoOnRequest(FromSlice([]int{3}), func(int64) {}), func(int, int) int { panic(errBoom) })
	runWith(ctx, src).Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
}

func TestZipWithIterable(t *testing.T) {
	for name, zip := range zipIterables {
		t.Run(name, func(t *testing.T) {
			run(zip(Range(1, 3), []int{10, 20, 30, 40}, add)).Done(t, 11, 22, 33)
			run(zip(Range(1, 3), []int{10, 20}, add)).Done(t, 11, 22)
			run(zip(Error[int](errBoom), []int{10, 20}, add)).Failed(t, errBoom)
			src := &puppet[int]{}
			run(zip(src, nil, add)).Done(t)
			assert.Zero(t, src.count())
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			zip(src, []int{10, 20}, add).Subscribe(ctx, p)
			assert.EqualValues(t, 1, src.last().requested.Load())
			src.last().OnNext(1)
			p.Open(t, 11)
			p.Request(5)
			assert.EqualValues(t, 6, src.last().requested.Load())
			src.last().OnNext(2)
			p.Done(t, 11, 22)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnNext(3)
			src.last().OnError(errBoom)
			src.last().OnComplete()
			assert.Equal(t, []any{3}, hooks.Dropped)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			again := zip(Range(1, 2), []int{10, 20, 30}, add)
			run(again).Done(t, 11, 22)
			run(again).Done(t, 11, 22)
		})
	}
}

func TestZipWithIterableFunctionPanics(t *testing.T) {
	for name, zip := range zipIterables {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			fn := func(a, b int) int {
				switch a {
				case 2:
					panic(errBoom)
				case 3:
					runtime.Goexit()
				}
				return a + b
			}
			runWith(ctx, zip(FromSlice([]int{1, 2}), []int{10, 20, 30}, fn)).Failed(t, errBoom, 11)
			assert.Contains(t, hooks.Discarded, any(2))
			var wg sync.WaitGroup
			p := probeOf[int](reactor.Unbounded)
			wg.Go(func() { zip(FromSlice([]int{3}), []int{10}, fn).Subscribe(ctx, p) })
			wg.Wait()
			p.Failed(t, reactor.ErrGoexit)
			p = runWith(ctx, Map(zip(FromSlice([]int{1, 1}), []int{10, 20, 30}, fn), func(int) int { panic(errBoom) }))
			p.Failed(t, errBoom)
			p = probeOf[int](reactor.Unbounded)
			p.Each = func(int) { p.Cancel() }
			zip(Range(5, 5), []int{10, 20, 30}, fn).Subscribe(ctx, p)
			p.Open(t, 15)
		})
	}
}

func TestZipWithIterableArguments(t *testing.T) {
	requirePanics(t, "zipWithSlice: the combiner is nil", func() { ZipWithSlice[int, int, int](Just(1), nil, nil) })
	requirePanics(t, "zipWithSlice: the publisher is nil", func() { ZipWithSlice(nil, nil, add) })
	requirePanics(t, "zipWithSeq: the combiner is nil", func() { ZipWithSeq[int, int, int](Just(1), slices.Values([]int{}), nil) })
	requirePanics(t, "zipWithSeq: the publisher is nil", func() { ZipWithSeq(nil, slices.Values([]int{}), add) })
	requirePanics(t, "zipWithSeq: the sequence is nil", func() { ZipWithSeq(Just(1), nil, add) })
}
