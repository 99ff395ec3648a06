package operators_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

// A function below the stream of windows that panics ends that stream. The window that it was called for is open, and
// goes on as after a cancellation: whoever has subscribed to it gets its elements and its end.
func TestWindowOutlivesAFailureBelow(t *testing.T) {
	type windows = reactor.Publisher[reactor.Publisher[int]]
	self := func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }
	for name, of := range map[string]func(reactor.Publisher[int]) windows{
		"size":    func(src reactor.Publisher[int]) windows { return operators.Window(src, 2, self) },
		"stride":  func(src reactor.Publisher[int]) windows { return operators.Window(src, 2, self, operators.Stride(3)) },
		"overlap": func(src reactor.Publisher[int]) windows { return operators.Window(src, 2, self, operators.Stride(1)) },
		"timeout": func(src reactor.Publisher[int]) windows { return operators.WindowTimeout(src, 2, time.Hour, self) },
		"fair timeout": func(src reactor.Publisher[int]) windows {
			return operators.WindowTimeout(src, 2, time.Hour, self, operators.FairBackpressure())
		},
		"until": func(src reactor.Publisher[int]) windows {
			return operators.WindowUntil(src, func(v int) bool { return v%2 == 1 }, self)
		},
	} {
		for failing := range 2 {
			t.Run(fmt.Sprintf("%s, window %d", name, failing), func(t *testing.T) {
				cancelled := 0
				src := operators.DoOnCancel(operators.Hide(operators.Range(0, 20)), func() { cancelled++ })
				var open []*reactortest.TestSubscriber[int]
				boom := errors.New("boom")
				out := reactortest.Subscribe(t, operators.Map(of(src), func(w reactor.Publisher[int]) int {
					open = append(open, reactortest.Subscribe(t, w))
					if len(open) > failing {
						panic(boom)
					}
					return len(open)
				}))
				require.ErrorIs(t, out.Err(), boom)
				require.Len(t, out.Values(), failing)
				require.Len(t, open, failing+1)
				for _, w := range open {
					require.Len(t, w.Values(), 2)
					w.ExpectNextCount(2)
					w.ExpectComplete()
				}
				require.Equal(t, 1, cancelled)
			})
		}
	}
}

// The time of such a window passes, too.
func TestWindowTimeoutOfAWindowThatOutlivesAFailureBelow(t *testing.T) {
	for name, opts := range map[string][]operators.WindowTimeoutOption{"failing": nil, "fair": {operators.FairBackpressure()}} {
		for failing := range 2 {
			t.Run(fmt.Sprintf("%s, window %d", name, failing), func(t *testing.T) {
				clock := reactortest.NewVirtualTime()
				cancelled := 0
				src := operators.DoOnCancel(operators.Concat(operators.Hide(operators.Range(0, 2*failing+1)), operators.Never[int]()), func() { cancelled++ })
				windows := operators.WindowTimeout(src, 2, time.Second, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }, append(opts, operators.On(clock))...)
				var open []*reactortest.TestSubscriber[int]
				boom := errors.New("boom")
				out := reactortest.Subscribe(t, operators.Map(windows, func(w reactor.Publisher[int]) int {
					if open = append(open, reactortest.Subscribe(t, w)); len(open) > failing {
						panic(boom)
					}
					return 0
				}), reactortest.InitialRequest(int64(failing)+1))
				require.ErrorIs(t, out.Err(), boom)
				last := open[failing]
				require.Equal(t, []int{2 * failing}, last.Values())
				require.False(t, last.IsTerminated())
				clock.AdvanceBy(time.Second)
				require.True(t, last.IsCompleted())
				require.Equal(t, 1, cancelled)
				require.Zero(t, clock.Pending())
			})
		}
	}
}

