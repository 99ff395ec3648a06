package operators

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// switchModes are the two ways in which switchMap deals with demand.
var switchModes = map[string]SwitchMapOption{"direct": Prefetch(0), "queued": Prefetch(4)}

func TestSwitchMap(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			run(SwitchMap(Hide(Range(1, 3)), tens, mode)).Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
			run(SwitchMap(Empty[int](), tens, mode)).Done(t)
			run(SwitchMap(Just(4), tens, mode)).Done(t, 40, 41, 42)
			run(SwitchOnNext(Map(Range(1, 2), tens), mode)).Done(t, 10, 11, 12, 20, 21, 22)

			src, inners := &puppet[int]{}, &allPuppets[int]{}
			ctx, hooks := probe.Recorded()
			p := runWith(ctx, SwitchMap[int, int](src, inners.fn, mode))
			assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
			src.last().OnNext(0)
			inners.at(0).OnNext(1)
			src.last().OnNext(1)
			assert.EqualValues(t, 1, inners.at(0).cancels.Load())
			inners.at(0).OnNext(2)
			inners.at(0).OnError(errBoom)
			inners.at(1).OnNext(3)
			src.last().OnComplete()
			p.Open(t, 1, 3)
			inners.at(1).OnNext(4)
			inners.at(1).OnComplete()
			p.Done(t, 1, 3, 4)
			assert.Equal(t, []any{2}, hooks.Discarded)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			inners.at(1).OnNext(5)
			src.last().OnNext(6)
			src.last().OnError(errOther)
			assert.Len(t, hooks.Dropped, 2-len(hooks.Discarded[1:]))
			assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
		})
	}
}

// What an inner publisher sends behind its end goes to the hooks.
func TestSwitchMapOfAnInnerThatGoesOn(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, inners := &puppet[int]{}, &allPuppets[int]{}
			p := runWith(ctx, SwitchMap[int, int](src, inners.fn, mode))
			src.last().OnNext(0)
			inners.at(0).OnNext(1)
			inners.at(0).OnComplete()
			inners.at(0).OnNext(2)
			inners.at(0).OnError(errBoom)
			p.Open(t, 1)
			assert.Equal(t, []any{2}, hooks.Dropped)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			src.last().OnNext(1)
			p.Cancel()
			inners.at(1).OnError(errOther)
			assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
			p.Open(t, 1)
		})
	}
}

func TestSwitchMapDemand(t *testing.T) {
	t.Run("direct", func(t *testing.T) {
		src, inners := &puppet[int]{}, &allPuppets[int]{}
		p := probeOf[int](3)
		SwitchMap[int, int](src, inners.fn).Subscribe(context.Background(), p)
		src.last().OnNext(0)
		assert.EqualValues(t, 3, inners.at(0).requested.Load())
		inners.at(0).OnNext(1)
		p.Request(2)
		assert.EqualValues(t, 5, inners.at(0).requested.Load())
		src.last().OnNext(1)
		assert.EqualValues(t, 4, inners.at(1).requested.Load(), "what the first one left open")
		inners.at(1).OnNext(2)
		inners.at(1).OnComplete()
		p.Request(1)
		assert.EqualValues(t, 4, inners.at(1).requested.Load(), "it has completed")
		src.last().OnNext(2)
		assert.EqualValues(t, 4, inners.at(2).requested.Load())
		p.Open(t, 1, 2)
	})
	t.Run("queued", func(t *testing.T) {
		src, inners := &puppet[int]{}, &allPuppets[int]{}
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		SwitchMap[int, int](src, inners.fn, Prefetch(4)).Subscribe(ctx, p)
		src.last().OnNext(0)
		assert.EqualValues(t, 4, inners.at(0).requested.Load())
		for i := range 4 {
			inners.at(0).OnNext(i)
		}
		p.Request(3)
		assert.EqualValues(t, 7, inners.at(0).requested.Load())
		p.Open(t, 0, 1, 2)
		src.last().OnNext(1)
		inners.at(1).OnNext(10)
		p.Request(2)
		p.Open(t, 0, 1, 2, 10)
		assert.Equal(t, []any{3}, hooks.Discarded)
		src.last().OnComplete()
		inners.at(1).OnComplete()
		p.Done(t, 0, 1, 2, 10)
	})
}

