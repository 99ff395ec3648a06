package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// Who leaves a loop over the elements of groups comes back, although src emits where it is asked, has other keys and
// hardly an end: flatMap cancels the stream of groups first, whose groups that nobody has seen hold elements.
func TestGroupByCancelledOverASourceWithoutEnd(t *testing.T) {
	const most = 1 << 20
	for name, c := range map[string]struct {
		key      func(int) int
		prefetch int
		of       int // elements of each group
		until    int
	}{
		"a group for three elements":  {key: func(v int) int { return v / 3 }, prefetch: 256, of: 3, until: 1000},
		"more groups than are read":   {key: mod(300), prefetch: 2000, of: most, until: 20},
		"groups that are read slowly": {key: mod(10), prefetch: 256, of: most, until: 5000},
	} {
		sent, got := 0, 0
		groups := GroupBy(DoOnNext(Range(0, most), func(int) { sent++ }), c.key, newKeyed[int, int], Prefetch(c.prefetch), On(&handScheduler{}))
		elements := FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] { return Take(g.Publisher, c.of) }, Concurrency(16))
		for _, err := range All(t.Context(), elements) {
			require.NoError(t, err)
			if got++; got == c.until {
				break
			}
		}
		assert.Less(t, sent, most/20, name)
	}
}

// Groups that are left get what comes for them, however far away it is: it is asked for a moment later.
func TestGroupByLeftGroupsGoOn(t *testing.T) {
	h := &handScheduler{}
	sent := 0
	// 0 is the key of the first element and of the last one; all between are of group 1, which reads nothing.
	src := DoOnNext(Range(0, 101), func(int) { sent++ })
	p := probeOf[keyed[int, int]](2)
	GroupBy(src, func(v int) int { return min(v%100, 1) }, newKeyed[int, int], Prefetch(8), On(h)).Subscribe(t.Context(), p)
	left, leaves := probe.Listen(p.Got()[0], probe.All), probeOf[int](0)
	p.Got()[1].Subscribe(t.Context(), leaves)
	p.Cancel()
	leaves.Cancel()
	left.Open(t, 0)
	assert.Less(t, sent, 40)
	h.forward(cancelTime)
	left.Done(t, 0, 100)
	assert.Equal(t, 101, sent)
}

// Where no timer can be had, the groups that are left fail, and who leaves a loop comes back all the same.
func TestGroupByLeftGroupsWithoutTimer(t *testing.T) {
	const most = 1 << 20
	h := &handScheduler{}
	h.refuse(schedulers.ErrRejected)
	sent := 0
	// 0 is the key of the first element only; all between are of group 1, which reads nothing.
	src := DoOnNext(Range(0, most), func(int) { sent++ })
	p := probeOf[keyed[int, int]](2)
	GroupBy(src, func(v int) int { return min(v, 1) }, newKeyed[int, int], Prefetch(8), On(h)).Subscribe(t.Context(), p)
	left, leaves := probe.Listen(p.Got()[0], probe.All), probeOf[int](0)
	p.Got()[1].Subscribe(t.Context(), leaves)
	p.Cancel()
	leaves.Cancel()
	left.Failed(t, reactor.ErrRejected, 0)
	assert.Less(t, sent, 40)
}

// A refusal is nobody's business when the last group leaves at that moment.
func TestGroupByRefusedAsTheLastGroupLeaves(t *testing.T) {
	t.Run("what asks later", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h, p, leaves := &handScheduler{}, probeOf[keyed[int, int]](2), probeOf[int](0)
		GroupBy(Range(0, 1<<20), func(v int) int { return min(v, 1) }, newKeyed[int, int], Prefetch(8), On(h)).Subscribe(ctx, p)
		left := probe.ListenIn(ctx, p.Got()[0], probe.All)
		p.Got()[1].Subscribe(ctx, leaves)
		p.Cancel()
		h.onOffer = func(int) error { left.Cancel(); return schedulers.ErrRejected }
		leaves.Cancel()
		left.Open(t, 0)
		assert.Empty(t, hooks.Errs)
	})
	t.Run("the watch", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h, src, p := &handScheduler{}, &puppet[int]{}, probeOf[keyed[int, int]](1)
		GroupBy(src, func(v int) int { return v }, newKeyed[int, int], Prefetch(3), On(h)).Subscribe(ctx, p)
		src.last().OnNext(1)
		left := probe.ListenIn(ctx, p.Got()[0], 0)
		h.onOffer = func(int) error { p.Cancel(); left.Cancel(); return schedulers.ErrRejected }
		for range 3 {
			src.last().OnNext(1)
		}
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Empty(t, hooks.Errs)
	})
}
