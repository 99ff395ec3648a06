package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// leaves is a subscriber that ends the goroutine on which it is subscribed.
type leaves struct{ probe.Probe[int] }

func (l *leaves) OnSubscribe(reactor.Subscription) { runtime.Goexit() }

// outsider is a subscriber from elsewhere that does so.
type outsider struct{ reactor.Subscriber[int] }

func (outsider) OnSubscribe(reactor.Subscription) { runtime.Goexit() }

// A rail whose subscriber ends the goroutine is left out; the others have theirs, and the source is asked.
func TestParallelRailThatEndsTheGoroutineOfOnSubscribe(t *testing.T) {
	for at := range 3 {
		for name, end := range map[string]reactor.Subscriber[int]{"foreign": outsider{}, "trusted": &leaves{}} {
			t.Run(name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				rails := make([]reactor.Subscriber[int], 3)
				var probes []*probe.Probe[int]
				for i := range rails {
					if i == at {
						rails[i] = end
						continue
					}
					probes = append(probes, probeOf[int](reactor.Unbounded))
					rails[i] = probes[len(probes)-1]
				}
				racetest.Aside(func() { ParallelSubscribe(ctx, Parallel(src, 3, Prefetch(4)), rails...) })
				up := src.last()
				assert.EqualValues(t, 4, up.requested.Load())
				for i := range 4 {
					up.OnNext(i)
				}
				up.OnComplete()
				probes[0].Done(t, 0, 2)
				probes[1].Done(t, 1, 3)
				assert.Zero(t, up.cancels.Load())
				assert.Empty(t, hooks.Dropped)
			})
		}
	}
}

// The end of the source, which has come before, reaches the others as well.
func TestParallelRailThatEndsTheGoroutineOverAnEmptySource(t *testing.T) {
	p := probeOf[int](0)
	racetest.Aside(func() {
		ParallelSubscribe(context.Background(), Parallel(Empty[int](), 2), reactor.Subscriber[int](outsider{}), p)
	})
	p.Done(t)
}

// So it is where a rail has operators, of which one ends at once, or whose function ends the goroutine.
func TestParallelRailsThatEndTheGoroutine(t *testing.T) {
	for name, op := range map[string]func() reactor.Publisher[int]{
		"subscriber": func() reactor.Publisher[int] { return Empty[int]() },
		"function":   func() reactor.Publisher[int] { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			calls := 0
			rails := ParallelRails(Parallel(src, 3), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
				if calls++; calls == 3 { // the first one is at assembly
					return op()
				}
				return rail
			})
			a, b := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
			middle := reactor.Subscriber[int](outsider{})
			failed := probeOf[int](0)
			if name == "function" {
				middle = failed
			}
			racetest.Aside(func() { ParallelSubscribe(ctx, rails, reactor.Subscriber[int](a), middle, b) })
			up := src.last()
			for i := range 4 {
				up.OnNext(i)
			}
			up.OnComplete()
			a.Done(t, 0, 2)
			b.Done(t, 1, 3)
			assert.Empty(t, hooks.Dropped)
			if name == "function" {
				failed.Failed(t, reactor.ErrGoexit)
			}
		})
	}
}

// The rails that a function has subscribed to begin, whatever becomes of who wants the groups.
func TestParallelGroupsThatNobodyTakes(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	racetest.Aside(func() {
		ParallelGroups(Parallel(Range(0, 4), 2), func(rail int, src reactor.Publisher[int]) int {
			if rail == 0 {
				src.Subscribe(context.Background(), p)
			}
			return rail
		}).Subscribe(context.Background(), outsider{})
	})
	p.Done(t, 0, 1, 2, 3)
}

// A source that overflows its queue ends with an error also if its cancellation ends the goroutine.
func TestParallelOverflowThatEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	rails := subscribeRails(ctx, Parallel(DoOnCancel(src, runtime.Goexit), 2, Prefetch(1)), 0)
	src.last().OnNext(1)
	racetest.Aside(func() { src.last().OnNext(2) })
	for _, rail := range rails {
		rail.Failed(t, reactor.ErrOverflow)
	}
	assert.ElementsMatch(t, []any{1, 2}, append(hooks.Discarded, hooks.Dropped...))
}

// A rail that hears of its failure, and ends the goroutine, has been told: the failure is not reported as dropped, too.
func TestParallelRailThatEndsTheGoroutineWhenItFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	rails := ParallelRails(Parallel(src, 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		return OnErrorMap(Map(rail, func(v int) int {
			if v == 1 {
				panic(errBoom)
			}
			return v
		}), func(error) error { runtime.Goexit(); return nil })
	})
	a, b := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
	ParallelSubscribe(ctx, rails, reactor.Subscriber[int](a), reactor.Subscriber[int](b))
	up := src.last()
	racetest.Aside(func() { up.OnNext(1) })
	up.OnNext(2)
	a.Failed(t, errBoom)
	a.Failed(t, reactor.ErrGoexit)
	b.Open(t, 2)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Empty(t, hooks.Errs)
}

// The last rail has failed, and a function that hears of the cancellation ends the goroutine: the failure was told, and that is all.
func TestParallelLastRailFailsAndItsCancellationEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var told []error
	ParallelSubscribeFunc(ctx, Parallel(DoOnCancel(src, runtime.Goexit), 1), func(int) { panic(errBoom) },
		OnError(func(err error) { told = append(told, err) }))
	racetest.Aside(func() { src.last().OnNext(1) })
	require.Len(t, told, 1)
	assert.ErrorIs(t, told[0], errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	for _, err := range hooks.Errs {
		assert.NotErrorIs(t, err.(error), errBoom)
	}
}