func TestSwitchMapErrors(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			src, inners := &puppet[int]{}, &allPuppets[int]{}
			start := func(opts ...SwitchMapOption) *probe.Probe[int] {
				*inners = allPuppets[int]{}
				p := run(SwitchMap[int, int](src, inners.fn, append(opts, mode)...))
				src.last().OnNext(0)
				inners.at(0).OnNext(0)
				return p
			}
			p := start()
			src.last().OnError(errBoom)
			p.Failed(t, errBoom, 0)
			assert.EqualValues(t, 1, inners.at(0).cancels.Load()) // A12

			p = start()
			inners.at(0).OnError(errBoom)
			p.Failed(t, errBoom, 0)
			assert.EqualValues(t, 1, src.last().cancels.Load())

			p = start(DelayErrors())
			inners.at(0).OnError(errBoom)
			src.last().OnNext(1)
			inners.at(1).OnNext(10)
			src.last().OnError(errOther)
			p.Open(t, 0, 10)
			inners.at(1).OnNext(11)
			inners.at(1).OnComplete()
			p.Items(t, 0, 10, 11)
			assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
		})
	}
}

func TestSwitchMapCancel(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			src, inners := &puppet[int]{}, &allPuppets[int]{}
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			SwitchMap[int, int](src, inners.fn, mode).Subscribe(ctx, p)
			src.last().OnNext(0)
			inners.at(0).OnNext(1)
			if name == "queued" {
				inners.at(0).OnNext(2)
			}
			p.Cancel()
			p.Cancel()
			p.Request(1)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.EqualValues(t, 1, inners.at(0).cancels.Load())
			inners.at(0).OnNext(3)
			src.last().OnNext(4)
			inners.at(0).OnError(errBoom)
			src.last().OnError(errOther)
			assert.Subset(t, hooks.Discarded, []any{3, 4})
			assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
			p.Open(t, 1)

			var q *probe.Probe[int]
			made := &puppet[int]{}
			q = probeOf[int](reactor.Unbounded)
			SwitchMap(Hide(Range(0, 3)), func(int) reactor.Publisher[int] { q.Cancel(); return made }, mode).Subscribe(ctx, q)
			assert.Zero(t, made.count(), "nothing is subscribed after cancellation")
		})
	}
}

// While an element of the old publisher is on its way down, the source goes on.
func TestSwitchMapReplacedDuringElement(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(v int) {
		if v == 7 {
			for i := range 3 {
				src.last().OnNext(i + 1)
			}
			assert.Len(t, inners.made, 1, "the old one is still sending")
			assert.EqualValues(t, 1, inners.at(0).cancels.Load())
		}
	}
	SwitchMap[int, int](src, inners.fn).Subscribe(ctx, p)
	src.last().OnNext(0)
	inners.at(0).OnNext(7)
	require.Len(t, inners.made, 2)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	inners.at(1).OnNext(8)
	p.Open(t, 7, 8)

	// The same with the end of the source.
	p.Each = func(v int) { src.last().OnError(errBoom); assert.False(t, p.Over()) }
	inners.at(1).OnNext(9)
	p.Failed(t, errBoom, 7, 8, 9)
}

func TestSwitchMapFunctionFails(t *testing.T) {
	for name, mode := range switchModes {
		for _, errs := range []SwitchMapOption{DelayErrorsOption(false), DelayErrors()} {
			t.Run(fmt.Sprint(name, errs), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				live := &puppet[int]{}
				fn := func(n int) reactor.Publisher[int] {
					switch n {
					case 2:
						panic(errBoom)
					case 3:
						return nil
					case 4:
						runtime.Goexit()
					}
					return live
				}
				from := func(n int) *probe.Probe[int] {
					p := probeOf[int](reactor.Unbounded)
					var wg sync.WaitGroup
					wg.Go(func() { SwitchMap(Hide(FromSlice([]int{1, n, 7})), fn, mode, errs).Subscribe(ctx, p) })
					wg.Wait()
					return p
				}
				from(2).Failed(t, errBoom)
				assert.ElementsMatch(t, []any{2, 7}, hooks.Discarded)
				assert.EqualValues(t, 1, live.last().cancels.Load())
				assert.ErrorContains(t, from(3).Failure(), "switchMap: the publisher is nil")
				from(4).Failed(t, reactor.ErrGoexit)
				runWith(ctx, SwitchMap(Just(2), fn, mode, errs)).Failed(t, errBoom)
			})
		}
	}
}

