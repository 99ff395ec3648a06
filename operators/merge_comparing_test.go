package operators

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func comparingOf(opts ...MergeComparingOption) func(sources ...reactor.Publisher[int]) reactor.Publisher[int] {
	return func(sources ...reactor.Publisher[int]) reactor.Publisher[int] {
		return MergeComparing(cmp.Compare[int], sources, opts...)
	}
}

func TestMergeComparing(t *testing.T) {
	for _, prefetch := range []int{1, 2, 3, 256} { // A13
		merge := comparingOf(Prefetch(prefetch))
		run(merge(FromSlice([]int{1, 4, 6}), FromSlice([]int{2, 3, 7}), FromSlice([]int{5}))).Done(t, 1, 2, 3, 4, 5, 6, 7)
		run(merge(Empty[int](), Range(1, 2))).Done(t, 1, 2)
		run(merge(Range(1, 2))).Done(t, 1, 2)
		run(merge()).Done(t)
		p := probeOf[int](0)
		merge(Range(0, 3), Range(0, 3)).Subscribe(context.Background(), p)
		for range 6 {
			p.Request(1)
		}
		p.Done(t, 0, 0, 1, 1, 2, 2)
	}
	run(MergeComparingWith(FromSlice([]int{1, 3}), Just(2), cmp.Compare[int])).Done(t, 1, 2, 3)
	// Of equal elements that of the first source comes first.
	byTens := func(a, b int) int { return a/10 - b/10 }
	run(MergeComparing(byTens, []reactor.Publisher[int]{FromSlice([]int{11, 12}), FromSlice([]int{13, 21})})).
		Done(t, 11, 12, 13, 21)
}

// Many sources of any length come out as a stable sort of all of them puts them, at any
// demand; and the number of comparisons grows with the logarithm of their number.
func TestMergeComparingOfMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		n := 2 + rnd.IntN(60)
		var all []int
		sources := make([]reactor.Publisher[int], n)
		for i := range sources {
			part := make([]int, rnd.IntN(12))
			for j := range part {
				part[j] = rnd.IntN(20)*1000 + i
			}
			slices.SortStableFunc(part, func(a, b int) int { return a/1000 - b/1000 })
			all = append(all, part...)
			sources[i] = FromSlice(part)
		}
		slices.SortStableFunc(all, func(a, b int) int { return a/1000 - b/1000 })
		compared := 0
		p := probeOf[int](int64(round % 2))
		MergeComparing(func(a, b int) int { compared++; return a/1000 - b/1000 }, sources, Prefetch(1+round%5)).
			Subscribe(context.Background(), p)
		for range all {
			p.Request(1)
		}
		p.Done(t, all...)
		assert.LessOrEqual(t, compared, (len(all)+n)*2*bits.Len(uint(n)))
	}
}

func TestMergeComparingWaitsForAll(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](2)
	comparingOf(Prefetch(4))(a, b).Subscribe(context.Background(), p)
	assert.EqualValues(t, 4, a.last().requested.Load())
	for i := range 4 {
		a.last().OnNext(i)
	}
	p.Open(t)
	b.last().OnNext(1)
	p.Open(t, 0, 1)
	p.Request(2)
	p.Open(t, 0, 1, 1)
	b.last().OnComplete()
	p.Open(t, 0, 1, 1, 2)
	assert.EqualValues(t, 7, a.last().requested.Load(), "three quarters were delivered")
	p.Request(1)
	a.last().OnComplete()
	p.Done(t, 0, 1, 1, 2, 3)
}

func TestMergePriority(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](1)
	MergePriority(cmp.Compare[int], []reactor.Publisher[int]{a, b}).Subscribe(context.Background(), p)
	a.last().OnNext(5)
	p.Open(t, 5)
	a.last().OnNext(6)
	a.last().OnNext(7)
	b.last().OnNext(1)
	b.last().OnNext(8)
	p.Open(t, 5)
	p.Request(3)
	p.Open(t, 5, 1, 6, 7)
	a.last().OnComplete()
	b.last().OnComplete()
	p.Request(1)
	p.Done(t, 5, 1, 6, 7, 8)
}

