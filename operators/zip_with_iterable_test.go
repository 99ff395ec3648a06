package operators

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/racetest"
)

// zipIterables are the two forms of zipping with something that is at hand.
var zipIterables = map[string]func(src reactor.Publisher[int], items []int, fn func(int, int) int) reactor.Publisher[int]{
	"slice": ZipWithSlice[int, int, int],
	"seq": func(src reactor.Publisher[int], items []int, fn func(int, int) int) reactor.Publisher[int] {
		return ZipWithSeq(src, slices.Values(items), fn)
	},
}

func TestZipWithIterable(t *testing.T) {
	for name, zip := range zipIterables {
		t.Run(name, func(t *testing.T) {
			run(zip(Range(1, 3), []int{10, 20, 30, 40}, add)).assertCompleted(t, 11, 22, 33)
			run(zip(Range(1, 3), []int{10, 20}, add)).assertCompleted(t, 11, 22)
			run(zip(Error[int](errBoom), []int{10, 20}, add)).assertFailed(t, errBoom)
			src := &puppet[int]{}
			run(zip(src, nil, add)).assertCompleted(t)
			assert.Zero(t, src.count())
			ctx, hooks := recordHooks()
			p := probeOf[int](1)
			zip(src, []int{10, 20}, add).Subscribe(ctx, p)
			assert.EqualValues(t, 1, src.last().requested.Load())
			src.last().OnNext(1)
			p.assertOpen(t, 11)
			p.request(5)
			assert.EqualValues(t, 6, src.last().requested.Load())
			src.last().OnNext(2)
			p.assertCompleted(t, 11, 22)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnNext(3)
			src.last().OnError(errBoom)
			src.last().OnComplete()
			assert.Equal(t, []any{3}, hooks.dropped)
			assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
			again := zip(Range(1, 2), []int{10, 20, 30}, add)
			run(again).assertCompleted(t, 11, 22)
			run(again).assertCompleted(t, 11, 22)
		})
	}
}

func TestZipWithIterableFunctionPanics(t *testing.T) {
	for name, zip := range zipIterables {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			fn := func(a, b int) int {
				switch a {
				case 2:
					panic(errBoom)
				case 3:
					runtime.Goexit()
				}
				return a + b
			}
			runWith(ctx, zip(FromSlice([]int{1, 2}), []int{10, 20, 30}, fn)).assertFailed(t, errBoom, 11)
			assert.Contains(t, hooks.discarded, any(2))
			var wg sync.WaitGroup
			p := probeOf[int](reactor.Unbounded)
			wg.Go(func() { zip(FromSlice([]int{3}), []int{10}, fn).Subscribe(ctx, p) })
			wg.Wait()
			p.assertFailed(t, reactor.ErrGoexit)
			p = runWith(ctx, Map(zip(FromSlice([]int{1, 1}), []int{10, 20, 30}, fn), func(int) int { panic(errBoom) }))
			p.assertFailed(t, errBoom)
			p = probeOf[int](reactor.Unbounded)
			p.onNext = func(int) { p.cancel() }
			zip(Range(5, 5), []int{10, 20, 30}, fn).Subscribe(ctx, p)
			p.assertOpen(t, 15)
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

// countedSeq yields numbers for ever and reports when it has ended.
func countedSeq(ended *int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *ended++ }()
		for n := 10; yield(n); n += 10 {
		}
	}
}

func TestZipWithSeqEndsTheSequence(t *testing.T) {
	ended := 0
	ctx, hooks := recordHooks()
	src := ZipWithSeq(Range(1, 2), countedSeq(&ended), add)
	runWith(ctx, src).assertCompleted(t, 11, 22)
	assert.Equal(t, 1, ended)
	assert.Equal(t, []any{30}, hooks.discarded, "what was taken ahead")
	p := probeOf[int](1)
	src.Subscribe(ctx, p)
	p.cancel()
	p.cancel()
	assert.Equal(t, 2, ended)
	runWith(ctx, ZipWithSeq(Error[int](errBoom), countedSeq(&ended), add)).assertFailed(t, errBoom)
	assert.Equal(t, 3, ended)
	runWith(ctx, ZipWithSeq(Range(1, 2), countedSeq(&ended), func(int, int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, 4, ended)
	runWith(ctx, Map(ZipWithSeq(Range(1, 2), countedSeq(&ended), add), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, 5, ended)
	p = probeOf[int](reactor.Unbounded)
	p.onNext = func(int) { p.cancel() }
	ZipWithSeq(Range(1, 2), countedSeq(&ended), add).Subscribe(ctx, p)
	assert.Equal(t, 6, ended)
}

func TestZipWithSeqThatPanics(t *testing.T) {
	ctx, hooks := recordHooks()
	breaking := func(after int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for n := range after {
				if !yield(n) {
					panic(errOther)
				}
			}
			panic(errBoom)
		}
	}
	src := &puppet[int]{}
	runWith(ctx, ZipWithSeq(src, breaking(0), add)).assertFailed(t, errBoom)
	assert.Zero(t, src.count())
	p := runWith(ctx, ZipWithSeq(src, breaking(1), add))
	src.last().OnNext(1)
	p.assertFailed(t, errBoom, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Empty(t, hooks.discarded, "it was delivered")
	p = runWith(ctx, ZipWithSeq(src, breaking(2), add))
	p.cancel()
	require.Len(t, hooks.droppedErrors, 1)
	assert.ErrorIs(t, hooks.droppedErrors[0].(error), errOther)
}

func TestZipWithSeqRaces(t *testing.T) {
	source := map[string]func(*raceSide){
		"next":     func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnNext(s.l.Produce()) },
		"complete": func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnComplete() },
		"error":    func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnError(errBoom) },
	}
	for name, signal := range source {
		t.Run(name, func(t *testing.T) {
			round := 0
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				if t.Failed() {
					return
				}
				l := newRacedLedger(t)
				ended := 0
				seq := func(yield func(element) bool) {
					defer func() { ended++ }()
					for range 1 + round%3 {
						if !yield(l.Produce()) {
							return
						}
					}
				}
				round++
				src := &puppet[element]{}
				p := probeOf[[]element](reactor.Unbounded)
				p.onNext = func(row []element) { l.Delivered(row) }
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
				ZipWithSeq(src, seq, pairOf).Subscribe(l.Context(ctx), p)
				race(func() { signal(&raceSide{l: l, up: src.last()}) }, func() { p.cancel() })
				l.Check()
				p.assertFaultless(t)
				assert.Equal(t, 1, ended)
			})
		})
	}
}
