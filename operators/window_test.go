package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type stream = reactor.Publisher[int]

// bare is the window function of tests: windows as they are.
func bare[T any](w reactor.Publisher[T]) reactor.Publisher[T] { return w }

// lists collects each window.
func lists[T any](windows reactor.Publisher[reactor.Publisher[T]]) reactor.Publisher[[]T] {
	return FlatMap(windows, CollectSlice[T])
}

// readers subscribes to windows and to each of them, with the demand given.
type readers struct {
	*probe.Probe[stream]
	windows []*probe.Probe[int]
}

func readWindows(ctx context.Context, windows reactor.Publisher[stream], demand, each int64) *readers {
	r := &readers{Probe: probeOf[stream](demand)}
	r.Each = func(w stream) {
		p := probeOf[int](each)
		r.windows = append(r.windows, p)
		w.Subscribe(ctx, p)
	}
	windows.Subscribe(ctx, r.Probe)
	return r
}

func TestWindow(t *testing.T) {
	for name, c := range map[string]struct {
		size, stride, n int
		want            [][]int
	}{
		"exact":             {2, 2, 4, [][]int{{0, 1}, {2, 3}}},
		"rest":              {2, 2, 5, [][]int{{0, 1}, {2, 3}, {4}}},
		"larger than all":   {9, 9, 2, [][]int{{0, 1}}},
		"of one":            {1, 1, 2, [][]int{{0}, {1}}},
		"gaps":              {2, 3, 8, [][]int{{0, 1}, {3, 4}, {6, 7}}},
		"end in a gap":      {1, 3, 6, [][]int{{0}, {3}}},
		"overlap":           {2, 1, 3, [][]int{{0, 1}, {1, 2}, {2}}},
		"overlap by a half": {4, 2, 7, [][]int{{0, 1, 2, 3}, {2, 3, 4, 5}, {4, 5, 6}, {6}}},
		"empty":             {2, 1, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			run(lists(Window(Range(0, c.n), c.size, bare[int], Stride(c.stride)))).Done(t, c.want...)
			run(lists(Window(Hide(Range(0, c.n)), c.size, bare[int], Stride(c.stride)))).Done(t, c.want...)
		})
	}
}

func TestWindowDemand(t *testing.T) {
	for name, c := range map[string]struct {
		stride int
		asked  []int64 // in all, after requests for 1, 2 and everything
	}{
		"exact":   {3, []int64{3, 9, reactor.Unbounded}},
		"gaps":    {5, []int64{3, 13, reactor.Unbounded}},
		"overlap": {2, []int64{3, 7, reactor.Unbounded}},
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			p := probeOf[stream](1)
			Window(src, 3, bare[int], Stride(c.stride)).Subscribe(t.Context(), p)
			assert.Equal(t, c.asked[0], src.last().requested.Load())
			p.Request(2)
			assert.Equal(t, c.asked[1], src.last().requested.Load())
			p.Request(reactor.Unbounded)
			assert.Equal(t, c.asked[2], src.last().requested.Load())
		})
	}
}

func TestWindowFirstDemandForSeveral(t *testing.T) {
	for stride, asked := range map[int]int64{3: 12, 5: 18, 2: 9} {
		src := &puppet[int]{}
		Window(src, 3, bare[int], Stride(stride)).Subscribe(t.Context(), probeOf[stream](4))
		assert.Equal(t, asked, src.last().requested.Load(), "stride %d", stride)
	}
}

