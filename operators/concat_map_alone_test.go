package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// pushInto subscribes to ConcatMap, and returns the function by which its source sends in a loop.
func pushInto(
	ctx context.Context, p *probe.Probe[int], fn func(int) reactor.Publisher[int], opts ...ConcatMapOption,
) (src *puppetSubscription[int], push func(int)) {
	outer := &puppet[int]{}
	ConcatMap(outer, fn, opts...).Subscribe(ctx, p)
	src = outer.last()
	return src, protocol.Push(src.Subscriber)
}

// Of three elements one is at work elsewhere, one waits or is taken by who drains there, and one could go past both.
func TestConcatMapAloneKeepsTheOrder(t *testing.T) {
	racetest.Rounds(t, 600, func() ([]func(), func()) {
		inner, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
		p.Each = func(int) { runtime.Gosched() }
		src, push := pushInto(context.Background(), p, func(n int) reactor.Publisher[int] {
			if n == 0 {
				return inner
			}
			runtime.Gosched()
			return Just(n)
		})
		push(0)
		return []func(){
			func() { inner.last().OnNext(10); inner.last().OnComplete() },
			func() {
				push(1)
				runtime.Gosched()
				push(2)
				runtime.Gosched()
				push(3)
				src.OnComplete()
			},
		}, func() { p.Done(t, 10, 1, 2, 3) }
	})
}

// Behind an error that is held back to the boundary nothing is taken any more.
func TestConcatMapAloneStopsAtTheBoundary(t *testing.T) {
	racetest.Rounds(t, 600, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		inner, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
		_, push := pushInto(ctx, p, func(n int) reactor.Publisher[int] {
			if n == 0 {
				return inner
			}
			return Just(n)
		}, DelayErrorsToBoundary())
		push(0)
		return []func(){
			func() { inner.last().OnNext(10); inner.last().OnError(errBoom) },
			func() { push(1); runtime.Gosched(); push(2) },
		}, func() {
			p.Failed(t, errBoom, 10)
			assert.Len(t, append(hooks.Discarded, hooks.Dropped...), 2)
		}
	})
}

func TestConcatMapAloneStopsAtTheCancellation(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	var calls []int
	src, push := pushInto(ctx, p, func(n int) reactor.Publisher[int] { calls = append(calls, n); return Just(n) })
	push(1)
	p.Cancel()
	push(2)
	p.Open(t, 1)
	assert.Equal(t, []int{1}, calls, "the function is not called for what nobody wants")
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.EqualValues(t, 1, src.cancels.Load())
}

func TestConcatMapAloneCancelledByTheFunction(t *testing.T) {
	for name, publisher := range map[string]reactor.Publisher[int]{"just": Just(10), "range": Range(1, 3), "called": FromCallable(func() (int, error) { return 10, nil })} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			_, push := pushInto(ctx, p, func(n int) reactor.Publisher[int] {
				if n == 2 {
					p.Cancel()
					return publisher
				}
				return Just(n)
			})
			push(1)
			push(2)
			p.Open(t, 1)
			assert.Equal(t, []any{2}, hooks.Discarded)
		})
	}
}

// What has failed ends the stream at once, also where errors are held back.
func TestConcatMapAloneFails(t *testing.T) {
	for name, c := range map[string]struct {
		fn    func(int) reactor.Publisher[int]
		below func(int)
		want  []int
		gone  []any
	}{
		"function": {fn: func(n int) reactor.Publisher[int] {
			if n == 2 {
				panic(errBoom)
			}
			return Just(10 * n)
		}, want: []int{10}, gone: []any{2, 3}},
		"below": {fn: func(n int) reactor.Publisher[int] { return Just(10 * n) }, below: func(v int) {
			if v == 20 {
				panic(errBoom)
			}
		}, want: []int{10, 20}, gone: []any{20, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			p.Each = c.below
			src, push := pushInto(ctx, p, c.fn, DelayErrors())
			for n := range 3 {
				push(n + 1)
			}
			assert.ErrorIs(t, p.Failure(), errBoom)
			assert.Equal(t, c.want, p.Got())
			assert.Equal(t, c.gone, hooks.Discarded)
			assert.EqualValues(t, 1, src.cancels.Load())
		})
	}
}
