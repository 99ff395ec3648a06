package merge

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
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