func TestSwitchMapDownstreamPanics(t *testing.T) {
	for name, mode := range switchModes {
		for inner, fn := range map[string]func(int) reactor.Publisher[int]{"direct": tens, "mapped": hiddenTens, "just": Just[int]} {
			for _, demand := range []int64{2, reactor.Unbounded} {
				t.Run(fmt.Sprint(name, inner, demand), func(t *testing.T) {
					ctx, hooks := probe.Recorded()
					src := &puppet[int]{}
					calls := 0
					p := probeOf[int](demand)
					Map(SwitchMap(src, fn, mode, DelayErrors()), func(v int) int {
						if calls++; calls == 2 {
							panic(errBoom)
						}
						return v
					}).Subscribe(ctx, p)
					for i := range 3 {
						src.last().OnNext(i + 1)
					}
					assert.ErrorIs(t, p.Failure(), errBoom)
					assert.Len(t, p.Got(), 1)
					assert.EqualValues(t, 1, src.last().cancels.Load())
					p.Request(5)
					assert.Equal(t, 2, calls)
					assert.NotEmpty(t, hooks.Discarded)
				})
			}
		}
	}
}

func TestSwitchMapArguments(t *testing.T) {
	requirePanics(t, "switchMap: the mapper is nil", func() { SwitchMap[int, int](Just(1), nil) })
	requirePanics(t, "switchMap: the publisher is nil", func() { SwitchMap(nil, tens) })
	requirePanics(t, "switchOnNext: the publisher is nil", func() { SwitchOnNext[int, reactor.Publisher[int]](nil) })
	requirePanics(t, "switchMap: prefetch must not be negative, got -1", func() { SwitchMap(Just(1), tens, Prefetch(-1)) })
}

func TestSwitchMapStack(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			n, count := racetest.Steps(100_000), 0
			require.NoError(t, ForEach(context.Background(), SwitchMap(Hide(Range(0, n)), Just[int], mode), func(int) { count++ }))
			assert.Equal(t, n, count)
		})
	}
}

func TestSwitchMapAllocations(t *testing.T) {
	for name, mode := range switchModes {
		inner := Hide(Range(0, 3000))
		allocs := testing.AllocsPerRun(20, func() {
			_ = ForEach(context.Background(), SwitchMap(Hide(Range(0, 2)), func(int) reactor.Publisher[int] { return inner }, mode), func(int) {})
		})
		assert.Less(t, allocs, 60.0, name)
	}
}

func TestSwitchMapRaces(t *testing.T) {
	for name, mode := range switchModes {
		t.Run(name, func(t *testing.T) {
			raceFlattener(t, 20, func(src reactor.Publisher[int], fn func(int) elements) elements { return SwitchMap(src, fn, mode) })
		})
		t.Run(name+" delayed", func(t *testing.T) {
			raceFlattener(t, 10, func(src reactor.Publisher[int], fn func(int) elements) elements {
				return SwitchMap(src, fn, mode, DelayErrors())
			})
		})
	}
}

// One element more or less than demanded would show here: the publishers change while
// elements are on their way and demand comes in.
func TestSwitchMapKeepsDemandExact(t *testing.T) {
	racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
		src, first, second := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](2)
		SwitchMap[int, int](src, func(n int) reactor.Publisher[int] {
			return []reactor.Publisher[int]{first, second}[n]
		}).Subscribe(context.Background(), p)
		src.last().OnNext(0)
		race(
			func() { first.last().OnNext(1); first.last().OnNext(2) },
			func() { src.last().OnNext(1) },
			func() { p.Request(3) },
		)
		p.Faultless(t)
		require.EqualValues(t, 5-len(p.Got()), second.last().requested.Load())
	})
}

