package operators

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// leavingAside is a subscriber that cancels from another goroutine at its n-th element.
type leavingAside struct {
	books *ledger.Ledger
	n     int
	up    reactor.Subscription
	work  sync.WaitGroup
	over  chan struct{}
	once  sync.Once
}

func (s *leavingAside) OnSubscribe(up reactor.Subscription) { s.up = up; up.Request(reactor.Unbounded) }
func (s *leavingAside) OnError(error)                       { s.end() }
func (s *leavingAside) OnComplete()                         { s.end() }
func (s *leavingAside) end()                                { s.once.Do(func() { close(s.over) }) }

func (s *leavingAside) OnNext(v *ledger.Element) {
	s.books.Delivered(v)
	if s.n--; s.n == 0 {
		s.work.Go(func() {
			s.up.Cancel()
			s.end()
		})
	}
}

// A source under a resource, flattened one by one, merged with one that fails and resumed, on real
// schedulers: whoever cancels in the middle finds every element delivered or discarded, and not both.
func TestResumedMergeIsCancelledInTheMiddle(t *testing.T) {
	for round := range racetest.Iterations(400) {
		synctest.Test(t, func(t *testing.T) { resumedMerge(t, round) })
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func resumedMerge(t *testing.T, round int) {
	type publisher = reactor.Publisher[*ledger.Element]
	s, err := schedulers.NewParallel("merge", 3)
	require.NoError(t, err)
	defer s.Dispose()
	books := ledger.New(t)
	hooks := books.Hooks()
	hooks.ErrorDropped = func(context.Context, error) {}
	seq := func(n int) publisher {
		return FromSeq(func(yield func(*ledger.Element) bool) {
			for range n {
				if !yield(books.Produce()) {
					return
				}
			}
		})
	}
	inner := func(v *ledger.Element) publisher {
		switch (v.Number + round) % 4 {
		case 0:
			return Just(v)
		case 1:
			return PublishOn(Hide(Just(v)), s)
		case 2:
			return Hide(Just(v))
		}
		return Concat(Just(v), SubscribeOn(seq(1), s))
	}
	used := UsingWhen(SubscribeOn(Just(1), s), func(int) publisher { return seq(12) },
		AsyncCleanup[int, int]{Complete: func(int) reactor.Publisher[int] { return Empty[int]() }})
	failing := SubscribeOn(Concat(seq(1+round%5), Error[*ledger.Element](errBoom)), s)
	merged := MergeWith(ConcatMap(used, inner, Prefetch(0)), failing)
	resumed := OnErrorResume(merged, func(error) publisher { return SubscribeOn(seq(6), s) })
	down := &leavingAside{books: books, n: 8, over: make(chan struct{})}
	ConcatMap(resumed, inner).Subscribe(reactor.WithHooks(context.Background(), hooks), down)
	<-down.over
	down.work.Wait()
	synctest.Wait()
	books.Check()
}