// What src sends behind its end goes to the hooks, whatever the windows are like.
func TestWindowOfASourceThatGoesOn(t *testing.T) {
	h := &handScheduler{}
	for name, windows := range map[string]func(src stream) reactor.Publisher[stream]{
		"exact":       func(src stream) reactor.Publisher[stream] { return Window(src, 2, bare[int]) },
		"overlapping": func(src stream) reactor.Publisher[stream] { return Window(src, 2, bare[int], Stride(1)) },
		"with gaps":   func(src stream) reactor.Publisher[stream] { return Window(src, 2, bare[int], Stride(3)) },
		"until": func(src stream) reactor.Publisher[stream] {
			return WindowUntil(src, func(int) bool { return false }, bare[int])
		},
		"while": func(src stream) reactor.Publisher[stream] {
			return WindowWhile(src, func(int) bool { return true }, bare[int])
		},
		"other":   func(src stream) reactor.Publisher[stream] { return WindowOther(src, Never[int](), bare[int]) },
		"for":     func(src stream) reactor.Publisher[stream] { return WindowFor(src, 10, bare[int], On(h)) },
		"timeout": func(src stream) reactor.Publisher[stream] { return WindowTimeout(src, 9, 10, bare[int], On(h)) },
		"fair timeout": func(src stream) reactor.Publisher[stream] {
			return WindowTimeout(src, 9, 10, bare[int], On(h), FairBackpressure())
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			r := readWindows(ctx, windows(src), 9, 9)
			src.last().OnNext(1)
			src.last().OnComplete()
			src.last().OnNext(2)
			src.last().OnError(errBoom)
			src.last().OnComplete()
			assert.True(t, r.Over())
			r.windows[0].Done(t, 1)
			assert.Equal(t, []any{2}, append(hooks.Dropped, hooks.Discarded...), "one of them")
			assert.Equal(t, []any{errBoom}, hooks.Errs)
		})
	}
}

// Elements between two windows are discarded.
func TestWindowDiscardsWhatIsInNone(t *testing.T) {
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, Window(Range(1, 6), 2, bare[int], Stride(3)), 9, 9)
	r.windows[0].Done(t, 1, 2)
	r.windows[1].Done(t, 4, 5)
	assert.Equal(t, []any{3, 6}, hooks.Discarded)
}

// TestWindowOverlapWaits lets the end open more windows than are wanted.
func TestWindowOverlapWaits(t *testing.T) {
	r := readWindows(t.Context(), Window(Range(0, 3), 3, bare[int], Stride(1)), 1, 9)
	assert.Len(t, r.windows, 1)
	r.windows[0].Done(t, 0, 1, 2)
	assert.False(t, r.Over())
	r.Request(2)
	assert.Len(t, r.windows, 3)
	r.windows[2].Done(t, 2)
	assert.True(t, r.Over())
}

func TestWindowKeepsElementsForItsSubscriber(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[stream](2)
	Window(src, 3, bare[int]).Subscribe(t.Context(), p)
	up := src.last()
	for v := range 4 {
		up.OnNext(v)
	}
	first := probeOf[int](2)
	p.Got()[0].Subscribe(t.Context(), first)
	first.Open(t, 0, 1)
	first.Request(1)
	first.Done(t, 0, 1, 2)
	up.OnComplete()
	run(p.Got()[1]).Done(t, 3)
	run(p.Got()[1]).Failed(t, reactor.ErrIllegalState)
}

// windowStages are stages that put 0 and 1 into the first window, which is closed
// by 1 or later, if the test moves src and nothing else.
func windowStages() map[string]func(src stream) reactor.Publisher[stream] {
	return map[string]func(src stream) reactor.Publisher[stream]{
		"window":           func(src stream) reactor.Publisher[stream] { return Window(src, 2, bare[int]) },
		"window with gaps": func(src stream) reactor.Publisher[stream] { return Window(src, 2, bare[int], Stride(3)) },
		"overlapping":      func(src stream) reactor.Publisher[stream] { return Window(src, 3, bare[int], Stride(2)) },
		"windowOther":      func(src stream) reactor.Publisher[stream] { return WindowOther(src, Never[int](), bare[int]) },
		"windowFor": func(src stream) reactor.Publisher[stream] {
			return WindowFor(src, time.Hour, bare[int], On(&handScheduler{}))
		},
		"windowWhen": func(src stream) reactor.Publisher[stream] { return openForEver(src) },
		"windowUntil": func(src stream) reactor.Publisher[stream] {
			return WindowUntil(src, func(v int) bool { return v == 1 }, bare[int])
		},
		"windowWhile": func(src stream) reactor.Publisher[stream] {
			return WindowWhile(src, func(v int) bool { return v != 2 }, bare[int])
		},
		"windowUntilChanged": func(src stream) reactor.Publisher[stream] {
			return WindowUntilChanged(src, func(v int) int { return v / 2 }, bare[int])
		},
	}
}

func openForEver(src stream) reactor.Publisher[stream] {
	return WindowWhen(src, Concat(Just(0), Never[int]()), func(int) stream { return Never[int]() }, bare[int])
}

