package operators

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// twoSides is a stage of two sources whose elements live until the test says so.
type twoSides struct {
	left, right         *puppet[int]
	leftEnds, rightEnds allPuppets[int]
	ctx                 context.Context
	hooks               *probe.Record
}

func newTwoSides() *twoSides {
	s := &twoSides{left: &puppet[int]{}, right: &puppet[int]{}}
	s.ctx, s.hooks = probe.Recorded()
	return s
}

func (s *twoSides) join(demand int64) *probe.Probe[int] {
	p := probeOf[int](demand)
	Join(s.left, s.right, s.leftEnds.fn, s.rightEnds.fn, add).Subscribe(s.ctx, p)
	return p
}

func TestJoin(t *testing.T) {
	s := newTwoSides()
	p := s.join(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, s.left.last().requested.Load())
	assert.Equal(t, reactor.Unbounded, s.right.last().requested.Load())
	s.left.last().OnNext(1)
	s.left.last().OnNext(2)
	s.right.last().OnNext(10)
	p.Open(t, 11, 12)
	assert.Equal(t, reactor.Unbounded, s.leftEnds.at(0).requested.Load())
	s.leftEnds.at(0).OnNext(0) // 1 is over
	assert.EqualValues(t, 1, s.leftEnds.at(0).cancels.Load())
	s.right.last().OnNext(20)
	p.Open(t, 11, 12, 22)
	s.rightEnds.at(0).OnComplete() // 10 is over
	s.left.last().OnNext(3)
	p.Open(t, 11, 12, 22, 23)
	s.left.last().OnComplete()
	s.right.last().OnNext(30)
	s.right.last().OnComplete()
	p.Done(t, 11, 12, 22, 23, 32, 33)
	assert.EqualValues(t, 1, s.leftEnds.at(1).cancels.Load())
	assert.EqualValues(t, 1, s.rightEnds.at(1).cancels.Load())
	assert.Empty(t, s.hooks.Discarded)
	s.left.last().OnNext(4)
	s.left.last().OnError(errBoom)
	assert.Equal(t, []any{4}, s.hooks.Dropped)
	assert.Equal(t, []any{errBoom}, s.hooks.Errs)
}

func TestJoinDiscardsWhatWasNeverCombined(t *testing.T) {
	s := newTwoSides()
	p := s.join(reactor.Unbounded)
	s.left.last().OnNext(1)
	s.leftEnds.at(0).OnComplete()
	assert.Equal(t, []any{1}, s.hooks.Discarded)
	s.right.last().OnNext(2)
	s.rightEnds.at(0).OnComplete()
	s.left.last().OnNext(3)
	s.left.last().OnComplete()
	s.right.last().OnComplete()
	p.Done(t)
	assert.Equal(t, []any{1, 2, 3}, s.hooks.Discarded)
}

func TestJoinWithoutDemand(t *testing.T) {
	s := newTwoSides()
	p := s.join(1)
	s.left.last().OnNext(1)
	s.left.last().OnNext(2)
	s.right.last().OnNext(10)
	p.Failed(t, reactor.ErrOverflow, 11)
	assert.Equal(t, []any{12}, s.hooks.Discarded)
	assert.EqualValues(t, 1, s.left.last().cancels.Load())
	assert.EqualValues(t, 1, s.leftEnds.at(0).cancels.Load())
	p = s.join(2)
	s.left.last().OnNext(1)
	s.right.last().OnNext(10)
	s.right.last().OnNext(20)
	p.Request(1)
	s.right.last().OnNext(30)
	p.Open(t, 11, 21, 31)
}

// A pair takes one from the demand, also if there was some for more.
func TestJoinDemandIsUsedUp(t *testing.T) {
	s := newTwoSides()
	p := s.join(2)
	s.left.last().OnNext(1)
	s.right.last().OnNext(10)
	s.right.last().OnNext(20)
	p.Open(t, 11, 21)
	s.right.last().OnNext(30)
	p.Failed(t, reactor.ErrOverflow, 11, 21)
	assert.Equal(t, []any{31}, s.hooks.Discarded, "what came of 30")
}

