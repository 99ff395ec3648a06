package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A group or window that is discarded is cancelled: nobody else would ever do it, and
// the source would run for it for ever.
func TestDiscardedWindowsAreCancelled(t *testing.T) {
	itself := func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	other := func() reactor.Publisher[int] { return Never[int]() }
	for name, split := range map[string]func(reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]]{
		"groupBy": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return GroupBy(src, func(int) int { return 0 }, func(_ int, g reactor.Publisher[int]) reactor.Publisher[int] { return g })
		},
		"window": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return Window(src, 9, itself)
		},
		"overlapping windows": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return Window(src, 9, itself, Stride(3))
		},
		"windowUntil": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return WindowUntil(src, func(int) bool { return false }, itself)
		},
		"windowOther": func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
			return WindowOther(src, other(), itself)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
			windows := Filter(split(src), func(reactor.Publisher[int]) bool { return false })
			p := probeOf[reactor.Publisher[int]](reactor.Unbounded)
			windows.Subscribe(t.Context(), p)
			p.Up.Cancel()
			assert.Equal(t, 1, cancelled)
			assert.Empty(t, p.Got())
		})
	}
}

// Who takes elements and has no function for them is nobody who would subscribe to one.
func TestWindowsOfSubscribersWithoutAFunction(t *testing.T) {
	type window = reactor.Publisher[int]
	for name, take := range map[string]func(context.Context, reactor.Publisher[window]){
		"subscribeFunc": func(ctx context.Context, src reactor.Publisher[window]) { SubscribeFunc(ctx, src, nil) },
		"newSubscriber": func(ctx context.Context, src reactor.Publisher[window]) {
			src.Subscribe(ctx, NewSubscriber(ctx, SubscriberHooks[window]{}))
		},
		"run": func(ctx context.Context, src reactor.Publisher[window]) { assert.NoError(t, Run(ctx, src)) },
	} {
		ctx, hooks := probe.Recorded()
		take(ctx, Window(FromSlice([]int{1, 2, 3}), 2, func(p window) window { return p }))
		assert.Equal(t, []any{1, 2, 3}, hooks.Discarded, name)
	}
}

// So it is inside what operators put around an element.
func TestDiscardedSignalsOfWindowsAreCancelled(t *testing.T) {
	type window = reactor.Publisher[int]
	windows := func(src window) reactor.Publisher[window] {
		return Window(src, 9, func(p window) window { return p })
	}
	none := func(wrapped reactor.Publisher[any]) reactor.Publisher[any] {
		return Filter(wrapped, func(any) bool { return false })
	}
	for name, wrap := range map[string]func(reactor.Publisher[window]) reactor.Publisher[any]{
		"signal": func(src reactor.Publisher[window]) reactor.Publisher[any] {
			all := Materialize[window, reactor.Signal[window]](src)
			return none(Map(Filter(all, func(reactor.Signal[window]) bool { return false }), func(s reactor.Signal[window]) any { return s }))
		},
		"timed": func(src reactor.Publisher[window]) reactor.Publisher[any] {
			all := Timed(src, func(v reactor.Timed[window]) reactor.Timed[window] { return v })
			return Map(Filter(all, func(reactor.Timed[window]) bool { return false }), func(s reactor.Timed[window]) any { return s })
		},
		"indexed": func(src reactor.Publisher[window]) reactor.Publisher[any] {
			return none(Index(src, func(i int, w window) any { return reactor.Indexed[window]{Index: i, Value: w} }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
			p := probeOf[any](reactor.Unbounded)
			wrap(windows(src)).Subscribe(t.Context(), p)
			p.Up.Cancel()
			assert.Equal(t, 1, cancelled)
			assert.Empty(t, p.Got())
		})
	}
}

// A rail that is discarded gets nothing, and does not keep the source running.
func TestDiscardedRailsAreCancelled(t *testing.T) {
	rails := func(src reactor.Publisher[int]) reactor.Publisher[reactor.Publisher[int]] {
		return ParallelGroups(Parallel(src, 3), func(_ int, p reactor.Publisher[int]) reactor.Publisher[int] { return p })
	}
	for name, drop := range map[string]func(reactor.Publisher[reactor.Publisher[int]]) reactor.Publisher[reactor.Publisher[int]]{
		"before the start": func(groups reactor.Publisher[reactor.Publisher[int]]) reactor.Publisher[reactor.Publisher[int]] {
			return Filter(groups, func(reactor.Publisher[int]) bool { return false })
		},
		"later": func(groups reactor.Publisher[reactor.Publisher[int]]) reactor.Publisher[reactor.Publisher[int]] {
			return TakeLast(groups, 4)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			src := DoOnCancel(ConcatWith(Just(1), Never[int]()), func() { cancelled++ })
			p := probeOf[reactor.Publisher[int]](0)
			drop(rails(src)).Subscribe(t.Context(), p)
			if name == "before the start" {
				p.Up.Request(3)
			}
			p.Up.Cancel()
			assert.Empty(t, p.Got())
			assert.Equal(t, 1, cancelled)
		})
	}
	t.Run("the others share", func(t *testing.T) {
		n := 0
		second := Filter(rails(Range(1, 6)), func(reactor.Publisher[int]) bool { n++; return n == 2 })
		p := probeOf[int](reactor.Unbounded)
		MergeAll(second).Subscribe(t.Context(), p)
		assert.Equal(t, []int{1, 2, 3, 4, 5, 6}, p.Got())
	})
	t.Run("subscribed before", func(t *testing.T) {
		r := &rail[int]{}
		p := probeOf[int](1)
		r.Subscribe(t.Context(), p)
		r.Discarded()
		startRails(t.Context(), Parallel(Range(1, 2), 1), []*rail[int]{r})
		assert.Equal(t, []int{1}, p.Got())
	})
}

