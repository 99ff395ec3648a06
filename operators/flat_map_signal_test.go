package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// flatMapSignals makes of n: n, 10n; of an error: -1; of the end: 0.
func flatMapSignals(src reactor.Publisher[int], opts ...FlatMapOption) reactor.Publisher[int] {
	return FlatMapSignal(src,
		func(n int) reactor.Publisher[int] { return FromSlice([]int{n, 10 * n}) },
		func(error) reactor.Publisher[int] { return Just(-1) },
		func() reactor.Publisher[int] { return Hide(Just(0)) }, opts...)
}

func TestFlatMapSignal(t *testing.T) {
	run(flatMapSignals(FromSlice([]int{1, 2}))).Done(t, 1, 10, 2, 20, 0)
	run(flatMapSignals(failing(1))).Done(t, 1, 10, -1)
	run(flatMapSignals(Empty[int]())).Done(t, 0)
	for step := int64(1); step < 4; step++ {
		for _, opt := range []FlatMapOption{Concurrency(1), Concurrency(2), Prefetch(1)} {
			p := probeOf[int](0)
			flatMapSignals(FromSlice([]int{1, 2}), opt).Subscribe(context.Background(), p)
			for range 5 {
				if !p.Over() {
					p.Request(step)
				}
			}
			p.Done(t, 1, 10, 2, 20, 0)
		}
	}
	src := &puppet[int]{}
	run(flatMapSignals(src))
	assert.EqualValues(t, 32, src.last().requested.Load())
	requirePanics(t, "flatMapSignal: the mapper is nil", func() { FlatMapSignal[int, int](Just(1), nil, nil, nil) })
}

func TestFlatMapSignalEndCountsAsAnElement(t *testing.T) {
	inner := &allPuppets[int]{}
	called := false
	src := &puppet[int]{}
	p := run(FlatMapSignal(src, inner.fn, nil, func() reactor.Publisher[int] { called = true; return Just(9) }, Concurrency(1)))
	src.last().OnNext(1)
	src.last().OnComplete()
	assert.False(t, called, "one publisher at a time")
	inner.at(0).OnNext(5)
	inner.at(0).OnComplete()
	p.Done(t, 5, 9)
}

func TestFlatMapSignalWithoutFunctionsForTheEnd(t *testing.T) {
	one := func(n int) reactor.Publisher[int] { return Just(n) }
	run(FlatMapSignal(FromSlice([]int{1, 2}), one, nil, nil)).Done(t, 1, 2)
	run(FlatMapSignal(failing(1), one, nil, nil)).Failed(t, errBoom, 1)
}

func TestFlatMapSignalFailures(t *testing.T) {
	one := func(n int) reactor.Publisher[int] { return Just(n) }
	for name, fn := range map[string]func() reactor.Publisher[int]{
		"panic":      func() reactor.Publisher[int] { panic(errBoom) },
		"callable":   func() reactor.Publisher[int] { return Error[int](errBoom) },
		"subscribed": func() reactor.Publisher[int] { return Hide(Error[int](errBoom)) },
	} {
		t.Run(name, func(t *testing.T) {
			run(FlatMapSignal(Just(1), one, nil, fn)).Failed(t, errBoom, 1)
			run(FlatMapSignal(Error[int](errOther), one, func(error) reactor.Publisher[int] { return fn() }, nil)).Failed(t, errBoom)
			run(FlatMapSignal(Just(1), one, nil, fn, DelayErrors())).Failed(t, errBoom, 1)
		})
	}
	run(FlatMapSignal(Just(1), one, nil, func() reactor.Publisher[int] { return Empty[int]() })).Done(t, 1)
	p := run(FlatMapSignal(Just(1), one, nil, func() reactor.Publisher[int] { return nil }))
	p.Items(t, 1)
	assert.ErrorContains(t, p.Failure(), "the publisher is nil")

	// Something downstream fails with the last element.
	ctx, hooks := probe.Recorded()
	broken := Map(FlatMapSignal(FromSlice([]int{1, 2}), one, nil, func() reactor.Publisher[int] { return Just(9) }), func(v int) int {
		if v == 9 {
			panic(errBoom)
		}
		return v
	})
	runWith(ctx, broken).Failed(t, errBoom, 1, 2)
	assert.Equal(t, []any{9}, hooks.Discarded)

	// An error of src after a failure further down is not one for the function.
	called := false
	run(Map(FlatMapSignal(FromSlice([]int{1, 2}), one, func(error) reactor.Publisher[int] { called = true; return Just(0) }, nil),
		func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.False(t, called)
}

func TestFlatMapSignalCancel(t *testing.T) {
	inner := &allPuppets[int]{}
	src := &puppet[int]{}
	p := run(FlatMapSignal(src, inner.fn, nil, func() reactor.Publisher[int] { t.Error("called"); return Just(9) }, Concurrency(1)))
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Cancel()
	assert.EqualValues(t, 1, inner.at(0).cancels.Load())
	inner.at(0).OnComplete()
	p.Open(t)
}

func TestFlatMapSignalRaces(t *testing.T) {
	ends := map[string]func(up *puppetSubscription[int]){
		"complete": func(up *puppetSubscription[int]) { up.OnComplete() },
		"error":    func(up *puppetSubscription[int]) { up.OnError(errBoom) },
	}
	downs := map[string]func(*probe.Probe[element]){
		"request": func(p *probe.Probe[element]) { p.Request(1); p.Request(2) },
		"cancel":  func(p *probe.Probe[element]) { p.Cancel() },
	}
	for first, end := range ends {
		for second, down := range downs {
			t.Run(first+"-"+second, func(t *testing.T) {
				racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
					l := ledger.New(t)
					src, inner := &puppet[int]{}, &puppet[element]{}
					p := ledgerProbe(l, 1)
					last := func() elements {
						return Defer(func(context.Context) elements { return FromSlice(l.Slice(2)) }) // elements come with the subscription
					}
					FlatMapSignal(src, func(int) elements { return inner },
						func(error) elements { return last() }, last, Concurrency(1)).Subscribe(l.Context(context.Background()), p)
					up := src.last()
					up.OnNext(1)
					race(func() { end(up) }, func() { inner.last().OnNext(l.Produce()); inner.last().OnComplete() }, func() { down(p) })
					p.Request(9)
					if second == "request" {
						assert.True(t, p.Over())
						assert.Len(t, p.Got(), 3)
					}
					p.Cancel()
					l.Check()
					p.Faultless(t)
				})
			})
		}
	}
}

