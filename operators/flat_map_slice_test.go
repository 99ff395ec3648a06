package operators

import (
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// tensOf returns n, 10n, 100n, … , as many as n; nothing for 0, a panic for negative
// numbers.
func tensOf(n int) []int {
	if n < 0 {
		panic(errBoom)
	}
	var out []int
	for i, v := 0, n; i < n; i, v = i+1, v*10 {
		out = append(out, v)
	}
	return out
}

func tryTensOf(n int) ([]int, error) {
	if n < 0 {
		return []int{n}, errBoom
	}
	return tensOf(n), nil
}

func seqOfTens(n int) iter.Seq[int] {
	if n == 0 {
		return nil
	}
	return slices.Values(tensOf(n))
}

func seq2OfTens(n int) iter.Seq2[int, error] {
	if n == 0 {
		return nil
	}
	return func(yield func(int, error) bool) {
		if n < 0 {
			yield(7, errBoom)
			return
		}
		for _, v := range tensOf(n) {
			if !yield(v, nil) {
				return
			}
		}
	}
}

type flattenStage = func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int]

func flattenStages() map[string]flattenStage {
	return map[string]flattenStage{
		"flatMapSlice": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return FlatMapSlice(src, tensOf, opts...)
		},
		"tryFlatMapSlice": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return TryFlatMapSlice(src, tryTensOf, opts...)
		},
		"concatMapSlice": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return ConcatMapSlice(src, tensOf, opts...)
		},
		"flatMapSeq": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return FlatMapSeq(src, seqOfTens, opts...)
		},
		"flatMapSeq2": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return FlatMapSeq2(src, seq2OfTens, opts...)
		},
		"concatMapSeq": func(src reactor.Publisher[int], opts ...PrefetchOption) reactor.Publisher[int] {
			return ConcatMapSeq(src, seqOfTens, opts...)
		},
	}
}

func eachFlatten(t *testing.T, check func(t *testing.T, stage flattenStage)) {
	for name, stage := range flattenStages() {
		t.Run(name, func(t *testing.T) { check(t, stage) })
	}
}

func TestFlatMapSlice(t *testing.T) {
	eachFlatten(t, func(t *testing.T, stage flattenStage) {
		src := Hide(FromSlice([]int{0, 2, 0, 3, 0}))
		run(stage(src)).Done(t, 2, 20, 3, 30, 300)
		for step := int64(1); step <= 4; step++ {
			p := probeOf[int](0)
			stage(src, Prefetch(1)).Subscribe(context.Background(), p)
			for range 5 {
				p.Faultless(t)
				if !p.Over() {
					p.Request(step)
				}
			}
			p.Done(t, 2, 20, 3, 30, 300)
		}
		run(stage(Hide(FromSlice([]int{0, 0})))).Done(t)
		p := probeOf[int](0)
		stage(Hide(FromSlice([]int{0, 0})), Prefetch(1)).Subscribe(context.Background(), p)
		p.Done(t) // without demand

		// A source that is computed is not subscribed to.
		run(stage(Just(2))).Done(t, 2, 20)
		run(stage(Just(0))).Done(t)
		run(stage(Empty[int]())).Done(t)
		run(stage(Error[int](errBoom))).Failed(t, errBoom)
	})
}

func TestFlatMapSliceFailures(t *testing.T) {
	eachFlatten(t, func(t *testing.T, stage flattenStage) {
		for _, demand := range []int64{10, reactor.Unbounded} {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := probeOf[int](demand)
			stage(src).Subscribe(ctx, p)
			src.last().OnNext(2)
			src.last().OnNext(-1)
			src.last().OnNext(5)
			src.last().OnError(errOther)
			src.last().OnComplete()
			p.Failed(t, errBoom, 2, 20)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.Contains(t, append(hooks.Discarded, hooks.Dropped...), 5)
		}
		run(stage(Just(-1))).Failed(t, errBoom)

		// Something downstream fails.
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, Map(stage(src), func(v int) int {
			if v == 30 {
				panic(errBoom)
			}
			return v
		}))
		src.last().OnNext(3)
		src.last().OnNext(9)
		p.Failed(t, errBoom, 3)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Contains(t, hooks.Discarded, 30)
	})
}

