package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestScanWith(t *testing.T) {
	bothPaths(t, []int{1, 2}, func(t *testing.T, src reactor.Publisher[int]) {
		for _, stage := range []reactor.Publisher[int]{
			ScanWith(src, scanSeed(10), addInts), TryScanWith(src, tryScanSeed(10, nil), addUpTo(13)),
		} {
			p := probeOf[int](0)
			stage.Subscribe(context.Background(), p)
			p.assertOpen(t)
			p.request(1)
			p.assertOpen(t, 10)
			p.request(1)
			p.assertOpen(t, 10, 11)
			p.request(5)
			p.assertCompleted(t, 10, 11, 13)
			run(stage).assertCompleted(t, 10, 11, 13)
		}
		ctx, hooks := recordHooks()
		runWith(ctx, TryScanWith(src, tryScanSeed(10, nil), addUpTo(10))).assertFailed(t, errBoom, 10)
		assert.ElementsMatch(t, []any{1, 2}, hooks.discarded)
		run(ScanWith(src, scanSeed(10), func(int, int) int { panic(errBoom) })).assertFailed(t, errBoom, 10)
	})
	run(ScanWith(Empty[int](), scanSeed(10), addInts)).assertCompleted(t, 10)
	run(ScanWith(failing[int](), scanSeed(10), addInts)).assertFailed(t, errBoom, 10)
	requirePanics(t, "scanWith: the seed is nil", func() { ScanWith[int, int](Just(1), nil, addInts) })
	requirePanics(t, "scanWith: the function is nil", func() { ScanWith(Just(1), scanSeed(1), nil) })
	requirePanics(t, "tryScanWith: the seed is nil", func() { TryScanWith(Just(1), nil, addUpTo(1)) })
	requirePanics(t, "tryScanWith: the function is nil", func() { TryScanWith(Just(1), tryScanSeed(1, nil), nil) })
}

func TestScanWithSeedThatFails(t *testing.T) {
	src := &puppet[int]{}
	run(ScanWith(src, func() int { panic(errBoom) }, addInts)).assertFailed(t, errBoom)
	run(TryScanWith(src, tryScanSeed(0, errBoom), addUpTo(1))).assertFailed(t, errBoom)
	assert.Zero(t, src.count(), "the source is not subscribed")
}

func TestScanWithCancelledAtTheSeed(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := recordHooks()
	p := probeOf[int](1)
	p.onNext = func(int) { p.cancel() }
	ScanWith(src, scanSeed(10), addInts).Subscribe(ctx, p)
	p.assertOpen(t, 10)
	assert.Zero(t, src.count(), "the source is not subscribed")
	assert.Empty(t, hooks.discarded)

	p = probeOf[int](0)
	ScanWith(src, scanSeed(10), addInts).Subscribe(ctx, p)
	p.cancel()
	p.request(1)
	p.assertOpen(t)
	assert.Equal(t, []any{10}, hooks.discarded)
}

func TestScanWithSeedThatFailsOnItsWayDown(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := recordHooks()
	stage := Map(ScanWith(src, scanSeed(10), addInts), func(int) int { panic(errBoom) })
	runWith(ctx, stage).assertFailed(t, errBoom)
	assert.Zero(t, src.count())
	assert.Equal(t, []any{10}, hooks.discarded)
}

func TestScanWithRaces(t *testing.T) {
	for name, second := range map[string]func(*probe[int]){
		"request": func(p *probe[int]) { p.request(2) },
		"cancel":  func(p *probe[int]) { p.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				p := probeOf[int](0)
				ScanWith(FromSlice([]int{1, 2}), scanSeed(10), addInts).Subscribe(context.Background(), p)
				race(func() { p.request(1) }, func() { second(p) })
				p.assertFaultless(t)
				if name == "request" {
					p.assertCompleted(t, 10, 11, 13)
				} else {
					assert.LessOrEqual(t, len(p.got()), 1)
				}
			})
		})
	}
}
