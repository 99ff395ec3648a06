package operators

import (
	"context"
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestZipWithSeqEndsTheSequence(t *testing.T) {
	ended := 0
	ctx, hooks := probe.Recorded()
	src := ZipWithSeq(Range(1, 2), countedSeq(&ended), add)
	runWith(ctx, src).Done(t, 11, 22)
	assert.Equal(t, 1, ended)
	assert.Equal(t, []any{30}, hooks.Discarded, "what was taken ahead")
	p := probeOf[int](1)
	src.Subscribe(ctx, p)
	p.Cancel()
	p.Cancel()
	assert.Equal(t, 2, ended)
	runWith(ctx, ZipWithSeq(Error[int](errBoom), countedSeq(&ended), add)).Failed(t, errBoom)
	assert.Equal(t, 3, ended)
	runWith(ctx, ZipWithSeq(Range(1, 2), countedSeq(&ended), func(int, int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, 4, ended)
	runWith(ctx, Map(ZipWithSeq(Range(1, 2), countedSeq(&ended), add), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, 5, ended)
	p = probeOf[int](reactor.Unbounded)
	p.Each = func(int) { p.Cancel() }
	ZipWithSeq(Range(1, 2), countedSeq(&ended), add).Subscribe(ctx, p)
	assert.Equal(t, 6, ended)
}

func TestZipWithSeqThatPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
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
	runWith(ctx, ZipWithSeq(src, breaking(0), add)).Failed(t, errBoom)
	assert.Zero(t, src.count())
	p := runWith(ctx, ZipWithSeq(src, breaking(1), add))
	src.last().OnNext(1)
	p.Failed(t, errBoom, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Empty(t, hooks.Discarded, "it was delivered")
	p = runWith(ctx, ZipWithSeq(src, breaking(2), add))
	p.Cancel()
	require.Len(t, hooks.Errs, 1)
	assert.ErrorIs(t, hooks.Errs[0].(error), errOther)
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
				p.Each = func(tuple []element) { l.Delivered(tuple) }
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
				ZipWithSeq(src, seq, pairOf).Subscribe(l.Context(ctx), p)
				race(func() { signal(&raceSide{l: l, up: src.last()}) }, func() { p.Cancel() })
				l.Check()
				p.Faultless(t)
				assert.Equal(t, 1, ended)
			})
		})
	}
}

// The sequence ends the goroutine as it is closed: downstream is told of the end all the same.
func TestZipWithSeqGoexitAtTheEndOfTheSequence(t *testing.T) {
	src := &puppet[int]{}
	p := run(ZipWithSeq(src, func(yield func(int) bool) {
		defer runtime.Goexit()
		yield(1)
	}, func(a, _ int) int { return a }))
	racetest.Aside(func() { src.last().OnComplete() })
	p.Done(t)
}
