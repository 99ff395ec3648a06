package operators

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// watched is a sequence that tells how it ended.
type watched struct{ started, left int }

func (w *watched) seq(items ...int) iter.Seq[int] {
	return func(yield func(int) bool) {
		w.started++
		defer func() { w.left++ }()
		for _, v := range items {
			if !yield(v) {
				return
			}
		}
	}
}

func TestFromSeq(t *testing.T) {
	var w watched
	src := FromSeq(w.seq(1, 2, 3))
	run(src).Done(t, 1, 2, 3)
	p := probeOf[int](2)
	src.Subscribe(context.Background(), p)
	p.Open(t, 1, 2)
	p.Request(1)
	p.Open(t, 1, 2, 3)
	p.Request(1)
	p.Done(t, 1, 2, 3)
	assert.Equal(t, watched{2, 2}, w)
	run(FromSeq(w.seq())).Done(t)
	assert.Panics(t, func() { FromSeq[int](nil) })
	assert.Panics(t, func() { FromSeq2[int](nil) })
}

func TestFromSeqGoesOnUnboundedAfterBoundedDemand(t *testing.T) {
	p := probeOf[int](1)
	FromSeq(slices.Values([]int{1, 2, 3})).Subscribe(context.Background(), p)
	p.Open(t, 1)
	p.Request(reactor.Unbounded)
	p.Done(t, 1, 2, 3)
}

func TestFromSeqIsLeftWhenCancelled(t *testing.T) {
	for _, demand := range []int64{1, 3, reactor.Unbounded} {
		var w watched
		p := probeOf[int](demand)
		p.Each = func(v int) {
			if v == 1 {
				p.Cancel()
			}
		}
		FromSeq(w.seq(1, 2, 3)).Subscribe(context.Background(), p)
		p.Open(t, 1)
		assert.Equal(t, watched{1, 1}, w)
	}
	var w watched
	p := probeOf[int](1)
	FromSeq(w.seq(1, 2, 3)).Subscribe(context.Background(), p)
	assert.Equal(t, watched{1, 0}, w, "suspended")
	p.Cancel()
	assert.Equal(t, watched{1, 1}, w, "cancelled while suspended")
	p = probeOf[int](0)
	FromSeq(w.seq(1, 2, 3)).Subscribe(context.Background(), p)
	p.Cancel()
	assert.Equal(t, watched{1, 1}, w, "never started")
}

func TestFromSeqDiscardsWhatCameTooLate(t *testing.T) {
	for _, demand := range []int64{5, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		FromSeq(func(yield func(int) bool) {
			if yield(1) {
				p.Cancel()
				yield(2)
			}
		}).Subscribe(ctx, p)
		p.Request(demand)
		p.Open(t, 1)
		assert.Equal(t, []any{2}, hooks.Discarded)
	}
}

func TestFromSeqPanics(t *testing.T) {
	for _, demand := range []int64{5, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](demand)
		FromSeq(func(yield func(int) bool) { yield(1); panic(errBoom) }).Subscribe(ctx, p)
		p.Failed(t, errBoom, 1)
		assert.Empty(t, hooks.Discarded, "nothing was on its way")

		var w watched
		p = probeOf[int](demand)
		Map(FromSeq(w.seq(1, 2, 3)), func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		}).Subscribe(ctx, p)
		p.Failed(t, errBoom, 1)
		assert.Equal(t, []any{2}, hooks.Discarded)
		assert.Equal(t, watched{1, 1}, w)
	}
}

func TestFromSeqPanicsWhileItIsLeft(t *testing.T) {
	for _, demand := range []int64{1, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](demand)
		p.Each = func(int) { p.Cancel() }
		FromSeq(func(yield func(int) bool) {
			if !yield(1) {
				panic(errBoom)
			}
		}).Subscribe(ctx, p)
		p.Open(t, 1)
		if assert.Len(t, hooks.Errs, 1) {
			assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
		}
	}
}

func TestFromSeqGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	done := make(chan struct{})
	go func() {
		defer close(done)
		FromSeq(func(yield func(int) bool) { yield(1); runtime.Goexit() }).Subscribe(context.Background(), p)
	}()
	<-done
	p.Failed(t, reactor.ErrGoexit, 1)
}

func TestFromSeq2(t *testing.T) {
	pairs := func(err error) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			_ = yield(1, nil) && yield(2, err) && yield(3, nil)
		}
	}
	for _, demand := range []int64{5, reactor.Unbounded} {
		p := probeOf[int](demand)
		FromSeq2(pairs(nil)).Subscribe(context.Background(), p)
		p.Done(t, 1, 2, 3)
		p = probeOf[int](demand)
		FromSeq2(pairs(errBoom)).Subscribe(context.Background(), p)
		p.Failed(t, errBoom, 1)
	}
}

func TestFromSeqRacesRequestAndCancel(t *testing.T) {
	for range racetest.Iterations(200) {
		var w watched
		l := ledger.New(t)
		p := probeOf[*ledger.Element](0)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		FromSeq(func(yield func(*ledger.Element) bool) {
			w.started++
			defer func() { w.left++ }()
			for yield(l.Produce()) {
			}
		}).Subscribe(l.Context(context.Background()), p)
		racetest.Race(func() { p.Request(3) }, func() { p.Request(2) }, func() { p.Cancel() })
		assert.Equal(t, w.started, w.left)
		assert.Empty(t, p.Faults())
		l.Check()
	}
}

func BenchmarkFromSeq(b *testing.B) {
	benchmarkSource(b, FromSeq(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}))
}

func BenchmarkFromSlice(b *testing.B) { benchmarkSource(b, FromSlice(make([]int, b.N+2))) }