// What waits when the stream ends is discarded: here a source sends from within an element that is the last one.
func TestJoinDiscardsWhatWaits(t *testing.T) {
	for name, end := range map[string]func(*twoSides, *probe.Probe[int]){
		"cancelled": func(_ *twoSides, p *probe.Probe[int]) { p.Cancel() },
		"failed":    func(s *twoSides, _ *probe.Probe[int]) { s.leftEnds.at(0).OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTwoSides()
			p := s.join(reactor.Unbounded)
			p.Each = func(int) {
				s.left.last().OnNext(2)
				s.right.last().OnNext(20)
				end(s, p)
				s.left.last().OnNext(3)
			}
			s.left.last().OnNext(1)
			s.right.last().OnNext(10)
			p.Items(t, 11)
			assert.ElementsMatch(t, []any{2, 20, 3}, s.hooks.Discarded)
			assert.Empty(t, s.hooks.Errs)
		})
	}
}

// An error that nobody hears of because downstream has cancelled meanwhile is reported as dropped.
func TestJoinFailsAndIsCancelled(t *testing.T) {
	s := newTwoSides()
	p := s.join(reactor.Unbounded)
	p.Each = func(int) {
		s.leftEnds.at(0).OnError(errBoom)
		p.Cancel()
	}
	s.left.last().OnNext(1)
	s.right.last().OnNext(10)
	p.Open(t, 11)
	assert.Equal(t, []any{errBoom}, s.hooks.Errs)
}

// With the stream all lifetimes end.
func TestJoinEndsAllLifetimes(t *testing.T) {
	for name, side := range map[string]func(*twoSides) (*puppet[int], *allPuppets[int]){
		"left":  func(s *twoSides) (*puppet[int], *allPuppets[int]) { return s.left, &s.leftEnds },
		"right": func(s *twoSides) (*puppet[int], *allPuppets[int]) { return s.right, &s.rightEnds },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTwoSides()
			p := s.join(reactor.Unbounded)
			src, ends := side(s)
			for v := range 3 {
				src.last().OnNext(v)
			}
			p.Cancel()
			for v := range 3 {
				assert.EqualValues(t, 1, ends.at(v).cancels.Load(), "of %d", v)
			}
			assert.Equal(t, []any{0, 1, 2}, s.hooks.Discarded)
		})
	}
}

// What a source sends behind its end goes to the hooks, while the other one goes on.
func TestJoinOfASourceThatGoesOn(t *testing.T) {
	s := newTwoSides()
	p := s.join(reactor.Unbounded)
	s.left.last().OnNext(1)
	s.left.last().OnComplete()
	s.left.last().OnNext(2)
	s.left.last().OnError(errBoom)
	s.left.last().OnComplete()
	assert.Equal(t, []any{2}, s.hooks.Dropped)
	assert.Equal(t, []any{errBoom}, s.hooks.Errs)
	s.right.last().OnNext(10)
	p.Open(t, 11)
	s.right.last().OnComplete()
	p.Done(t, 11)
}

// A source that has completed is not cancelled.
func TestJoinLeavesASourceAloneThatHasEnded(t *testing.T) {
	s := newTwoSides()
	p := s.join(reactor.Unbounded)
	s.left.last().OnComplete()
	p.Cancel()
	assert.Zero(t, s.left.last().cancels.Load())
	assert.EqualValues(t, 1, s.right.last().cancels.Load())
}

