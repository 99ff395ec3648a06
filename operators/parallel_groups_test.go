package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// Rails that were not emitted when the stream of them is cancelled count as cancelled: nobody
// can subscribe to them, and the source would be kept for them for ever.
func TestParallelGroupsCancelledEarly(t *testing.T) {
	itself := func(_ int, p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	mapped := func(_ int, p reactor.Publisher[int]) reactor.Publisher[int] {
		return Map(p, func(v int) int { return v })
	}
	for name, group := range map[string]func(int, reactor.Publisher[int]) reactor.Publisher[int]{"itself": itself, "mapped": mapped} {
		for _, rails := range []int{1, 2, 3} {
			for emitted := range rails {
				t.Run(name, func(t *testing.T) {
					cancelled := 0
					src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
					groups := probeOf[reactor.Publisher[int]](int64(emitted))
					ParallelGroups(Parallel(src, rails), group).Subscribe(t.Context(), groups)
					groups.Cancel()
					assert.Len(t, groups.Got(), emitted)
					for _, g := range groups.Got() {
						assert.Zero(t, cancelled, "somebody may still want the first rails")
						run(g).Cancel()
					}
					assert.Equal(t, 1, cancelled, "%d rails, %d emitted", rails, emitted)
				})
			}
		}
	}
	t.Run("while one is emitted", func(t *testing.T) {
		cancelled := 0
		src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
		first := run(Take(ParallelGroups(Parallel(src, 3), mapped), 1)).Got()
		assert.Zero(t, cancelled)
		run(first[0]).Cancel()
		assert.Equal(t, 1, cancelled)
	})
	t.Run("in OnSubscribe", func(t *testing.T) {
		cancelled := 0
		src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
		ParallelGroups(Parallel(src, 3), mapped).Subscribe(t.Context(), leaver[reactor.Publisher[int]]{})
		assert.Equal(t, 1, cancelled)
	})
	t.Run("the others share", func(t *testing.T) {
		first := run(Take(ParallelGroups(Parallel(Range(1, 6), 3), mapped), 1)).Got()
		run(first[0]).Done(t, 1, 2, 3, 4, 5, 6)
	})
	t.Run("downstream fails", func(t *testing.T) {
		cancelled := 0
		src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
		groups := probeOf[reactor.Publisher[int]](reactor.Unbounded)
		groups.Each = func(reactor.Publisher[int]) { panic(errBoom) }
		ParallelGroups(Parallel(src, 3), mapped).Subscribe(t.Context(), groups)
		assert.ErrorIs(t, groups.Failure(), errBoom)
		assert.Equal(t, 1, cancelled)
	})
	t.Run("downstream fails at the end", func(t *testing.T) {
		groups := run(DoOnComplete(ParallelGroups(Parallel(Range(1, 2), 1), mapped), func() { panic(errBoom) }))
		run(groups.Got()[0]).Done(t, 1, 2)
	})
}

// A rail that nobody has subscribed to takes nothing, but for what a stage above asks for by itself: that is there for who
// comes later.
func TestParallelGroupsTakeNothingByThemselves(t *testing.T) {
	itself := func(_ int, p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	for name, c := range map[string]struct {
		rails       func(ParallelPublisher[int]) ParallelPublisher[int]
		first, late int
	}{
		"as they are": {func(p ParallelPublisher[int]) ParallelPublisher[int] { return p }, 1000, 0},
		"RunOn": {func(p ParallelPublisher[int]) ParallelPublisher[int] {
			return ParallelRunOn(p, schedulers.Immediate(), Prefetch(10))
		}, 990, 10},
	} {
		t.Run(name, func(t *testing.T) {
			groups := run(ParallelGroups(c.rails(Parallel(Range(0, 1000), 2)), itself)).Got()
			require.Len(t, groups, 2)
			assert.Len(t, run(groups[0]).Got(), c.first)
			assert.Len(t, run(groups[1]).Got(), c.late)
		})
	}
}

// Each rail is either emitted or told, whoever comes first.
func TestParallelGroupsRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		src := &puppet[int]{}
		groups := probeOf[reactor.Publisher[int]](0)
		ParallelGroups(Parallel(src, 3), func(_ int, p reactor.Publisher[int]) reactor.Publisher[int] {
			return Map(p, func(v int) int { return v })
		}).Subscribe(t.Context(), groups)
		race(func() { groups.Request(2); groups.Request(1) }, groups.Cancel)
		for _, g := range groups.Got() {
			require.Zero(t, src.last().cancels.Load())
			run(g).Cancel()
		}
		require.EqualValues(t, 1, src.last().cancels.Load())
		groups.Faultless(t)
	})
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		src := &puppet[int]{}
		r := &rail[int]{}
		race(func() { startRails(t.Context(), Parallel(src, 1), []*rail[int]{r}) }, r.Discarded)
		require.EqualValues(t, 1, src.last().cancels.Load())
	})
}
