package operators

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestWhen(t *testing.T) {
	list := func(ps ...reactor.Publisher[int]) []reactor.Publisher[int] { return ps }
	run(When(list(FromSlice([]int{1, 2}), Empty[int]()))).Done(t)
	run(When(list(FromSlice([]int{1, 2})))).Done(t)
	run(When[int](nil)).Done(t)
	run(When(list(Never[int](), Error[int](errBoom)))).Failed(t, errBoom)
	p := run(When(list(failing(1), Just(1), Error[int](errOther)), DelayErrors()))
	assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
	run(And(Just(1), Just("a"))).Done(t)
	run(And(Just(1), Error[string](errBoom))).Failed(t, errBoom)

	ctx, hooks := probe.Recorded()
	runWith(ctx, When(list(FromSlice([]int{1, 2}), Just(3)))).Done(t)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
}

// Without a request nothing starts, though there is no element that could be asked for.
func TestWhenAwaitsTheFirstRequest(t *testing.T) {
	for name, stage := range map[string]func(a, b reactor.Publisher[int]) reactor.Publisher[struct{}]{
		"when": func(a, b reactor.Publisher[int]) reactor.Publisher[struct{}] {
			return When([]reactor.Publisher[int]{a, b})
		},
		"and": And[int, int],
	} {
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[struct{}](0)
		stage(a, b).Subscribe(t.Context(), p)
		assert.Zero(t, a.count()+b.count(), name)
		p.Request(1)
		assert.Equal(t, [2]int{1, 1}, [2]int{a.count(), b.count()}, name)
		p.Request(1)
		assert.Equal(t, [2]int{1, 1}, [2]int{a.count(), b.count()}, name)
	}
	alone := &puppet[int]{}
	When([]reactor.Publisher[int]{alone}).Subscribe(t.Context(), probeOf[struct{}](0))
	assert.Equal(t, 1, alone.count(), "there is nothing to hold back")
}

func TestWhenCancelsTheOthers(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := run(When([]reactor.Publisher[int]{a, b}))
	a.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, int64(1), b.last().cancels.Load())

	a, b = &puppet[int]{}, &puppet[int]{}
	p = run(When([]reactor.Publisher[int]{a, b}))
	p.Cancel()
	assert.Equal(t, int64(1), a.last().cancels.Load())
	assert.Equal(t, int64(1), b.last().cancels.Load())
	p.Open(t)
}

func TestWhenPoliciesAtConstantStackDepth(t *testing.T) {
	rounds := manyRounds() / 4
	old := debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(old)
	gate := func(RetrySignal) reactor.Publisher[int] { return Empty[int]() }
	same := func(s reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return TryMap(s, func(s RetrySignal) (RetrySignal, error) {
			if s.TotalRetries == int64(rounds) {
				return s, errOther
			}
			return s, nil
		})
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"retry":            RetryWhen(Error[int](errBoom), RetryMax(rounds)),
		"retry with gates": RetryWhen(Error[int](errBoom), RetryMax(rounds).DoBeforeRetryAsync[int](gate).DoAfterRetry(func(RetrySignal) {})),
		"retry companion":  RetryWhen(Error[int](errBoom), RetryFrom[RetrySignal](same)),
		"repeat":           RepeatWhen(Empty[int](), RepeatTimes(rounds)),
		"repeat companion": RepeatWhen(Empty[int](), RepeatFrom[int](func(reactor.Publisher[int64]) reactor.Publisher[int] { return Range(0, rounds) })),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(OnErrorComplete(src, WhenError(func(err error) bool {
				return errors.Is(err, errOther) || errors.Is(err, reactor.ErrRetryExhausted)
			})))
			p.Done(t)
		})
	}
}

func TestAnd(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(And(src, reactor.Publisher[string](other)))
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Open(t)
	other.last().OnComplete()
	p.Done(t)

	p = run(And(src, reactor.Publisher[string](other)))
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, other.last().cancels.Load())
}