func TestWindowsOfAllKinds(t *testing.T) {
	for name, stage := range windowStages() {
		t.Run(name, func(t *testing.T) {
			t.Run("complete", func(t *testing.T) {
				src := &puppet[int]{}
				r := readWindows(t.Context(), stage(src), 9, 9)
				src.last().OnNext(0)
				src.last().OnComplete()
				r.windows[0].Done(t, 0)
				assert.Len(t, r.windows, 1)
				assert.True(t, r.Over())
				assert.EqualValues(t, 0, src.last().cancels.Load())
			})
			t.Run("error", func(t *testing.T) {
				src := &puppet[int]{}
				ctx, hooks := probe.Recorded()
				r := readWindows(ctx, stage(src), 9, 9)
				src.last().OnNext(0)
				src.last().OnError(errBoom)
				r.windows[0].Failed(t, errBoom, 0)
				assert.ErrorIs(t, r.Failure(), errBoom)
				src.last().OnNext(1)
				src.last().OnError(errBoom)
				assert.Len(t, hooks.Errs, 1)
				assert.Len(t, append(hooks.Dropped, hooks.Discarded...), 1)
				assert.EqualValues(t, 0, src.last().cancels.Load())
			})
			t.Run("cancelled stream", func(t *testing.T) {
				src := &puppet[int]{}
				r := readWindows(t.Context(), stage(src), 9, 9)
				src.last().OnNext(0)
				r.Cancel()
				assert.EqualValues(t, 0, src.last().cancels.Load(), "a window is open")
				src.last().OnNext(1)
				r.windows[0].Items(t, 0, 1)
				r.windows[0].Cancel()
				assert.EqualValues(t, 1, src.last().cancels.Load())
				assert.Len(t, r.windows, 1)
			})
			t.Run("cancelled window", func(t *testing.T) {
				src := &puppet[int]{}
				ctx, hooks := probe.Recorded()
				r := readWindows(ctx, stage(src), 9, 0)
				src.last().OnNext(0)
				r.windows[0].Cancel()
				src.last().OnNext(1)
				assert.EqualValues(t, []any{0, 1}, hooks.Discarded)
				assert.False(t, r.Over())
				assert.EqualValues(t, 0, src.last().cancels.Load())
			})
			t.Run("cancelled before the start", func(t *testing.T) {
				src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { assert.NotZero(t, s.cancels.Load()) }}
				p := probeOf[stream](0)
				p.Subscribed = reactor.Subscription.Cancel
				stage(src).Subscribe(t.Context(), p)
				p.Open(t)
			})
			t.Run("subscriber of the stream panics", func(t *testing.T) {
				src := &puppet[int]{}
				p := probeOf[stream](9)
				p.Each = func(stream) { panic(errBoom) }
				guarded := guardedSource(src)
				stage(guarded).Subscribe(t.Context(), p)
				if src.count() > 0 {
					src.last().OnNext(0)
					assert.NotZero(t, src.last().cancels.Load())
				}
				assert.ErrorIs(t, p.Failure(), errBoom)
				assert.Empty(t, p.Faults())
			})
			t.Run("subscriber of a window panics", func(t *testing.T) {
				src := &puppet[int]{}
				ctx, hooks := probe.Recorded()
				r := readWindows(ctx, stage(src), 9, 0)
				src.last().OnNext(0)
				w := r.windows[0]
				w.Each = func(int) { panic(errBoom) }
				w.Request(9)
				w.Failed(t, errBoom, 0)
				src.last().OnNext(1)
				assert.Equal(t, []any{0, 1}, hooks.Discarded)
				assert.False(t, r.Over())
			})
		})
	}
}

// guardedSource stands between a puppet and a stage as a source with a guard does.
func guardedSource(src *puppet[int]) stream {
	return Create(func(s *FluxSink[int]) {
		p := probeOf[int](reactor.Unbounded)
		p.Each = s.Next
		src.Subscribe(context.Background(), p)
		s.OnDispose(p.Cancel)
	})
}

func TestWindowSubscriberEndsGoroutine(t *testing.T) {
	src := &puppet[int]{}
	r := readWindows(t.Context(), Window(src, 2, bare[int]), 9, 9)
	src.last().OnNext(0)
	r.windows[0].Each = func(int) { runtime.Goexit() }
	over := make(chan struct{})
	go func() {
		defer close(over)
		src.last().OnNext(1)
	}()
	<-over
	r.windows[0].Failed(t, reactor.ErrGoexit, 0, 1)
}

func TestWindowArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: window: size must be positive, got 0", func() { Window(Just(1), 0, bare[int]) })
	assert.Panics(t, func() { Window(Just(1), 1, bare[int], Stride(0)) })
	assert.PanicsWithValue(t, "reactor: windowFor: duration must be positive, got 0s", func() { WindowFor(Just(1), 0, bare[int]) })
	assert.PanicsWithValue(t, "reactor: windowUntil: the predicate is nil", func() { WindowUntil(Just(1), nil, bare[int]) })
	assert.PanicsWithValue(t, "reactor: windowWhile: prefetch must be positive, got 0", func() {
		WindowWhile(Just(1), func(int) bool { return true }, bare[int], Prefetch(0))
	})
	assert.Panics(t, func() { WindowWhile(Just(1), nil, bare[int]) })
	assert.Panics(t, func() { WindowUntilChanged[int, int](Just(1), nil, bare[int]) })
	assert.Panics(t, func() { WindowWhen[int, int, int](Just(1), Just(1), nil, bare[int]) })
	assert.Panics(t, func() { WindowOther[int, int](Just(1), nil, bare[int]) })
	assert.Panics(t, func() { Window[int, stream](Just(1), 1, nil) })
}

func TestWindowCuts(t *testing.T) {
	even := func(v int) bool { return v%2 == 0 }
	numbers := FromSlice([]int{2, 1, 3, 4, 6, 5})
	run(lists(WindowUntil(numbers, even, bare[int]))).Done(t, []int{2}, []int{1, 3, 4}, []int{6}, []int{5})
	run(lists(WindowUntil(numbers, even, bare[int], CutBefore()))).Done(t, []int{}, []int{2, 1, 3}, []int{4}, []int{6, 5})
	ctx, hooks := probe.Recorded()
	runWith(ctx, lists(WindowWhile(numbers, even, bare[int]))).Done(t, []int{2}, []int{}, []int{4, 6})
	assert.Equal(t, []any{1, 3, 5}, hooks.Discarded)
	run(lists(WindowUntilChanged(numbers, even, bare[int]))).Done(t, []int{2}, []int{1, 3}, []int{4, 6}, []int{5})
	run(lists(WindowUntilChangedFunc(numbers, func(v int) int { return v }, func(a, b int) bool { return a < b }, bare[int]))).
		Done(t, []int{2}, []int{1, 3, 4, 6}, []int{5})
	assert.Empty(t, run(WindowUntil(Empty[int](), even, bare[int])).Got())
}

func TestWindowFunctionPanics(t *testing.T) {
	boom := func(v int) bool {
		if v == 3 {
			panic(errBoom)
		}
		return false
	}
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, WindowUntil(Range(1, 9), boom, bare[int]), 9, 9)
	assert.ErrorIs(t, r.Failure(), errBoom)
	r.windows[0].Failed(t, errBoom, 1, 2)
	assert.Equal(t, []any{3}, hooks.Discarded)
}

func TestWindowErrorDiscardsWhatWaits(t *testing.T) {
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[stream](1)
	WindowUntil(src, mod2, bare[int]).Subscribe(ctx, p)
	for v := range 4 {
		src.last().OnNext(v)
	}
	src.last().OnError(errBoom)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
	run(p.Got()[0]).Done(t, 0, 1)
}

func mod2(v int) bool { return v%2 == 1 }

func TestWindowDoesNotGrowTheStack(t *testing.T) {
	var pcs [1000]uintptr
	many := racetest.Steps(100_000)
	for name, stage := range map[string]reactor.Publisher[stream]{
		"window":      Window(Range(0, many), 1, bare[int]),
		"overlapping": Window(Range(0, many), 2, bare[int], Stride(1)),
		"until":       WindowUntil(Range(0, many), mod2, bare[int]),
	} {
		deepest, n := 0, 0
		p := probeOf[stream](1)
		p.Each = func(w stream) {
			run(w)
			if n++; n%500 == 0 {
				deepest = max(deepest, runtime.Callers(0, pcs[:]))
			}
			p.Request(1)
		}
		stage.Subscribe(t.Context(), p)
		assert.True(t, p.Over(), name)
		assert.Less(t, deepest, 100, name)
	}
}