func TestJoinEnds(t *testing.T) {
	for name, fail := range map[string]func(*twoSides){
		"left":      func(s *twoSides) { s.left.last().OnError(errBoom) },
		"right":     func(s *twoSides) { s.right.last().OnError(errBoom) },
		"left end":  func(s *twoSides) { s.leftEnds.at(0).OnError(errBoom) },
		"right end": func(s *twoSides) { s.rightEnds.at(0).OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTwoSides()
			p := s.join(reactor.Unbounded)
			s.left.last().OnNext(1)
			s.right.last().OnNext(10)
			fail(s)
			p.Failed(t, errBoom, 11)
			s.left.last().OnNext(2)
			s.right.last().OnNext(20)
			s.left.last().OnError(errOther)
			assert.Len(t, s.hooks.Discarded, 2-len(s.hooks.Dropped))
			assert.Equal(t, []any{errOther}, s.hooks.Errs)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		s := newTwoSides()
		p := s.join(reactor.Unbounded)
		s.left.last().OnNext(1)
		p.Cancel()
		p.Cancel()
		p.Request(1)
		assert.EqualValues(t, 1, s.left.last().cancels.Load())
		assert.EqualValues(t, 1, s.right.last().cancels.Load())
		assert.EqualValues(t, 1, s.leftEnds.at(0).cancels.Load())
		s.right.last().OnNext(10)
		s.right.last().OnError(errBoom)
		p.Open(t)
		assert.Equal(t, []any{1, 10}, s.hooks.Discarded)
		assert.Equal(t, []any{errBoom}, s.hooks.Errs)
	})
	t.Run("cancelled from within", func(t *testing.T) {
		s := newTwoSides()
		p := s.join(reactor.Unbounded)
		p.Each = func(int) { p.Cancel() }
		s.left.last().OnNext(1)
		s.left.last().OnNext(2)
		s.right.last().OnNext(10)
		s.right.last().OnNext(20)
		p.Open(t, 11, 12)
	})
}

// Lifetimes may be over before they have begun.
func TestJoinOfShortLives(t *testing.T) {
	none := func(int) reactor.Publisher[int] { return Empty[int]() }
	run(Join(Range(1, 3), Range(10, 3), none, none, add)).Done(t)
	forever := func(int) reactor.Publisher[int] { return Never[int]() }
	run(Join(Range(1, 2), Range(10, 2), forever, none, add)).Done(t, 11, 12, 12, 13)
}

