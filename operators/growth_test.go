package operators

import (
	"context"
	"iter"
	"math"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// countedMember counts how often the flow looks at a source.
type countedMember struct {
	zipMember
	looks *int
}

func (m countedMember) fill() (int, bool) {
	*m.looks++
	return m.zipMember.fill()
}

// zipOfMany zips the sources and returns how often it has looked at one of them.
func zipOfMany(t *testing.T, sources []reactor.Publisher[int], during func(), want ...int) (looks int) {
	t.Helper()
	p := &probe.Probe[int]{Initial: probe.All}
	subscribeZip(context.Background(), reactor.Subscriber[int](p), 32, func(z *tuplesCore) ([]zipMember, zipTuple[int]) {
		members, tuple := zipSlice(sources, total)(z)
		for i, m := range members {
			members[i] = countedMember{m, &looks}
		}
		return members, tuple
	})
	during()
	p.Done(t, want...)
	return looks
}

// What a source of a zip costs does not depend on how many there are: none is looked at again and again because another
// one has got something.
func TestZipLooksAtFewSources(t *testing.T) {
	const n, most = 500, 12 // for each source; it has two elements at most
	sources := make([]reactor.Publisher[int], n)
	t.Run("asked by the flow", func(t *testing.T) {
		for i := range sources {
			sources[i] = Range(1, 2)
		}
		assert.LessOrEqual(t, zipOfMany(t, sources, func() {}, n, 2*n), most*n)
	})
	t.Run("with a function", func(t *testing.T) {
		for i := range sources {
			sources[i] = Map(Range(1, 2), func(v int) int { return v })
		}
		assert.LessOrEqual(t, zipOfMany(t, sources, func() {}, n, 2*n), most*n)
	})
	for name, place := range map[string]func(int) int{
		"from left to right": func(i int) int { return i },
		"from right to left": func(i int) int { return n - 1 - i },
		"crosswise":          func(i int) int { return i * 7 % n },
	} {
		t.Run(name, func(t *testing.T) {
			sinks := make([]*FluxSink[int], n)
			for i := range sources {
				sources[i] = Create(func(s *FluxSink[int]) { sinks[i] = s })
			}
			looks := zipOfMany(t, sources, func() {
				for i := range n {
					sinks[place(i)].Next(1)
					sinks[place(i)].Next(2)
				}
				for i := range n {
					sinks[place(i)].Complete()
				}
			}, n, 2*n)
			assert.LessOrEqual(t, looks, most*n)
		})
	}
}

// A source that ends without an element ends a zip at once, whatever the others before it have.
func TestZipHearsOfAnEndBehindASourceThatWaits(t *testing.T) {
	for _, n := range []int{3, 3 * fewMembers} {
		for _, first := range []reactor.Publisher[int]{Never[int](), Concat(Map(Range(1, 1), func(v int) int { return v }), Never[int]())} {
			sources := make([]reactor.Publisher[int], n)
			for i := range sources {
				sources[i] = Never[int]()
			}
			var late *FluxSink[int]
			sources[0], sources[n/2] = first, Create(func(s *FluxSink[int]) { late = s })
			zipOfMany(t, sources, func() { late.Complete() })
			sources[n/2] = Skip(Range(1, 2), 5)
			zipOfMany(t, sources, func() {})
		}
		// The same with one element before the end, which has been combined.
		sinks := make([]*FluxSink[int], n)
		sources := make([]reactor.Publisher[int], n)
		for i := range sources {
			sources[i] = Create(func(s *FluxSink[int]) { sinks[i] = s })
		}
		zipOfMany(t, sources, func() {
			sinks[n-1].Next(1)
			sinks[n-1].Complete()
			for _, s := range sinks[:n-1] {
				s.Next(1)
			}
		}, n)
	}
}

// boxed returns the allocations for each of many elements of a stream behind the stage, less those that it takes without one.
func boxed[R any](stage func(reactor.Publisher[int]) reactor.Publisher[R]) float64 {
	return allocationsFor(20_000, func(n int) reactor.Publisher[R] {
		return stage(Map(Range(1000, n), func(v int) int { return v }))
	})
}

// allocationsFor returns the allocations for each of n elements of the source, of the stream that stage returns for so many.
func allocationsFor[R any](n int, stage func(n int) reactor.Publisher[R]) float64 {
	run := func(n int) float64 {
		return testing.AllocsPerRun(3, func() {
			sub := SubscribeFunc(context.Background(), stage(n), func(R) {})
			sub.Dispose()
		})
	}
	return (run(n) - run(n/2)) / float64(n/2)
}

// Elements that nobody gets, and nobody wants to hear of, are not boxed.
func TestDiscardedElementsAreNotBoxed(t *testing.T) {
	asked := func(w reactor.Publisher[int]) reactor.Publisher[int] { return Take(w, 1) }
	one := func(w reactor.Publisher[reactor.Publisher[int]]) reactor.Publisher[int] { return FlatMap(w, asked) }
	window := func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"tryFilterContext": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return TryFilterContext(p, func(context.Context, int) (bool, error) { return false, nil })
		},
		"elementAt": func(p reactor.Publisher[int]) reactor.Publisher[int] { return ElementAtOr(p, math.MaxInt, 1) },
		"window":    func(p reactor.Publisher[int]) reactor.Publisher[int] { return one(Window(p, 10_000, window)) },
		"window, gaps": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return one(Window(p, 2, window, Stride(10_000)))
		},
		"windowUntil": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return one(WindowUntil(p, func(v int) bool { return v%10_000 == 0 }, window))
		},
		"windowFor": func(p reactor.Publisher[int]) reactor.Publisher[int] { return one(WindowFor(p, time.Hour, window)) },
		"windowWhen, none open": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return one(WindowWhen(p, Never[int](), func(int) reactor.Publisher[int] { return Never[int]() }, window))
		},
		"windowTimeout, in step with demand": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return one(WindowTimeout(p, 1<<30, time.Hour, window, FairBackpressure()))
		},
		"groupBy, no further groups": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			groups := GroupBy(p, func(v int) int { return max(v, 1001) }, func(_ int, g reactor.Publisher[int]) reactor.Publisher[int] { return g })
			return FlatMap(Take(groups, 1), func(g reactor.Publisher[int]) reactor.Publisher[int] { return g })
		},
		"delayUntil": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return DelayUntil(Just(1), func(int) reactor.Publisher[int] { return p })
		},
		"and": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return Map(And(p, Empty[int]()), func(struct{}) int { return 1 })
		},
		"mono delayUntil": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return MonoDelayUntil(Just(1), func(int) reactor.Publisher[int] { return p })
		},
	} {
		assert.Less(t, boxed(stage), 0.1, name)
	}
}