// What closes a window is subscribed also if the window has failed on its way down.
func TestWindowWhenOfAWindowThatOutlivesAFailureBelow(t *testing.T) {
	self := func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }
	for name, of := range map[string]func(reactor.Publisher[int], operators.SchedulerOption) reactor.Publisher[reactor.Publisher[int]]{
		"when": func(src reactor.Publisher[int], on operators.SchedulerOption) reactor.Publisher[reactor.Publisher[int]] {
			return operators.WindowWhen(src, operators.Interval(time.Second, on),
				func(int64) reactor.Publisher[int64] { return operators.Delay(3*time.Second, on) }, self)
		},
		"for": func(src reactor.Publisher[int], on operators.SchedulerOption) reactor.Publisher[reactor.Publisher[int]] {
			return operators.WindowFor(src, 3*time.Second, self, on)
		},
		"other": func(src reactor.Publisher[int], on operators.SchedulerOption) reactor.Publisher[reactor.Publisher[int]] {
			return operators.WindowOther(src, operators.Interval(3*time.Second, on), self)
		},
		"for, open every": func(src reactor.Publisher[int], on operators.SchedulerOption) reactor.Publisher[reactor.Publisher[int]] {
			return operators.WindowFor(src, 3*time.Second, self, operators.OpenEvery(time.Second), on)
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock := reactortest.NewVirtualTime()
			on := operators.On(clock)
			cancelled := 0
			src := operators.DoOnCancel(operators.Map(operators.Interval(time.Second, on), func(i int64) int { return int(i) }), func() { cancelled++ })
			var open []*reactortest.TestSubscriber[int]
			boom := errors.New("boom")
			out := reactortest.Subscribe(t, operators.Map(of(src, on), func(w reactor.Publisher[int]) int {
				if open = append(open, reactortest.Subscribe(t, w)); len(open) == 2 {
					panic(boom)
				}
				return 0
			}))
			clock.AdvanceBy(time.Minute)
			require.ErrorIs(t, out.Err(), boom)
			require.Len(t, open, 2)
			for _, w := range open {
				require.True(t, w.IsCompleted())
				require.InDelta(t, 3, len(w.Values()), 1)
			}
			require.Equal(t, 1, cancelled)
			require.Zero(t, clock.Pending())
		})
	}
}

// A window that waits for demand until its time is over ends, though it fails on its way down then.
func TestFairWindowThatHasWaitedFailsBelow(t *testing.T) {
	clock := reactortest.NewVirtualTime()
	cancelled := 0
	src := operators.DoOnCancel(operators.Concat(operators.Hide(operators.Range(0, 3)), operators.Never[int]()), func() { cancelled++ })
	windows := operators.WindowTimeout(src, 2, time.Second, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w },
		operators.FairBackpressure(), operators.On(clock))
	var open []*reactortest.TestSubscriber[int]
	boom := errors.New("boom")
	out := reactortest.Subscribe(t, operators.Map(windows, func(w reactor.Publisher[int]) int {
		if open = append(open, reactortest.Subscribe(t, w)); len(open) == 2 {
			panic(boom)
		}
		return 0
	}), reactortest.InitialRequest(1))
	clock.AdvanceBy(2 * time.Second)
	out.Request(1)
	require.ErrorIs(t, out.Err(), boom)
	require.Equal(t, []int{2}, open[1].Values())
	require.True(t, open[1].IsCompleted())
	require.Equal(t, 1, cancelled)
	require.Zero(t, clock.Pending())
}

// A window that nobody has subscribed to when the function panics is given up, and the source is cancelled.
func TestWindowIsGivenUpAfterAFailureBelow(t *testing.T) {
	cancelled := 0
	var discarded []any
	ctx := reactor.AddDiscard(t.Context(), func(v any) { discarded = append(discarded, v) })
	src := operators.DoOnCancel(operators.Hide(operators.Range(0, 20)), func() { cancelled++ })
	windows := operators.Window(src, 2, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w })
	boom := errors.New("boom")
	failing := operators.Map(windows, func(reactor.Publisher[int]) int { panic(boom) })
	out := reactortest.Subscribe(t, failing, reactortest.InContext(ctx))
	require.ErrorIs(t, out.Err(), boom)
	require.Equal(t, 1, cancelled)
	require.Equal(t, []any{0}, discarded)
}

// A source that fails after the stream of windows has is not heard by that a second time.
func TestWindowErrorAfterAFailureBelow(t *testing.T) {
	boom, late := errors.New("boom"), errors.New("late")
	hooks := reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { require.Fail(t, "dropped", err) }}
	src := operators.Concat(operators.Range(0, 3), operators.Error[int](late))
	var open []*reactortest.TestSubscriber[int]
	out := reactortest.Subscribe(t, operators.Map(operators.Window(src, 2, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }),
		func(w reactor.Publisher[int]) int {
			open = append(open, reactortest.Subscribe(t, w))
			if len(open) == 2 {
				panic(boom)
			}
			return 0
		}), reactortest.InContext(reactor.WithHooks(t.Context(), hooks)))
	require.ErrorIs(t, out.Err(), boom)
	require.Equal(t, []int{2}, open[1].Values())
	require.ErrorIs(t, open[1].Err(), late)
}
