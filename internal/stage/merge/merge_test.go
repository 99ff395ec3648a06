package merge

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// begin returns what merges n sources, with their subscriptions.
func begin(t *testing.T, n int, c Config[int], p *probe.Probe[int]) (*Main[int], []*probe.Source) {
	t.Helper()
	ctx, _ := probe.Recorded()
	s := New(ctx, reactor.Subscriber[int](p), n, c)
	s.Out.Begin()
	ups := make([]*probe.Source, n)
	for i := range ups {
		ups[i] = &probe.Source{}
		s.Inners[i].OnSubscribe(ups[i])
	}
	return s, ups
}

// The smallest of all, whatever the number of sources, and however long each is; of equal ones that of the source
// before.
func TestOrderIsThatOfTheSorted(t *testing.T) {
	type element struct{ key, source int }
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n := 1 + round%9
		p := &probe.Probe[element]{Initial: probe.All}
		s := New(context.Background(), reactor.Subscriber[element](p), n, Config[element]{
			Name: "merge", Prefetch: 64, Compare: func(a, b element) int { return cmp.Compare(a.key, b.key) },
		})
		s.Out.Begin()
		var want []element
		for i := range n {
			s.Inners[i].OnSubscribe(&probe.Source{})
			keys := make([]int, r.IntN(8))
			for k := range keys {
				keys[k] = r.IntN(5)
			}
			slices.Sort(keys)
			for _, k := range keys {
				want = append(want, element{k, i})
			}
		}
		perm := r.Perm(n)
		for _, i := range perm {
			for _, e := range want {
				if e.source == i {
					s.Inners[i].OnNext(e)
				}
			}
			s.Inners[i].OnComplete()
		}
		slices.SortStableFunc(want, func(a, b element) int { return cmp.Compare(a.key, b.key) })
		p.Done(t, want...)
	}
}

// A source that has shown nothing holds the others up, until it has, or has ended; not with Eager.
func TestOrderWaitsForEverySource(t *testing.T) {
	for _, eager := range []bool{false, true} {
		p := &probe.Probe[int]{Initial: probe.All}
		s, _ := begin(t, 3, Config[int]{Name: "merge", Prefetch: 4, Compare: cmp.Compare[int], Eager: eager}, p)
		s.Inners[0].OnNext(5)
		s.Inners[2].OnNext(1)
		if eager {
			p.Open(t, 5, 1)
			continue
		}
		p.Open(t)
		s.Inners[1].OnComplete()
		p.Open(t, 1)
		s.Inners[2].OnComplete()
		p.Open(t, 1, 5)
		s.Inners[0].OnComplete()
		p.Done(t, 1, 5)
	}
}

// Without an order, each source is asked again for what was delivered of it, and for no more than its prefetch.
func TestSourcesAreAskedAgain(t *testing.T) {
	p := &probe.Probe[int]{Initial: 2}
	s, ups := begin(t, 2, Config[int]{Name: "merge", Prefetch: 4}, p)
	assert.EqualValues(t, 4, ups[0].Asked)
	for v := range 4 {
		s.Inners[0].OnNext(v)
	}
	p.Open(t, 0, 1)
	assert.EqualValues(t, 4, ups[0].Asked)
	p.Request(2)
	p.Open(t, 0, 1, 2, 3)
	assert.Greater(t, ups[0].Asked, int64(4))
	assert.EqualValues(t, 4, ups[1].Asked, "of this one nothing was delivered")
	s.Inners[0].OnComplete()
	p.Open(t, 0, 1, 2, 3)
	s.Inners[1].OnComplete()
	p.Done(t, 0, 1, 2, 3)
}

