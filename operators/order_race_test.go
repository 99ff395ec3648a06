package operators

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The end of a replay comes behind its elements, whenever a subscriber looks.
func TestReplayEndsBehindItsElements(t *testing.T) {
	round := 0
	racetest.Repeat(racetest.Iterations(4000), func(race func(...func())) {
		round++
		src := &puppet[int]{}
		shared := Replay[int](src)
		p := probeOf[int](0)
		shared.Subscribe(context.Background(), p)
		connectTo(shared)
		src.last().OnNext(0)
		last := 1 + round%3
		race(func() {
			for i := 1; i <= last; i++ {
				src.last().OnNext(i)
			}
			src.last().OnComplete()
		}, func() {
			for range 3 {
				p.Request(2)
			}
		})
		require.Equal(t, numbers(last+1), p.Got())
		require.True(t, p.Over())
	})
}

// A source that ends counts until its last element is taken.
func TestMergeComparingEndOfASourceAgainstTheOther(t *testing.T) {
	racetest.Repeat(racetest.Iterations(4000), func(race func(...func())) {
		a, b := &puppet[int]{}, &puppet[int]{}
		p := run(MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{a, b}))
		race(
			func() { a.last().OnNext(1); a.last().OnComplete() },
			func() { b.last().OnNext(2) },
		)
		require.Equal(t, []int{1, 2}, p.Got())
	})
}

// Of two errors one ends the stream, the other is reported.
func TestCreateTwoErrorsAtOnce(t *testing.T) {
	racetest.Repeat(racetest.Iterations(3000), func(race func(...func())) {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		s := sinkOf(ctx, false, p)
		race(func() { s.Error(errBoom) }, func() { s.Error(errOther) })
		require.Empty(t, p.Faults())
		require.Len(t, hooks.Errs, 1)
		require.NotEqual(t, errors.Is(p.Failure(), errBoom), errors.Is(hooks.Errs[0].(error), errBoom))
	})
}

// What was put in beside an element that fails downstream is discarded.
func TestCreateFailureDownstreamWhileOthersWait(t *testing.T) {
	for name, opts := range map[string][]CreateOption{"buffer": nil, "drop": {OverflowDrop}} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			var s *FluxSink[int]
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(v int) {
				if v == 1 {
					s.Next(2)
					panic(errBoom)
				}
			}
			s = sinkOf(ctx, false, p, opts...)
			s.Next(1)
			p.Failed(t, errBoom, 1)
			assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
		})
	}
}