// What marks the boundaries of windows is not boxed: it costs as much as the smallest integers, which are never allocated.
func TestBoundariesOfWindowsAreNotBoxed(t *testing.T) {
	between := func(size int) float64 {
		return allocationsFor(20_000, func(n int) reactor.Publisher[int] {
			src := Map(Range(0, n), func(v int) int { return size + v%2 })
			return MergeAll(WindowWhile(src, func(v int) bool { return v%2 == 1 }, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }))
		})
	}
	assert.InDelta(t, between(10), between(1000), 0.1)
}

// Elements that may have to be told, as interfaces may, are told without an allocation for each.
func TestDiscardedInterfacesAreNotBoxed(t *testing.T) {
	interfaces := func(n int) reactor.Publisher[any] {
		var v any = new(weighty)
		return Map(Range(0, n), func(int) any { return v })
	}
	for name, stage := range map[string]func(n int) reactor.Publisher[struct{}]{
		"and": func(n int) reactor.Publisher[struct{}] { return And(interfaces(n), Empty[int]()) },
		"when": func(n int) reactor.Publisher[struct{}] {
			return When([]reactor.Publisher[any]{interfaces(n), interfaces(0)})
		},
		"mono delayUntil": func(n int) reactor.Publisher[struct{}] {
			return MonoDelayUntil(Just(struct{}{}), func(struct{}) reactor.Publisher[any] { return interfaces(n) })
		},
	} {
		assert.Less(t, allocationsFor(20_000, stage), 0.1, name)
	}
}

// What comes after a cancellation, or is left out for lack of demand, is not boxed either, if nobody wants to hear of it.
func TestElementsThatComeTooLateAreNotBoxed(t *testing.T) {
	created := func(n int64, cancel bool, opts ...CreateOption) func() func(int) {
		return func() func(int) {
			var sink *FluxSink[int]
			p := probeOf[int](n)
			Create(func(s *FluxSink[int]) { sink = s }, opts...).Subscribe(context.Background(), p)
			if cancel {
				p.Cancel()
			}
			return sink.Next
		}
	}
	for name, begin := range map[string]func() func(int){
		"sink, cancelled": created(1, true),
		"sink, drop":      created(0, false, OverflowDrop),
		"sink, latest":    created(0, false, OverflowLatest),
		"window, overlapping": func() func(int) {
			src := &puppet[int]{}
			p := probeOf[reactor.Publisher[int]](reactor.Unbounded)
			Window(src, 3, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }, Stride(1)).Subscribe(context.Background(), p)
			p.Cancel()
			return src.last().OnNext
		},
	} {
		next, v := begin(), 1000
		assert.Zero(t, testing.AllocsPerRun(100, func() { v++; next(v) }), name)
	}
}

// bulky is an element that nobody wants to make room for ahead.
type bulky [10 << 10]byte