func TestJoinPanics(t *testing.T) {
	forever := func(int) reactor.Publisher[int] { return Never[int]() }
	broken := func(int) reactor.Publisher[int] { panic(errBoom) }
	missing := func(int) reactor.Publisher[int] { return nil }
	one := FromSlice([]int{1})
	ctx, hooks := probe.Recorded()
	runWith(ctx, Join(one, one, broken, forever, add)).Failed(t, errBoom)
	runWith(ctx, Join(one, one, forever, broken, add)).Failed(t, errBoom)
	p := runWith(ctx, Join(one, one, missing, forever, add))
	assert.ErrorContains(t, p.Failure(), "join: the publisher is nil")
	assert.Equal(t, []any{1, 1, 1, 1, 1, 1}, hooks.Discarded, "the left and the right, three times")
	runWith(ctx, Join(one, one, forever, forever, func(int, int) int { panic(errBoom) })).Failed(t, errBoom)
	hooks.Discarded = nil
	runWith(ctx, Map(Join(one, one, forever, forever, add), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []any{2}, hooks.Discarded)
	var wg sync.WaitGroup
	p = probeOf[int](reactor.Unbounded)
	wg.Go(func() {
		Join(one, one, forever, forever, func(int, int) int { runtime.Goexit(); return 0 }).Subscribe(ctx, p)
	})
	wg.Wait()
	p.Failed(t, reactor.ErrGoexit)
}

func TestJoinArguments(t *testing.T) {
	end := func(int) reactor.Publisher[int] { return nil }
	requirePanics(t, "join: the publisher is nil", func() { Join(nil, Just(1), end, end, add) })
	requirePanics(t, "join: the publisher is nil", func() { Join(Just(1), nil, end, end, add) })
	requirePanics(t, "join: the function for the end of the left is nil", func() { Join[int, int, int, int](Just(1), Just(1), nil, end, add) })
	requirePanics(t, "join: the function for the end of the right is nil", func() { Join[int, int, int, int](Just(1), Just(1), end, nil, add) })
	requirePanics(t, "join: the combiner is nil", func() { Join[int, int, int, int, int](Just(1), Just(1), end, end, nil) })
	group := func(v int, _ reactor.Publisher[int]) int { return v }
	requirePanics(t, "groupJoin: the publisher is nil", func() { GroupJoin(nil, Just(1), end, end, group) })
	requirePanics(t, "groupJoin: the publisher is nil", func() { GroupJoin(Just(1), nil, end, end, group) })
	requirePanics(t, "groupJoin: the function for the end of the left is nil", func() { GroupJoin[int, int, int, int](Just(1), Just(1), nil, end, group) })
	requirePanics(t, "groupJoin: the function for the end of the right is nil", func() { GroupJoin[int, int, int, int](Just(1), Just(1), end, nil, group) })
	requirePanics(t, "groupJoin: the combiner is nil", func() { GroupJoin[int, int, int, int, int](Just(1), Just(1), end, end, nil) })
}

func TestLifetimes(t *testing.T) {
	var list joinElements[int]
	all := make([]*joinElement[int], 4)
	values := func() (vs []int) {
		for l := list.first; l != nil; l = l.next {
			vs = append(vs, l.value)
		}
		return vs
	}
	for i := range all {
		all[i] = &joinElement[int]{value: i}
		list.add(all[i])
	}
	for _, step := range []struct {
		remove int
		left   []int
	}{{1, []int{0, 2, 3}}, {1, []int{0, 2, 3}}, {2, []int{0, 3}}, {1, []int{0, 3}}, {3, []int{0}}, {0, nil}} {
		list.remove(all[step.remove])
		assert.Equal(t, step.left, values())
	}
	assert.Nil(t, list.last)
}

// raceLives races the ends of lifetimes with everything else.
func raceLives[R any](t *testing.T, stage func(l *racedLedger, a, b elements, end func(element) reactor.Publisher[int]) reactor.Publisher[R], deliver func(*racedLedger, R)) {
	side := map[string]func(*raceSide){
		"next":     func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnNext(s.l.Produce()) },
		"complete": func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnComplete() },
		"error":    func(s *raceSide) { s.up.OnNext(s.l.Produce()); s.up.OnError(errBoom) },
	}
	third := map[string]func(*probe.Probe[R], *puppetSubscription[int]){
		"cancel": func(p *probe.Probe[R], _ *puppetSubscription[int]) { p.Cancel() },
		"gone":   func(_ *probe.Probe[R], s *puppetSubscription[int]) { s.OnComplete() },
		"broken": func(_ *probe.Probe[R], s *puppetSubscription[int]) { s.OnError(errOther) },
	}
	for nameA, first := range side {
		for nameB, second := range side {
			for nameC, other := range third {
				t.Run(nameA+"-"+nameB+"-"+nameC, func(t *testing.T) {
					racetest.Repeat(racetest.Iterations(80), func(race func(...func())) {
						if t.Failed() {
							return
						}
						l := newRacedLedger(t)
						a, b, end := &puppet[element]{}, &puppet[element]{}, &puppet[int]{}
						p := probeOf[R](reactor.Unbounded)
						p.Each = func(v R) { deliver(l, v) }
						ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
						stage(l, a, b, func(element) reactor.Publisher[int] { return end }).Subscribe(l.Context(ctx), p)
						left, right := &raceSide{l: l, up: a.last()}, &raceSide{l: l, up: b.last()}
						left.up.OnNext(l.Produce())
						ending := end.last()
						race(func() { first(left) }, func() { second(right) }, func() { other(p, ending) })
						p.Cancel()
						l.Check()
						p.Faultless(t)
					})
				})
			}
		}
	}
}

func TestJoinRaces(t *testing.T) {
	raceLives(t, func(l *racedLedger, a, b elements, end func(element) reactor.Publisher[int]) reactor.Publisher[int] {
		return Join(a, b, end, end, l.combine)
	}, func(*racedLedger, int) {})
}

// groupOfElements is what lived together with an element.
type groupOfElements struct{ members *probe.Probe[element] }

// groups starts a groupJoin whose groups are subscribed with the given demand.
func (s *twoSides) groups(demand, each int64) (*probe.Probe[int], func(int) *probe.Probe[int]) {
	var all []*probe.Probe[int]
	p := probeOf[int](demand)
	GroupJoin(s.left, s.right, s.leftEnds.fn, s.rightEnds.fn, func(v int, group reactor.Publisher[int]) int {
		members := probeOf[int](each)
		group.Subscribe(s.ctx, members)
		all = append(all, members)
		return v
	}).Subscribe(s.ctx, p)
	return p, func(i int) *probe.Probe[int] { return all[i] }
}
