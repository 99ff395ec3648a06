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

func TestMonoFlatMapMany(t *testing.T) {
	count := func(n int) reactor.Publisher[int] {
		if n < 0 {
			panic(errBoom)
		}
		return FromSlice([]int{1, 2, 3}[:n])
	}
	for name, hide := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"computed":   func(p reactor.Publisher[int]) reactor.Publisher[int] { return p },
		"subscribed": Hide[int],
	} {
		t.Run(name, func(t *testing.T) {
			for n, want := range [][]int{nil, {1}, {1, 2}, {1, 2, 3}} {
				run(MonoFlatMapMany(hide(Just(n)), count)).Done(t, want...)
			}
			run(MonoFlatMapMany(hide(Empty[int]()), count)).Done(t)
			run(MonoFlatMapMany(hide(Error[int](errBoom)), count)).Failed(t, errBoom)
			ctx, hooks := probe.Recorded()
			runWith(ctx, MonoFlatMapMany(hide(Just(-1)), count)).Failed(t, errBoom)
			assert.Equal(t, []any{-1}, hooks.Discarded)
			run(MonoFlatMapMany(hide(Just(1)), func(int) reactor.Publisher[int] { return Error[int](errBoom) })).Failed(t, errBoom)
			run(MonoFlatMapMany(hide(Just(1)), func(int) reactor.Publisher[int] { return failing(7, 8) })).Failed(t, errBoom, 7, 8)
			p := run(MonoFlatMapMany(hide(Just(1)), func(int) reactor.Publisher[int] { return nil }))
			p.Items(t)
			assert.ErrorContains(t, p.Failure(), "the publisher is nil")
		})
	}
	requirePanics(t, "flatMapMany: the mapper is nil", func() { MonoFlatMapMany[int, int](Just(1), nil) })
}

func TestMonoFlatMapManyDemand(t *testing.T) {
	src, inner := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](2)
	MonoFlatMapMany(src, func(int) reactor.Publisher[int] { return inner }).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	p.Request(3)
	src.last().OnNext(1)
	assert.EqualValues(t, 5, inner.last().requested.Load())
	p.Request(1)
	assert.EqualValues(t, 6, inner.last().requested.Load())
	src.last().OnNext(2)
	src.last().OnComplete()
	src.last().OnError(errOther)
	inner.last().OnNext(7)
	inner.last().OnComplete()
	p.Done(t, 7)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)

	// One known element waits for demand, and is discarded without.
	for _, demand := range []int64{1, 0} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		MonoFlatMapMany(Hide(Just(1)), func(int) reactor.Publisher[int] { return Just(7) }).Subscribe(ctx, p)
		p.Open(t)
		if demand > 0 {
			p.Request(demand)
			p.Done(t, 7)
			continue
		}
		p.Cancel()
		assert.Equal(t, []any{7}, hooks.Discarded)
	}
}

func TestMonoFlatMapManyRaces(t *testing.T) {
	for name, down := range map[string]func(*probe.Probe[element]){
		"request": func(p *probe.Probe[element]) { p.Request(1); p.Request(1) },
		"cancel":  func(p *probe.Probe[element]) { p.Cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
				l := ledger.New(t)
				src := &puppet[int]{}
				p := ledgerProbe(l, 0)
				MonoFlatMapMany(src, func(int) elements { return FromSlice(l.Slice(2)) }).Subscribe(l.Context(context.Background()), p)
				race(func() { src.last().OnNext(1) }, func() { down(p) })
				if name == "request" {
					assert.True(t, p.Over())
				}
				l.Check()
				p.Faultless(t)
			})
		})
	}
}