// A stream of one large element does not make room for as many as a stage asks for ahead.
func TestOneLargeElementTakesLittleRoom(t *testing.T) {
	const runs, most = 20, 80 // elements that there is room for
	one := Hide(Just(bulky{1}))
	for name, src := range map[string]reactor.Publisher[bulky]{
		"publishOn":            PublishOn(one, schedulers.Parallel()),
		"parallel":             ParallelSequential(ParallelRunOn(Parallel(one, 2), schedulers.Parallel())),
		"flatMapSequential":    FlatMapSequential(JustAll(1, 2), func(int) reactor.Publisher[bulky] { return one }),
		"onBackpressureBuffer": OnBackpressureBuffer(one),
		"windowOther": FlatMap(WindowOther(one, Never[int](), func(w reactor.Publisher[bulky]) reactor.Publisher[bulky] { return w }),
			func(w reactor.Publisher[bulky]) reactor.Publisher[bulky] { return w }),
		"cache": Defer(func(context.Context) reactor.Publisher[bulky] { return Cache(one) }),
	} {
		read := func() {
			for range runs {
				_ = ForEach(context.Background(), src, func(bulky) {})
			}
		}
		read()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(runs*most*len(bulky{})), name)
	}
}

// joined are what many subscribers may wait for together.
func joined() map[string]func(reactor.Publisher[int]) reactor.Publisher[int] {
	return map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"cache":     func(p reactor.Publisher[int]) reactor.Publisher[int] { return MonoCache(p) },
		"share":     func(p reactor.Publisher[int]) reactor.Publisher[int] { return MonoShare(p) },
		"shareNext": func(p reactor.Publisher[int]) reactor.Publisher[int] { return ShareNext(p) },
	}
}

// Those who are left get the outcome, in the order in which they came, whoever else has gone meanwhile.
func TestWaitersThatLeaveAndThoseThatStay(t *testing.T) {
	for name, wait := range joined() {
		t.Run(name, func(t *testing.T) {
			var sink *FluxSink[int]
			p := wait(Create(func(s *FluxSink[int]) { sink = s }))
			var got, want []string
			var leaving []reactor.Disposable
			for i := range 200 {
				d := SubscribeFunc(context.Background(), p, func(int) { got = append(got, strconv.Itoa(i)) })
				if i%3 == 1 {
					want = append(want, strconv.Itoa(i))
				} else {
					leaving = append(leaving, d)
				}
			}
			for i := range leaving {
				leaving[i*5%len(leaving)].Dispose()
			}
			for _, d := range leaving {
				d.Dispose()
			}
			runtime.Gosched()
			sink.Next(1)
			sink.Complete()
			assert.Equal(t, want, got)
		})
	}
}

// Short sequences that are asked for bit by bit run on one coroutine, as long as one follows the other. Those that are run as a whole share
// what is called for their elements.
func TestSequencesShareACoroutine(t *testing.T) {
	three := iter.Seq[int](func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i) {
				return
			}
		}
	})
	pairs := iter.Seq2[int, error](func(yield func(int, error) bool) {
		for i := range three {
			if !yield(i, nil) {
				return
			}
		}
	})
	for name, c := range map[string]struct {
		stage func(reactor.Publisher[int]) reactor.Publisher[int]
		sent  float64 // allocations for a sequence, where the source sends one element at a time
	}{
		"flatMapSeq": {sent: 6, stage: func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSeq(p, func(int) iter.Seq[int] { return three })
		}},
		"flatMapSeq2": {sent: 7, stage: func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMapSeq2(p, func(int) iter.Seq2[int, error] { return pairs })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 2000
			asks := func(n int) reactor.Publisher[int] { return c.stage(Range(1000, n)) }
			sends := func(n int) reactor.Publisher[int] {
				return c.stage(Map(Range(1000, n), func(v int) int { return v }))
			}
			limited := func(src func(int) reactor.Publisher[int]) func(int) reactor.Publisher[int] {
				return func(n int) reactor.Publisher[int] { return LimitRate(src(n), 96) }
			}
			assert.LessOrEqual(t, allocationsFor(n, asks), 0.1)
			assert.LessOrEqual(t, allocationsFor(n, sends), 0.1)
			assert.LessOrEqual(t, allocationsFor(n, limited(asks)), 0.1)
			assert.LessOrEqual(t, allocationsFor(n, limited(sends)), c.sent+0.1)
		})
	}
}

// A coroutine serves the sequences of many elements, also where those may have to be told that they are discarded, and behind a stage with
// a function.
func TestSequencesOfInterfacesShareACoroutine(t *testing.T) {
	for name, of := range map[string]func(reactor.Publisher[any]) reactor.Publisher[any]{
		"asked":          func(src reactor.Publisher[any]) reactor.Publisher[any] { return src },
		"behind a stage": func(src reactor.Publisher[any]) reactor.Publisher[any] { return Map(src, func(v any) any { return v }) },
	} {
		per := allocationsFor(2000, func(n int) reactor.Publisher[any] {
			return LimitRate(FlatMapSeq(of(FromSlice(make([]any, n))), func(any) iter.Seq[any] { return func(yield func(any) bool) { yield(nil) } }), 100)
		})
		assert.LessOrEqual(t, per, 1.0, name)
	}
}
