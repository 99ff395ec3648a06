package operators

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestGroupJoinRaces(t *testing.T) {
	raceLives(t, func(l *racedLedger, a, b elements, end func(element) reactor.Publisher[int]) reactor.Publisher[groupOfElements] {
		return GroupJoin(a, b, end, end, func(of element, members elements) groupOfElements {
			l.once(of)
			p := probeOf[element](reactor.Unbounded)
			p.Each = func(e element) { l.once(e) }
			members.Subscribe(context.Background(), p)
			return groupOfElements{members: p}
		})
	}, func(*racedLedger, groupOfElements) {})
}

func TestGroupJoin(t *testing.T) {
	s := newTwoSides()
	p, group := s.groups(reactor.Unbounded, reactor.Unbounded)
	s.right.last().OnNext(10)
	s.left.last().OnNext(1)
	s.right.last().OnNext(20)
	s.left.last().OnNext(2)
	p.Open(t, 1, 2)
	group(0).Open(t, 10, 20)
	group(1).Open(t, 10, 20)
	s.leftEnds.at(0).OnNext(0)
	group(0).Done(t, 10, 20)
	s.rightEnds.at(0).OnComplete()
	s.left.last().OnNext(3)
	group(2).Open(t, 20)
	s.left.last().OnComplete()
	s.right.last().OnNext(30)
	group(1).Open(t, 10, 20, 30)
	s.right.last().OnComplete()
	p.Done(t, 1, 2, 3)
	group(1).Done(t, 10, 20, 30)
	group(2).Done(t, 20, 30)
	assert.Empty(t, s.hooks.Discarded)
}

func TestGroupJoinKeepsElementsUntilTheyAreRequested(t *testing.T) {
	s := newTwoSides()
	_, group := s.groups(1, 1)
	s.left.last().OnNext(1)
	for i := range 100 {
		s.right.last().OnNext(i)
	}
	group(0).Open(t, 0)
	group(0).Request(2)
	group(0).Open(t, 0, 1, 2)
	group(0).Cancel()
	assert.Len(t, s.hooks.Discarded, 97)
	s.right.last().OnNext(100)
	s.rightEnds.at(100).OnComplete()
	assert.Equal(t, 100, s.hooks.Discarded[97], "it got into no group")
}

func TestGroupJoinEnds(t *testing.T) {
	s := newTwoSides()
	p, group := s.groups(1, 5)
	s.left.last().OnNext(1)
	s.left.last().OnNext(2)
	p.Failed(t, reactor.ErrOverflow, 1)
	group(0).Failed(t, reactor.ErrOverflow)
	assert.EqualValues(t, 1, s.left.last().cancels.Load())
	assert.EqualValues(t, 1, s.right.last().cancels.Load())

	p, group = s.groups(5, 5)
	s.left.last().OnNext(1)
	s.right.last().OnNext(2)
	s.right.last().OnError(errBoom)
	p.Failed(t, errBoom, 1)
	group(0).Failed(t, errBoom, 2)

	p, group = s.groups(5, 5)
	s.left.last().OnNext(1)
	s.right.last().OnNext(2)
	p.Cancel()
	p.Open(t, 1)
	group(0).Failed(t, reactor.ErrCancelled, 2)
}

func TestGroupJoinPanics(t *testing.T) {
	forever := func(int) reactor.Publisher[int] { return Never[int]() }
	one := FromSlice([]int{1})
	ctx, hooks := probe.Recorded()
	var kept reactor.Publisher[int]
	runWith(ctx, GroupJoin(one, one, forever, forever, func(_ int, group reactor.Publisher[int]) int {
		kept = group
		panic(errBoom)
	})).Failed(t, errBoom)
	assert.Equal(t, []any{1}, slices.Compact(hooks.Discarded))
	run(kept).Failed(t, reactor.ErrCancelled)
	p := runWith(ctx, GroupJoin(one, one, func(int) reactor.Publisher[int] { panic(errBoom) }, forever, func(int, reactor.Publisher[int]) int { return 0 }))
	p.Failed(t, errBoom)
	p = runWith(ctx, Map(GroupJoin(one, one, forever, forever, func(_ int, group reactor.Publisher[int]) int {
		kept = group
		return 7
	}), func(int) int { panic(errOther) }))
	p.Failed(t, errOther)
	run(kept).Failed(t, errOther)
}
