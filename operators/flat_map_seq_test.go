package operators

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestFlatMapSeqLetsGoOfItsSequence(t *testing.T) {
	for _, demand := range []int64{1, 2, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		ended := 0
		endless := func(int) iter.Seq[int] {
			return func(yield func(int) bool) {
				defer func() { ended++ }()
				for i := 0; yield(i); i++ {
				}
			}
		}
		p := probeOf[int](demand)
		p.Each = func(v int) {
			if v == 1 {
				p.Cancel()
			}
		}
		FlatMapSeq(Hide(Just(1)), endless).Subscribe(ctx, p)
		if demand == 1 {
			p.Open(t, 0)
			p.Cancel()
			assert.Equal(t, []any{1}, hooks.Discarded, "what was computed ahead")
		} else {
			p.Open(t, 0, 1)
			assert.Empty(t, hooks.Discarded)
		}
		assert.Equal(t, 1, ended)
	}
}

func TestFlatMapSeqThatFailsWhileItEnds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	FlatMapSeq(Hide(Just(1)), func(int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for yield(1) {
			}
			panic(errBoom)
		}
	}).Subscribe(ctx, p)
	p.Cancel()
	p.Open(t, 1)
	if assert.Len(t, hooks.Errs, 1) {
		assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
	}
}

func TestFlatMapSeq2(t *testing.T) {
	lines := func(n int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			if yield(n, nil) && n == 2 {
				yield(0, errBoom)
			}
		}
	}
	p := probeOf[int](1)
	FlatMapSeq2(Range(1, 3), lines).Subscribe(t.Context(), p)
	p.Open(t, 1)
	p.Request(9)
	p.Failed(t, errBoom, 1, 2)
}

// TestFlatMapSeqFails lets a sequence fail, which the element that it was made for does not.
func TestFlatMapSeqFails(t *testing.T) {
	for name, initial := range map[string]int64{"run as a whole": reactor.Unbounded, "suspended": 2} {
		t.Run(name, func(t *testing.T) {
			ctx, r := probe.Recorded()
			p := probeOf[int](initial)
			FlatMapSeq(Hide(Range(7, 2)), func(v int) iter.Seq[int] {
				return func(yield func(int) bool) {
					yield(v)
					panic(errBoom)
				}
			}).Subscribe(ctx, p)
			p.Failed(t, errBoom, 7)
			assert.Empty(t, r.Discarded, "nothing waits, and 7 was delivered")
		})
	}
}