// A panic of onNext, or a nil publisher, is a failure of the stage and not an error of
// src: onError does not get it. (In Reactor the function runs in mapSignal, which sends
// its failure down.)
func TestFlatMapSignalFailureOfOnNextIsNoErrorOfSource(t *testing.T) {
	recover := func(error) reactor.Publisher[int] { return Just(-1) }
	for name, onNext := range map[string]func(int) reactor.Publisher[int]{
		"panic": func(int) reactor.Publisher[int] { panic(errBoom) },
		"nil":   func(int) reactor.Publisher[int] { return nil },
	} {
		for _, hide := range []func(reactor.Publisher[int]) reactor.Publisher[int]{Hide[int], func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }} {
			t.Run(name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				p := runWith(ctx, FlatMapSignal(hide(Range(1, 2)), onNext, recover, nil))
				p.Items(t)
				assert.ErrorContains(t, p.Failure(), "flatMapSignal")
				assert.Equal(t, []any{1}, hooks.Discarded)
			})
		}
	}
	// With delayed errors it comes when the publishers before it are done.
	run(FlatMapSignal(FromSlice([]int{1, 2}), func(n int) reactor.Publisher[int] {
		if n == 2 {
			panic(errBoom)
		}
		return Hide(Just(n))
	}, recover, nil, DelayErrors())).Failed(t, errBoom, 1)
	// An error of src that follows elements still is one.
	run(FlatMapSignal(failing(1, 2), func(n int) reactor.Publisher[int] { return Hide(Just(n)) }, recover, nil)).Done(t, 1, 2, -1)
}

// An error of the source that onError does not get, because nobody wants anything any more, is reported as dropped.
func TestFlatMapSignalErrorThatNobodyHears(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, p := &puppet[int]{}, probeOf[int](9)
	flatMapSignals(src).Subscribe(ctx, p)
	p.Cancel()
	src.last().OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	p.Open(t)

	// It waits for the publisher of an element to end.
	for name, end := range map[string]func(p *probe.Probe[int], inner *puppetSubscription[int]){
		"a cancellation": func(p *probe.Probe[int], _ *puppetSubscription[int]) { p.Cancel() },
		"another error":  func(_ *probe.Probe[int], inner *puppetSubscription[int]) { inner.OnError(errOther) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			inner := &allPuppets[int]{}
			src, p := &puppet[int]{}, probeOf[int](9)
			asked := false
			FlatMapSignal(src, inner.fn, func(error) stream { asked = true; return Just(-1) }, nil, Concurrency(1)).Subscribe(ctx, p)
			src.last().OnNext(1)
			src.last().OnError(errBoom)
			assert.Empty(t, hooks.Errs)
			end(p, inner.at(0))
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			assert.False(t, asked)
		})
	}
}