func TestFlatMapSliceErrorCutsIn(t *testing.T) {
	eachFlatten(t, func(t *testing.T, stage flattenStage) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := probeOf[int](1)
		stage(src).Subscribe(ctx, p)
		src.last().OnNext(3)
		src.last().OnNext(1)
		src.last().OnError(errBoom)
		src.last().OnError(errOther)
		src.last().OnNext(4)
		p.Failed(t, errBoom, 3)
		assert.Contains(t, hooks.Discarded, 30, "computed already")
		assert.Contains(t, hooks.Discarded, 1)
		assert.Equal(t, []any{4}, hooks.Dropped)
		assert.Equal(t, []any{errOther}, hooks.Errs)
	})
}

func TestFlatMapSliceCancel(t *testing.T) {
	eachFlatten(t, func(t *testing.T, stage flattenStage) {
		for _, demand := range []int64{2, 10, reactor.Unbounded} {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := probeOf[int](demand)
			p.Each = func(v int) {
				if v == 30 {
					p.Cancel()
					p.Cancel()
				}
			}
			stage(src).Subscribe(ctx, p)
			src.last().OnNext(3)
			src.last().OnNext(8)
			p.Open(t, 3, 30)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.Contains(t, hooks.Discarded, 8)
		}
	})
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	FlatMapSlice(Hide(FromSlice([]int{3, 1})), tensOf).Subscribe(ctx, p)
	p.Cancel()
	assert.ElementsMatch(t, []any{30, 300, 1}, hooks.Discarded, "the rest of the slice, and what waits")
}

func TestFlatMapSlicePrefetch(t *testing.T) {
	for want, opts := range map[int64][]PrefetchOption{
		256: nil, 4: {Prefetch(4)}, reactor.Unbounded: {Prefetch(math.MaxInt)},
	} {
		src := &puppet[int]{}
		p := probeOf[int](0)
		FlatMapSlice(src, tensOf, opts...).Subscribe(context.Background(), p)
		up := src.last()
		assert.Equal(t, want, up.requested.Load())
		if want != 4 {
			continue
		}
		for range 4 {
			up.OnNext(1)
		}
		p.Request(2)
		assert.EqualValues(t, 4, up.requested.Load())
		p.Request(1)
		assert.EqualValues(t, 7, up.requested.Load(), "three quarters are done with")
		for range 5 {
			up.OnNext(1)
		}
		p.Failed(t, reactor.ErrOverflow, 1, 1, 1)
		assert.ErrorContains(t, p.Failure(), "more than the 4 elements")
	}
	src := &puppet[int]{}
	run(ConcatMapSlice(src, tensOf))
	assert.EqualValues(t, 32, src.last().requested.Load())
	run(ConcatMapSeq(src, seqOfTens))
	assert.EqualValues(t, 32, src.last().requested.Load())
	for op, assemble := range map[string]func(){
		"flatMapSlice":    func() { FlatMapSlice[int, int](Just(1), nil) },
		"tryFlatMapSlice": func() { TryFlatMapSlice[int, int](Just(1), nil) },
		"concatMapSlice":  func() { ConcatMapSlice[int, int](Just(1), nil) },
		"flatMapSeq":      func() { FlatMapSeq[int, int](Just(1), nil) },
		"flatMapSeq2":     func() { FlatMapSeq2[int, int](Just(1), nil) },
		"concatMapSeq":    func() { ConcatMapSeq[int, int](Just(1), nil) },
	} {
		requirePanics(t, op+": the mapper is nil", assemble)
	}
	requirePanics(t, "flatMapSlice: prefetch must be positive, got 0", func() { FlatMapSlice(Just(1), tensOf, Prefetch(0)) })
}

