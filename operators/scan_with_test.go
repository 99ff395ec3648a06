package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestScanWith(t *testing.T) {
	bothPaths(t, []int{1, 2}, func(t *testing.T, src reactor.Publisher[int]) {
		for _, stage := range []reactor.Publisher[int]{
			ScanWith(src, scanSeed(10), addInts), TryScanWith(src, tryScanSeed(10, nil), addUpTo(13)),
		} {
			p := probeOf[int](0)
			stage.Subscribe(context.Background(), p)
			p.Open(t)
			p.Request(1)
			p.Open(t, 10)
			p.Request(1)
			p.Open(t, 10, 11)
			p.Request(5)
			p.Done(t, 10, 11, 13)
			run(stage).Done(t, 10, 11, 13)
		}
		ctx, hooks := probe.Recorded()
		runWith(ctx, TryScanWith(src, tryScanSeed(10, nil), addUpTo(10))).Failed(t, errBoom, 10)
		assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
		run(ScanWith(src, scanSeed(10), func(int, int) int { panic(errBoom) })).Failed(t, errBoom, 10)
	})
	run(ScanWith(Empty[int](), scanSeed(10), addInts)).Done(t, 10)
	run(ScanWith(failing[int](), scanSeed(10), addInts)).Failed(t, errBoom, 10)
	requirePanics(t, "scanWith: the seed is nil", func() { ScanWith[int, int](Just(1), nil, addInts) })
	requirePanics(t, "scanWith: the function is nil", func() { ScanWith(Just(1), scanSeed(1), nil) })
	requirePanics(t, "tryScanWith: the seed is nil", func() { TryScanWith(Just(1), nil, addUpTo(1)) })
	requirePanics(t, "tryScanWith: the function is nil", func() { TryScanWith(Just(1), tryScanSeed(1, nil), nil) })
}

func TestScanWithSeedThatFails(t *testing.T) {
	src := &puppet[int]{}
	run(ScanWith(src, func() int { panic(errBoom) }, addInts)).Failed(t, errBoom)
	run(TryScanWith(src, tryScanSeed(0, errBoom), addUpTo(1))).Failed(t, errBoom)
	assert.Zero(t, src.count(), "the source is not subscribed")
}

func TestScanWithCancelledAtTheSeed(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	p.Each = func(int) { p.Cancel() }
	ScanWith(src, scanSeed(10), addInts).Subscribe(ctx, p)
	p.Open(t, 10)
	assert.Zero(t, src.count(), "the source is not subscribed")
	assert.Empty(t, hooks.Discarded)

	p = probeOf[int](0)
	ScanWith(src, scanSeed(10), addInts).Subscribe(ctx, p)
	p.Cancel()
	p.Request(1)
	p.Open(t)
	assert.Equal(t, []any{10}, hooks.Discarded)
}

func TestScanWithSeedThatFailsOnItsWayDown(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	stage := Map(ScanWith(src, scanSeed(10), addInts), func(int) int { panic(errBoom) })
	runWith(ctx, stage).Failed(t, errBoom)
	assert.Zero(t, src.count())
	assert.Equal(t, []any{10}, hooks.Discarded)
}

func TestScanWithRaces(t *testing.T) {
	for name, second := range map[string]func(*probe.Probe[int]){
		"request": func(p *probe.Probe[int]) { p.Request(2) },
		"cancel":  func(p *probe.Probe[int]) { p.Cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				p := probeOf[int](0)
				ScanWith(FromSlice([]int{1, 2}), scanSeed(10), addInts).Subscribe(context.Background(), p)
				race(func() { p.Request(1) }, func() { second(p) })
				p.Faultless(t)
				if name == "request" {
					p.Done(t, 10, 11, 13)
				} else {
					assert.LessOrEqual(t, len(p.Got()), 1)
				}
			})
		})
	}
}