// Windows and groups that a stage uses up are told, as if somebody had cancelled them. The source
// would run on for ever, or stand still.
func TestWindowsThatAreUsedUpAreCancelled(t *testing.T) {
	itself := func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	type window = reactor.Publisher[int]
	yes, no := func(window) bool { return true }, func(window) bool { return false }
	for name, use := range map[string]func(reactor.Publisher[window]) reactor.Publisher[any]{
		"hasElements":    func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](HasElements(p)) },
		"anyMatch":       func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](AnyMatch(p, yes)) },
		"allMatch":       func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](AllMatch(p, no)) },
		"anyMatch, none": func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](AnyMatch(p, no)) },
		"allMatch, all":  func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](AllMatch(p, yes)) },
		"count":          func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](Count(p)) },
		"collectMap": func(p reactor.Publisher[window]) reactor.Publisher[any] {
			return Cast[any](CollectMap(p, func(window) int { return 0 }, func(w window) window { return w }))
		},
		"bufferWhile": func(p reactor.Publisher[window]) reactor.Publisher[any] { return Cast[any](BufferWhile(p, no)) },
		"sequenceEqual": func(p reactor.Publisher[window]) reactor.Publisher[any] {
			return Cast[any](SequenceEqualFunc(p, Concat(Just(Just(1)), Never[window]()), func(_, _ window) bool { return true }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{10, 100} {
				ends := 0
				src := DoFinally(Concat(Range(1, 25), Never[int]()), func(reactor.SignalKind) { ends++ })
				p := probeOf[any](reactor.Unbounded)
				use(Window(src, size, itself)).Subscribe(t.Context(), p)
				if !p.Over() {
					p.Up.Cancel()
				}
				assert.Equal(t, 1, ends, "the source is cancelled")
			}

			// A supplier that is smaller than what the groups get comes back.
			p := probeOf[any](reactor.Unbounded)
			groups := GroupBy(Range(1, 1000), func(v int) int { return v % 10 }, func(_ int, g window) window { return g })
			use(groups).Subscribe(t.Context(), p)
			assert.True(t, p.Over() || name == "sequenceEqual")
			p.Up.Cancel()
		})
	}
	// A group that is told is gone, as one that was cancelled: its key opens another.
	run(Count(GroupBy(Range(1, 1000), func(v int) int { return v % 10 }, func(_ int, g window) window { return g }))).Done(t, 1000)

	// A map is told as its values are.
	ends := 0
	src := DoFinally(Concat(Range(1, 5), Never[int]()), func(reactor.SignalKind) { ends++ })
	maps := CollectMap(Take(Window(src, 10, itself), 1), func(window) int { return 0 }, func(w window) window { return w })
	run(Filter(maps, func(map[int]window) bool { return false })).Done(t)
	assert.Equal(t, 1, ends)

	// Nobody takes the elements.
	ends = 0
	SubscribeFunc(t.Context(), Window(DoFinally(Range(1, 100), func(reactor.SignalKind) { ends++ }), 10, itself), nil)
	assert.Equal(t, 1, ends)
}
