package own

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func difference(a, b int) int { return b - a }

func sum(a, b int) int { return a + b }

func ExamplePairwise() {
	f := flux.From(Pairwise(flux.Just(1, 2, 4, 8), difference))
	fmt.Println(f.Collect(context.Background()))
	// Output:
	// [1 2 4] <nil>
}

func TestPairwise(t *testing.T) {
	m := reactortest.NewMarbles(t)
	src := m.Cold("a-b-c-|")
	m.ExpectMarbles(Pairwise(src, func(a, b string) string { return b }), "--b-c-|")
	m.ExpectSubscriptions(src, "^-----!")
	m.ExpectMarbles(Pairwise(m.Cold("a-#"), func(a, b string) string { return b }), "--#")
	m.Run()
}

// Each asks for an element more, once, and passes the rest on as it is.
func TestPairwiseDemand(t *testing.T) {
	src := reactortest.NewTestPublisher[int](t)
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(1))
	Pairwise(src, difference).Subscribe(t.Context(), s)
	src.AssertRequested(1)
	src.Next(1)
	src.AssertRequested(2)
	src.Next(5)
	s.ExpectNext(4)
}

func TestPairwiseNamesItselfInPanics(t *testing.T) {
	_, err := flux.From(Pairwise(flux.Range(1, 3), func(a, b int) int { panic("no") })).Collect(t.Context())
	var p *reactor.PanicError
	if assert.ErrorAs(t, err, &p) {
		assert.Equal(t, "pairwise", p.Op)
		assert.Equal(t, "no", p.Value)
	}
	assert.PanicsWithValue(t, "reactor: pairwise: the function is nil", func() { Pairwise[int, int](flux.Just(1), nil) })
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		from, to, by int
		want         []int
	}{
		{0, 10, 3, []int{0, 3, 6, 9}}, {0, 9, 3, []int{0, 3, 6}}, {5, 5, 1, nil}, {math.MaxInt - 1, math.MaxInt, 2, []int{math.MaxInt - 1}},
		{math.MinInt, math.MaxInt, math.MaxInt, []int{math.MinInt, -1, math.MaxInt - 1}},
	} {
		got, err := flux.From(Steps(c.from, c.to, c.by)).Collect(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	assert.PanicsWithValue(t, "reactor: steps: the step must be positive, got 0", func() { Steps(1, 2, 0) })
}

func TestConflate(t *testing.T) {
	src := reactortest.NewTestPublisher[int](t)
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(1))
	Conflate(src, sum).Subscribe(t.Context(), s)
	src.Next(1, 2, 3, 4)
	s.ExpectNext(1)
	s.Request(1)
	s.ExpectNext(9)
	src.Next(5)
	src.Complete()
	s.Request(1)
	s.ExpectNext(5)
	s.ExpectComplete()
}

func TestConflateFailing(t *testing.T) {
	var discarded []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, v) }})
	s := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(1))
	Conflate(flux.Range(1, 3), func(a, b int) int { panic("no") }).Subscribe(ctx, s)
	s.ExpectNext(1)
	var p *reactor.PanicError
	if assert.ErrorAs(t, s.ExpectError(), &p) {
		assert.Equal(t, "conflate", p.Op)
	}
	assert.ElementsMatch(t, []any{2, 3}, discarded)
}

var errFailed = errors.New("failed")

// stageOf checks an operator on a source of ours.
func stageOf(op func(src reactor.Publisher[int]) reactor.Publisher[int], more int64) tck.Publisher[int] {
	return tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] {
			if n == tck.Endless {
				return op(Steps(0, math.MaxInt, 1))
			}
			return op(Steps(0, int(n+more), 1))
		},
		Failed: func() reactor.Publisher[int] { return op(flux.Error[int](errFailed)) },
	}
}

func TestKit(t *testing.T) {
	same := func(src reactor.Publisher[int]) reactor.Publisher[int] { return src }
	t.Run("Steps", func(t *testing.T) { tck.VerifyPublisher(t, stageOf(same, 0), tck.InBubbles()) })
	pairs := func(src reactor.Publisher[int]) reactor.Publisher[int] { return Pairwise(src, difference) }
	conflated := func(src reactor.Publisher[int]) reactor.Publisher[int] {
		return flux.From(Conflate(flux.From(src).DelayElements(time.Millisecond), sum)).OnBackpressureBuffer()
	}
	t.Run("Conflate", func(t *testing.T) {
		p := stageOf(conflated, 0)
		p.Max = 30
		tck.VerifyPublisher(t, p, tck.InBubbles())
	})
	t.Run("Pairwise", func(t *testing.T) { tck.VerifyPublisher(t, stageOf(pairs, 1), tck.InBubbles()) })
}