func TestSwitchOnNext(t *testing.T) {
	src, a, b := &puppet[reactor.Publisher[int]]{}, &puppet[int]{}, &puppet[int]{}
	p := run(SwitchOnNext[int](src))
	src.last().OnNext(a)
	a.last().OnNext(1)
	src.last().OnNext(b)
	assert.EqualValues(t, 1, a.last().cancels.Load(), "the next one is there")
	b.last().OnNext(2)
	src.last().OnComplete()
	p.Open(t, 1, 2)
	b.last().OnComplete()
	p.Done(t, 1, 2)
}

// What a replaced publisher has sent is discarded when the next one comes, not when there is demand, and does not
// keep the end back.
func TestSwitchMapQueuedDiscardsWhatIsReplaced(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, first := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	SwitchMap[int, int](src, func(v int) stream {
		if v == 1 {
			return first
		}
		return Hide(Empty[int]())
	}, Prefetch(4)).Subscribe(ctx, p)
	src.last().OnNext(1)
	first.last().OnNext(10)
	first.last().OnNext(11)
	assert.Empty(t, hooks.Discarded)
	src.last().OnNext(2)
	assert.Equal(t, []any{10, 11}, hooks.Discarded)
	src.last().OnComplete()
	p.Done(t)
}

// What hears that the publisher before was cancelled ends the goroutine: the element that was to replace it is discarded.
func TestSwitchMapPrefetchReplacedEndsGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	never := func(int) reactor.Publisher[int] { return DoOnCancel(Never[int](), runtime.Goexit) }
	racetest.Aside(func() { SwitchMap(Hide(Range(1, 3)), never, Prefetch(2)).Subscribe(ctx, p) })
	p.Failed(t, reactor.ErrGoexit)
	assert.Equal(t, []any{2}, hooks.Discarded)
}

// Without Prefetch an error of the source cancels the current publisher though it has completed, as with Reactor.
func TestSwitchMapSourceFailsBehindACompletion(t *testing.T) {
	for want, opts := range [][]SwitchMapOption{{Prefetch(2)}, nil} {
		src, in := &puppet[int]{}, &puppet[int]{}
		p := run(SwitchMap[int](src, func(int) stream { return in }, opts...))
		src.last().OnNext(1)
		in.last().OnNext(10)
		in.last().OnComplete()
		assert.Zero(t, in.last().cancels.Load())
		src.last().OnError(errBoom)
		p.Failed(t, errBoom, 10)
		assert.EqualValues(t, want, in.last().cancels.Load())
	}
}

// What comes while the function runs, or while the publisher that it has returned emits all it has, stops that one.
func TestSwitchMapReplacedDuringFunction(t *testing.T) {
	for name, c := range map[string]struct {
		within, below func(src *puppetSubscription[int])
		want          []int
		err           error
	}{
		"an element in the function": {within: func(src *puppetSubscription[int]) { src.OnNext(2) }, want: []int{7, 99}},
		"an error in the function":   {within: func(src *puppetSubscription[int]) { src.OnError(errBoom) }, want: []int{7}, err: errBoom},
		"an element below":           {below: func(src *puppetSubscription[int]) { src.OnNext(2) }, want: []int{7, 10, 99}},
		"an error below":             {below: func(src *puppetSubscription[int]) { src.OnError(errBoom) }, want: []int{7, 10}, err: errBoom},
	} {
		src, first, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](reactor.Unbounded)
		p.Each = func(v int) {
			if v == 7 {
				src.last().OnNext(1) // has its turn when this call is over
			} else if v == 10 && c.below != nil {
				c.below(src.last())
			}
		}
		SwitchMap[int, int](src, func(n int) reactor.Publisher[int] {
			switch n {
			case 0:
				return first
			case 1:
				if c.within != nil {
					c.within(src.last())
				}
				return Range(10, 1000)
			}
			return Just(99)
		}).Subscribe(quiet(), p)
		src.last().OnNext(0)
		first.last().OnNext(7)
		assert.Equal(t, c.want, p.Got(), name)
		assert.Equal(t, c.err, p.Failure(), name)
	}
}
