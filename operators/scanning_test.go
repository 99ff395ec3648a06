package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func addInts(a, b int) int { return a + b }

// addUpTo fails at results above the limit.
func addUpTo(limit int) func(a, b int) (int, error) {
	return func(a, b int) (int, error) {
		if a+b > limit {
			return 0, errBoom
		}
		return a + b, nil
	}
}

func scanSeed(v int) func() int { return func() int { return v } }

func tryScanSeed(v int, err error) func() (int, error) { return func() (int, error) { return v, err } }

func TestScan(t *testing.T) {
	bothPaths(t, []int{1, 2, 3}, func(t *testing.T, src reactor.Publisher[int]) {
		for _, stage := range []reactor.Publisher[int]{Scan(src, addInts), TryScan(src, addUpTo(6))} {
			p := probeOf[int](2)
			stage.Subscribe(context.Background(), p)
			p.Open(t, 1, 3)
			p.Request(1)
			p.Done(t, 1, 3, 6)
		}
		ctx, hooks := probe.Recorded()
		runWith(ctx, TryScan(src, addUpTo(2))).Failed(t, errBoom, 1)
		assert.ElementsMatch(t, []any{2, 3}, hooks.Discarded)
		run(Scan(src, func(int, int) int { panic(errBoom) })).Failed(t, errBoom, 1)
	})
	run(Scan(failing(1), addInts)).Failed(t, errBoom, 1)
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, TryScan(src, addUpTo(0)))
	push := protocol.Push(src.last().Subscriber)
	push(1)
	push(2)
	push(3)
	src.last().OnNext(4)
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{3, 4}, hooks.Dropped)
	requirePanics(t, "scan: the function is nil", func() { Scan(Just(1), nil) })
	requirePanics(t, "tryScan: the function is nil", func() { TryScan(Just(1), nil) })
}

func TestIndexOnBothPaths(t *testing.T) {
	name := func(i int, v string) string { return fmt.Sprint(i, v) }
	bothPaths(t, []string{"a", "b"}, func(t *testing.T, src reactor.Publisher[string]) {
		stage := Index(src, name)
		run(stage).Done(t, "0a", "1b")
		run(stage).Done(t, "0a", "1b")
		run(Index(src, func(int, string) int { panic(errBoom) })).Failed(t, errBoom)
	})
	run(Index(failing("a"), name)).Failed(t, errBoom, "0a")
	requirePanics(t, "index: the mapper is nil", func() { Index[int, int](Just(1), nil) })
}