// What nobody has asked for fails the stream, and names who sent it.
func TestASourceThatSendsTooMuch(t *testing.T) {
	p := &probe.Probe[int]{}
	s, ups := begin(t, 2, Config[int]{Name: "merge", Source: "a source", Prefetch: 2}, p)
	for v := range 3 {
		s.Inners[0].OnNext(v)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.Equal(t, 1, ups[1].Cancelled, "the other one")
	require.NotZero(t, ups[0].Cancelled)
}

// A cancellation gives up what waits, of every source, and reaches all of them.
func TestCancelDropsWhatWaits(t *testing.T) {
	for _, compare := range []func(a, b int) int{nil, cmp.Compare[int]} {
		ctx, hooks := probe.Recorded()
		p := &probe.Probe[int]{}
		s := New(ctx, reactor.Subscriber[int](p), 2, Config[int]{Name: "merge", Prefetch: 4, Compare: compare})
		s.Out.Begin()
		ups := []*probe.Source{{}, {}}
		for i, up := range ups {
			s.Inners[i].OnSubscribe(up)
			s.Inners[i].OnNext(i)
		}
		p.Cancel()
		assert.ElementsMatch(t, []any{0, 1}, hooks.Discarded)
		s.Inners[1].OnNext(2)
		assert.ElementsMatch(t, []any{0, 1, 2}, hooks.Discarded)
		assert.Equal(t, []int{1, 1}, []int{ups[0].Cancelled, ups[1].Cancelled})
		p.Faultless(t)
	}
}

// watched counts how often somebody looks into a queue.
type watched struct {
	queue.SPSC[int]
	looks *int
}

func (q watched) Poll() (int, bool) {
	*q.looks++
	return q.SPSC.Poll()
}

func (q watched) IsEmpty() bool {
	*q.looks++
	return q.SPSC.IsEmpty()
}

// beginWatched is begin for sources whose queues are watched.
func beginWatched(t *testing.T, n int, c Config[int], p *probe.Probe[int]) (s *Main[int], looks *int) {
	t.Helper()
	s, _ = begin(t, n, c, p)
	looks = new(int)
	for i := range s.Inners {
		s.Inners[i].queue = watched{s.Inners[i].queue, looks}
	}
	return s, looks
}

// What an element costs does not depend on how many sources have none.
func TestSourcesThatHaveNothingCostNothing(t *testing.T) {
	const n, each, most = 1000, 3, 8 // looks for each element
	compared := 0
	compare := func(a, b int) int { compared++; return cmp.Compare(a, b) }
	for name, compare := range map[string]func(a, b int) int{"any order": nil, "the smallest that is there": compare} {
		t.Run(name, func(t *testing.T) {
			p := &probe.Probe[int]{}
			s, looks := beginWatched(t, n, Config[int]{Name: "merge", Prefetch: 4, Compare: compare, Eager: compare != nil}, p)
			for k := range each {
				for i := range n { // all have something
					s.Inners[i*7%n].OnNext(k*n + i)
				}
				for range n {
					p.Request(1)
				}
			}
			for i := range n { // one has
				s.Inners[i].OnNext(i)
				p.Request(1)
			}
			for i := range n {
				s.Inners[i].OnComplete()
			}
			p.Done(t, p.Got()...)
			assert.Len(t, p.Got(), (each+1)*n)
			assert.LessOrEqual(t, *looks, (each+1)*n*most)
			assert.LessOrEqual(t, compared, (each+1)*n*3*bits.Len(n))
		})
	}
}

// Sources that end after a cancellation do not have all the others looked at again.
func TestEndsAfterACancellationCostNothing(t *testing.T) {
	const n = 1000
	p := &probe.Probe[int]{}
	s, looks := beginWatched(t, n, Config[int]{Name: "merge", Prefetch: 4}, p)
	p.Cancel()
	for i := range n {
		s.Inners[i].OnComplete()
	}
	assert.LessOrEqual(t, *looks, 4*n)
	p.Open(t)
}

// Whatever comes when, and is asked for when: the next one is the smallest of the first ones that are there, of equal ones that of the
// source before; without a comparison it is that of the next source, from the left at each request.
func TestTheNextIsThatOfAScan(t *testing.T) {
	type element struct{ key, source int }
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		n := 1 + round%(3*fewSources)
		c := Config[element]{Name: "merge", Prefetch: 64}
		if c.Eager = round%2 == 0; c.Eager {
			c.Compare = func(a, b element) int { return cmp.Compare(a.key, b.key) }
		}
		p := &probe.Probe[element]{}
		s := New(context.Background(), reactor.Subscriber[element](p), n, c)
		s.Out.Begin()
		for i := range n {
			s.Inners[i].OnSubscribe(&probe.Source{})
		}
		waiting, left := make([][]element, n), 0
		var want []element
		for range 40 {
			if left == 0 || r.IntN(3) > 0 {
				e := element{r.IntN(4), r.IntN(n)}
				waiting[e.source] = append(waiting[e.source], e)
				left++
				s.Inners[e.source].OnNext(e)
				continue
			}
			asked := 1 + r.IntN(left)
			left -= asked
			for at := 0; asked > 0; asked-- {
				next := -1
				for k := range n {
					i := (at + k) % n
					if c.Eager {
						i = k
					}
					switch {
					case len(waiting[i]) == 0:
					case next < 0, c.Eager && waiting[i][0].key < waiting[next][0].key:
						next = i
					}
				}
				want = append(want, waiting[next][0])
				waiting[next] = waiting[next][1:]
				at = next + 1
			}
			p.Request(int64(len(want) - len(p.Got())))
		}
		p.Open(t, want...)
		p.Cancel()
	}
}

// An element that comes while the queue of its source is found empty is not overlooked.
func TestNoElementIsOverlooked(t *testing.T) {
	for name, compare := range map[string]func(a, b int) int{"any order": nil, "the smallest that is there": cmp.Compare[int]} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(3000), func(race func(...func())) {
				p := &probe.Probe[int]{}
				s, _ := begin(t, fewSources+1, Config[int]{Name: "merge", Prefetch: 4, Compare: compare, Eager: compare != nil}, p)
				s.Inners[0].OnNext(1)
				race(
					func() { s.Inners[0].OnNext(2); s.Inners[0].OnNext(3) },
					func() { p.Request(1); p.Request(1); p.Request(1) },
				)
				p.Open(t, 1, 2, 3)
			})
		})
	}
}