func TestMergeComparingErrors(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	start := func(opts ...MergeComparingOption) *probe.Probe[int] {
		*hooks = probe.Record{}
		p := runWith(ctx, comparingOf(opts...)(a, b))
		a.last().OnNext(1)
		a.last().OnNext(2)
		return p
	}
	p := start()
	b.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	a.last().OnNext(3)
	a.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.Errs)
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)

	p = start(DelayErrors())
	b.last().OnError(errBoom)
	p.Open(t, 1, 2)
	a.last().OnError(errOther)
	p.Items(t, 1, 2)
	assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())

	never := &puppet[int]{}
	run(comparingOf()(Error[int](errBoom), never)).Failed(t, errBoom)
	assert.Zero(t, never.count(), "nothing is subscribed after the end")

	var seen []error
	run(OnErrorContinue(comparingOf()(Hide(Error[int](errBoom)), Just(1)), func(err error, _ any) { seen = append(seen, err) })).
		Done(t, 1)
	assert.Equal(t, []error{errBoom}, seen)

	p = runWith(ctx, MergeComparing(func(int, int) int { panic(errBoom) }, []reactor.Publisher[int]{Just(1), Just(2)}))
	p.Failed(t, errBoom)

	p = runWith(ctx, Map(comparingOf()(Range(0, 3), Range(0, 3)), func(v int) int {
		if v == 1 {
			panic(errOther)
		}
		return v
	}))
	p.Failed(t, errOther, 0, 0)
}

func TestMergeComparingCancel(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, comparingOf()(a, b))
	a.last().OnNext(1)
	a.last().OnNext(2)
	p.Cancel()
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.EqualValues(t, 1, b.last().cancels.Load())
	b.last().OnNext(3)
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
	p.Open(t)
}

func TestMergeComparingOverflow(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := run(comparingOf(Prefetch(1))(a, b))
	a.last().OnNext(1)
	a.last().OnNext(2) // one more is in hand
	a.last().OnNext(3)
	p.Failed(t, reactor.ErrOverflow)
	assert.ErrorContains(t, p.Failure(), "mergeComparing: overflow: a source sent more than the 1 elements it was asked for")
}

func TestMergeComparingArguments(t *testing.T) {
	requirePanics(t, "mergeComparing: the comparison is nil", func() { MergeComparing[int](nil, nil) })
	requirePanics(t, "mergePriority: the publisher is nil", func() { MergePriority(cmp.Compare[int], []reactor.Publisher[int]{nil}) })
	requirePanics(t, "mergeComparing: prefetch must be positive, got 0", func() { comparingOf(Prefetch(0))(Just(1)) })
	requirePanics(t, "mergeComparingWith: the publisher is nil", func() { MergeComparingWith(Just(1), nil, cmp.Compare[int]) })
}

func TestMergeComparingRaces(t *testing.T) {
	byNumber := func(x, y element) int { return x.Number - y.Number }
	for name, merge := range map[string]func(...elements) elements{
		"comparing": func(sources ...elements) elements { return MergeComparing(byNumber, sources, Prefetch(2)) },
		"delayed":   func(sources ...elements) elements { return MergeComparing(byNumber, sources, DelayErrors()) },
		"priority":  func(sources ...elements) elements { return MergePriority(byNumber, sources, Prefetch(2)) },
	} {
		for end, last := range map[string]func(*puppetSubscription[element]){
			"complete": func(s *puppetSubscription[element]) { s.OnComplete() },
			"error":    func(s *puppetSubscription[element]) { s.OnError(errBoom) },
		} {
			for down, do := range map[string]func(*probe.Probe[element]){
				"request": func(p *probe.Probe[element]) { p.Request(1); p.Request(reactor.Unbounded) },
				"cancel":  func(p *probe.Probe[element]) { p.Cancel() },
			} {
				t.Run(name+"/"+end+"/"+down, func(t *testing.T) {
					round := 0
					racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
						round++
						l := ledger.New(t)
						a, b := &puppet[element]{}, &puppet[element]{}
						p := ledgerProbe(l, int64(round%3))
						ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
						merge(a, b).Subscribe(l.Context(ctx), p)
						race(
							func() { a.last().OnNext(l.Produce()); a.last().OnNext(l.Produce()); last(a.last()) },
							func() { b.last().OnNext(l.Produce()); b.last().OnComplete() },
							func() { do(p) },
						)
						if down == "request" {
							require.True(t, p.Over())
						}
						p.Cancel()
						l.Check()
						p.Faultless(t)
					})
				})
			}
		}
	}
}

func TestMergeComparingFromManyGoroutines(t *testing.T) {
	s := newParallel(t, 4)
	var sources []reactor.Publisher[int]
	for i := range 4 {
		sources = append(sources, SubscribeOn(Map(Range(0, 1000), func(v int) int { return 4*v + i }), s))
	}
	items, err := Collect(context.Background(), comparingOf(Prefetch(7))(sources...))
	require.NoError(t, err)
	require.Len(t, items, 4000)
	assert.True(t, slices.IsSorted(items))
}

func TestMergeComparingWith(t *testing.T) {
	run(MergeComparingWith(JustAll(1, 4, 6), JustAll(2, 3, 7), cmp.Compare[int])).Done(t, 1, 2, 3, 4, 6, 7)
	first := MergeComparingWith(JustAll(1, 4), JustAll(2, 5), cmp.Compare[int])
	run(MergeComparingWith(first, JustAll(3, 6), cmp.Compare[int])).Done(t, 1, 2, 3, 4, 5, 6)
}