func TestFlatMapSliceGoesOnUnderOnErrorContinue(t *testing.T) {
	for name, stage := range flattenStages() {
		if name == "flatMapSeq2" {
			continue // its failures are those of a sequence
		}
		t.Run(name, func(t *testing.T) {
			for _, src := range []reactor.Publisher[int]{Hide(FromSlice([]int{1, -1, 2})), Just(-1)} {
				ctx, hooks := probe.Recorded()
				var seen []any
				p := runWith(ctx, OnErrorContinue(stage(src, Prefetch(1)), func(err error, v any) {
					assert.ErrorIs(t, err, errBoom)
					seen = append(seen, v)
				}))
				if _, one := src.(*justPublisher[int]); one {
					p.Done(t)
				} else {
					p.Done(t, 1, 2, 20)
				}
				assert.Equal(t, []any{-1}, seen)
				assert.Equal(t, []any{-1}, hooks.Discarded)
			}
		})
	}
}

func TestFlatMapSliceNamesTheOperatorThatPanicked(t *testing.T) {
	for name, stage := range flattenStages() {
		if name == "tryFlatMapSlice" || name == "flatMapSeq2" {
			continue
		}
		p := run(stage(Hide(Just(-1))))
		var panicked *reactor.PanicError
		if assert.ErrorAs(t, p.Failure(), &panicked) {
			assert.NotEmpty(t, panicked.Op)
		}
	}
}

func TestFlatMapSliceGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	ctx, hooks := probe.Recorded()
	done := make(chan struct{})
	go func() {
		defer close(done)
		FlatMapSlice(Hide(FromSlice([]int{1, 2})), func(int) []int { runtime.Goexit(); return nil }).Subscribe(ctx, p)
	}()
	<-done
	p.Failed(t, reactor.ErrGoexit)
	assert.Empty(t, hooks.Errs)
	assert.Equal(t, []any{1, 2}, hooks.Discarded, "each of them once")
}

func TestFlatMapSliceRaces(t *testing.T) {
	type scene struct {
		l  *ledger.Ledger
		p  *probe.Probe[element]
		up *puppetSubscription[element]
	}
	stages := map[string]func(elements) elements{
		"slice": func(src elements) elements {
			return FlatMapSlice(src, func(e element) []element { return []element{e} }, Prefetch(4))
		},
		"seq": func(src elements) elements {
			return FlatMapSeq(src, func(e element) iter.Seq[element] { return slices.Values([]element{e}) }, Prefetch(4))
		},
	}
	ups := map[string]func(scene){
		"next":     func(s scene) { s.up.OnNext(s.l.Produce()); s.up.OnNext(s.l.Produce()) },
		"complete": func(s scene) { s.up.OnNext(s.l.Produce()); s.up.OnComplete() },
		"error":    func(s scene) { s.up.OnNext(s.l.Produce()); s.up.OnError(errBoom) },
	}
	downs := map[string]func(scene){
		"request": func(s scene) { s.p.Request(1); s.p.Request(1) },
		"cancel":  func(s scene) { s.p.Cancel() },
	}
	for name, stage := range stages {
		for first, up := range ups {
			for second, down := range downs {
				t.Run(name+"-"+first+"-"+second, func(t *testing.T) {
					round := 0
					racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
						round++
						src := &puppet[element]{}
						s := scene{l: ledger.New(t)}
						demands := []int64{0, 1, 2, reactor.Unbounded}
						if name == "seq" {
							demands = demands[:3] // a sequence that an end overtakes before it begins keeps its elements to itself
						}
						s.p = ledgerProbe(s.l, demands[round%len(demands)])
						stage(src).Subscribe(s.l.Context(context.Background()), s.p)
						s.up = src.last()
						s.up.OnNext(s.l.Produce())
						race(func() { up(s) }, func() { down(s) })
						if second == "request" {
							s.p.Request(10)
							assert.Equal(t, first != "next", s.p.Over())
						}
						s.p.Cancel()
						s.l.Check()
						s.p.Faultless(t)
					})
				})
			}
		}
	}
}