// Few sources are looked at one by one, which is faster than to keep them in order.
func TestFewSources(t *testing.T) {
	p := &probe.Probe[int]{}
	s, _ := begin(t, fewSources, Config[int]{Name: "merge", Prefetch: 4, Compare: cmp.Compare[int], Eager: true}, p)
	for i := range fewSources {
		s.Inners[i].OnNext(-i)
	}
	p.Request(1)
	p.Open(t, 1-fewSources)
	assert.Empty(t, s.order.heads)
	p.Cancel()
}

// What waits for demand is delivered before the end that is here already, or is discarded if nobody wants it any more: all of it, and
// nothing of it twice.
func TestWhatWaitsIsDeliveredOrDiscarded(t *testing.T) {
	for name, c := range map[string]struct {
		n int
		Config[int]
	}{
		"no order":    {3, Config[int]{}},
		"order":       {3, Config[int]{Compare: cmp.Compare[int]}},
		"eager":       {3, Config[int]{Compare: cmp.Compare[int], Eager: true}},
		"many, eager": {fewSources + 4, Config[int]{Compare: cmp.Compare[int], Eager: true}},
	} {
		c.Name, c.Prefetch = "merge", 4
		for _, each := range []int{1, 2} { // elements of a source
			for _, cancel := range []bool{false, true} {
				t.Run(fmt.Sprint(name, ", ", each, ", cancelled ", cancel), func(t *testing.T) {
					ctx, hooks := probe.Recorded()
					p := &probe.Probe[int]{Initial: 1}
					s := New(ctx, reactor.Subscriber[int](p), c.n, c.Config)
					s.Out.Begin()
					for i := range s.Inners {
						s.Inners[i].OnSubscribe(&probe.Source{})
					}
					var all []int
					var rest []any
					for v := range c.n * each {
						s.Inners[v/each].OnNext(v)
						all = append(all, v)
						if v > 0 {
							rest = append(rest, v)
						}
					}
					p.Open(t, 0)
					if cancel {
						p.Cancel()
						p.Open(t, 0)
						assert.ElementsMatch(t, rest, hooks.Discarded)
						return
					}
					for i := range s.Inners {
						s.Inners[i].OnComplete()
					}
					for asked := 2; asked <= len(all); asked++ {
						require.False(t, p.Over())
						p.Request(1)
						require.Len(t, p.Got(), asked)
					}
					assert.True(t, p.Over())
					if c.Compare == nil {
						assert.ElementsMatch(t, all, p.Got())
					} else {
						assert.Equal(t, all, p.Got())
					}
					p.Faultless(t)
					assert.Empty(t, hooks.Discarded)
				})
			}
		}
	}
}

// A source whose element finds no room is told so once, and so is the hook that gets the element.
func TestAnElementWithoutRoomIsDiscardedOnce(t *testing.T) {
	for _, compare := range []func(a, b int) int{nil, cmp.Compare[int]} {
		ctx, hooks := probe.Recorded()
		p := &probe.Probe[int]{}
		s := New(ctx, reactor.Subscriber[int](p), 2, Config[int]{Name: "merge", Source: "a source", Prefetch: 2, Compare: compare, DelayErrors: true})
		s.Out.Begin()
		up := &probe.Source{}
		s.Inners[0].OnSubscribe(up)
		for v := range 3 {
			s.Inners[0].OnNext(v)
		}
		assert.Equal(t, []any{2}, hooks.Discarded)
		assert.Equal(t, 1, up.Cancelled)
		s.Inners[0].OnNext(3)
		assert.Equal(t, []any{3}, hooks.Dropped, "it has ended")
		s.Inners[1].OnComplete()
		p.Open(t)
		p.Request(3)
		p.Failed(t, reactor.ErrOverflow, 0, 1)
		p.Faultless(t)
		assert.Empty(t, hooks.Errs)
	}
}

func TestSourcesAreAskedForSomething(t *testing.T) {
	for _, compare := range []func(a, b int) int{nil, cmp.Compare[int]} {
		p := &probe.Probe[int]{}
		s := New(t.Context(), reactor.Subscriber[int](p), 1, Config[int]{Name: "merge", Prefetch: 4, Compare: compare})
		s.Out.Begin()
		up := &probe.Exact{T: t}
		s.Inners[0].OnSubscribe(up)
		for v := range 4 {
			s.Inners[0].OnNext(v)
		}
		p.Request(4)
		p.Open(t, 0, 1, 2, 3)
		assert.Greater(t, up.Asked, int64(4))
	}
}

func TestSourcesWithoutElementsAreTheEnd(t *testing.T) {
	for _, n := range []int{1, 3, fewSources + 4} {
		for _, c := range []Config[int]{{}, {Compare: cmp.Compare[int]}, {Compare: cmp.Compare[int], Eager: true}} {
			for _, initial := range []int64{0, probe.All} {
				c.Name, c.Prefetch = "merge", 4
				p := &probe.Probe[int]{Initial: initial}
				s, _ := begin(t, n, c, p)
				for i := range s.Inners {
					p.Open(t)
					s.Inners[i].OnComplete()
				}
				p.Done(t)
			}
		}
	}
}