func TestWindowAllocatesNothingPerElement(t *testing.T) {
	for name, stage := range windowStages() {
		src := &puppet[int]{}
		IgnoreElements[int](FlatMap(stage(src), bare[int])).Subscribe(t.Context(), probeOf[int](reactor.Unbounded))
		next := src.last().OnNext
		next(0)
		switch name {
		case "windowOther", "windowFor", "windowWhen", "windowUntil", "windowWhile":
			assert.Zero(t, testing.AllocsPerRun(300, func() { next(0) }), name)
		}
	}
}

func TestWindowRaces(t *testing.T) {
	odd := func(e element) bool { return e.Number%2 == 1 }
	for name, stage := range map[string]func(src elements, h *handScheduler) reactor.Publisher[elements]{
		"exact": func(src elements, _ *handScheduler) reactor.Publisher[elements] { return Window(src, 2, bare[element]) },
		"gaps": func(src elements, _ *handScheduler) reactor.Publisher[elements] {
			return Window(src, 1, bare[element], Stride(2))
		},
		"for": func(src elements, h *handScheduler) reactor.Publisher[elements] {
			return WindowFor(src, time.Second, bare[element], On(h))
		},
		"when": func(src elements, h *handScheduler) reactor.Publisher[elements] {
			// One window: its time begins when its opening is processed, which another
			// goroutine may hold up, so that several could overlap and share elements.
			return WindowFor(src, time.Second, bare[element], OpenEvery(time.Hour), On(h))
		},
		"until": func(src elements, _ *handScheduler) reactor.Publisher[elements] {
			return WindowUntil(src, odd, bare[element], Prefetch(3))
		},
		"while": func(src elements, _ *handScheduler) reactor.Publisher[elements] {
			return WindowWhile(src, odd, bare[element], Prefetch(3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 3, func(src elements, h *handScheduler) elements {
				return emptied(FlatMap(stage(src, h), bare[element]))
			})
			raceStage(t, 3, func(src elements, h *handScheduler) elements {
				return emptied(FlatMap(stage(src, h), func(w elements) elements { return Take(w, 1) }, Concurrency(2)))
			})
		})
	}
}

// TestWindowCancelRaces lets a window and the stream of windows be cancelled while
// elements come.
func TestWindowCancelRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements) reactor.Publisher[elements]{
		"exact": func(src elements) reactor.Publisher[elements] { return Window(src, 2, bare[element]) },
		"other": func(src elements) reactor.Publisher[elements] {
			return WindowOther(src, Concat(Just(1), Never[int]()), bare[element])
		},
		"when": func(src elements) reactor.Publisher[elements] {
			return WindowWhen(src, Concat(Just(1), Never[int]()), func(int) stream { return Never[int]() }, bare[element])
		},
		"until": func(src elements) reactor.Publisher[elements] {
			return WindowUntil(src, func(e element) bool { return e.Number%2 == 0 }, bare[element])
		},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(100), func(race func(...func())) {
				l := ledger.New(t)
				ctx := l.Context(context.Background())
				src := &puppet[element]{}
				p := probeOf[elements](reactor.Unbounded)
				var subs []*probe.Probe[element]
				p.Each = func(w elements) {
					s := ledgerProbe(l, 1)
					subs = append(subs, s)
					w.Subscribe(ctx, s)
				}
				stage(src).Subscribe(ctx, p)
				up := src.last()
				up.OnNext(l.Produce())
				race(
					func() {
						for range 3 {
							up.OnNext(l.Produce())
						}
					},
					subs[0].Cancel,
					p.Cancel,
				)
				for _, s := range subs {
					s.Cancel()
					s.Faultless(t)
				}
				p.Faultless(t)
				l.Check()
				assert.NotZero(t, up.cancels.Load(), "nobody listens any more")
			})
		})
	}
}

// TestWindowOverlapRaces keeps no books: windows share elements.
func TestWindowOverlapRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		src := &puppet[int]{}
		r := readWindows(context.Background(), Window(src, 3, bare[int], Stride(1)), 2, 9)
		up := src.last()
		race(
			func() {
				for v := range 4 {
					up.OnNext(v)
				}
				up.OnComplete()
			},
			func() { r.Request(1) },
			func() { r.Request(2); r.Cancel() },
		)
		r.Faultless(t)
		for i, w := range r.windows {
			w.Faultless(t)
			assert.Equal(t, i, w.Got()[0])
			assert.True(t, w.Over())
		}
	})
}
