package operators

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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

// TestFlatMapSeqShowsItsEnd asks for as many elements as there are: the end, and a failure, need no further demand, whether the
// source is known at once or not.
func TestFlatMapSeqShowsItsEnd(t *testing.T) {
	two := func(n int) iter.Seq[int] { return slices.Values([]int{n, 10 * n}) }
	fails := func(n int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			if yield(n, nil) {
				yield(0, errBoom)
			}
		}
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"known":    Just(1),
		"computed": FromSupplier(func() int { return 1 }),
		"sends":    Hide(Just(1)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, stage := range []reactor.Publisher[int]{FlatMapSeq(src, two), ConcatMapSeq(src, two)} {
				p := probeOf[int](1)
				stage.Subscribe(t.Context(), p)
				p.Open(t, 1)
				p.Request(1)
				p.Done(t, 1, 10)
			}
			p := probeOf[int](1)
			FlatMapSeq2(src, fails).Subscribe(t.Context(), p)
			p.Failed(t, errBoom, 1)
			p = probeOf[int](0)
			FlatMapSeq(src, func(int) iter.Seq[int] { return nil }).Subscribe(t.Context(), p)
			p.Done(t)

			ctx, hooks := probe.Recorded()
			p = probeOf[int](1)
			FlatMapSeq(src, two).Subscribe(ctx, p)
			p.Cancel()
			p.Open(t, 1)
			assert.Equal(t, []any{10}, hooks.Discarded, "what is there already")
		})
	}
}

func TestFlatMapSeqThatFailsWhileItEnds(t *testing.T) {
	ones := func(yield func(int) bool) {
		for yield(1) {
		}
		panic(errBoom)
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"fromSeq": FromSeq(ones), "fromSeq2": FromSeq2(func(yield func(int, error) bool) {
			ones(func(v int) bool { return yield(v, nil) })
		}),
		"flatMapSeq":                   FlatMapSeq(Hide(Just(1)), func(int) iter.Seq[int] { return ones }),
		"flatMapSeq of a known source": FlatMapSeq(Just(1), func(int) iter.Seq[int] { return ones }),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			src.Subscribe(ctx, p)
			p.Cancel()
			p.Open(t, 1)
			if assert.Len(t, hooks.Errs, 1) {
				assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
				op, _, _ := strings.Cut(name, " ")
				assert.ErrorContains(t, hooks.Errs[0].(error), "reactor: "+op+": ", "it says whose sequence it was")
			}
		})
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

// TestFlatMapSeqInTurn runs sequences that follow each other on one coroutine: each is begun and ended once, and the one that ends
// the stream is the one that fails or is let go of.
func TestFlatMapSeqInTurn(t *testing.T) {
	for name, c := range map[string]struct {
		demand, more int64 // more: once the first is delivered
		third        func(yield func(int) bool)
		cancelAt     int
		want         []int
		begun        []int
		err          error
	}{
		"all":                     {demand: 4, more: 9, want: []int{1, 11, 2, 12, 3, 13, 4, 14}, begun: []int{1, 2, 3, 4}},
		"then without a bound":    {demand: 3, more: reactor.Unbounded, want: []int{1, 11, 2, 12, 3, 13, 4, 14}, begun: []int{1, 2, 3, 4}},
		"an empty one":            {demand: 9, third: func(func(int) bool) {}, want: []int{1, 11, 2, 12, 4, 14}, begun: []int{1, 2, 3, 4}},
		"the third panics":        {demand: 9, third: func(func(int) bool) { panic(errBoom) }, want: []int{1, 11, 2, 12}, begun: []int{1, 2, 3}, err: errBoom},
		"the third panics late":   {demand: 9, third: func(yield func(int) bool) { yield(5); panic(errBoom) }, want: []int{1, 11, 2, 12, 5}, begun: []int{1, 2, 3}, err: errBoom},
		"cancelled in the second": {demand: 9, cancelAt: 12, want: []int{1, 11, 2, 12}, begun: []int{1, 2}},
		"cancelled in the third":  {demand: 9, cancelAt: 3, want: []int{1, 11, 2, 12, 3}, begun: []int{1, 2, 3}},
	} {
		for source, src := range map[string]reactor.Publisher[int]{"asked": Range(1, 4), "sends": Hide(Range(1, 4))} {
			t.Run(name+", "+source, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				var begun, ended []int
				p := probeOf[int](c.demand)
				p.Each = func(v int) {
					if v == c.cancelAt {
						p.Cancel()
					}
				}
				FlatMapSeq(src, func(v int) iter.Seq[int] {
					return func(yield func(int) bool) {
						begun = append(begun, v)
						defer func() { ended = append(ended, v) }()
						if v == 3 && c.third != nil {
							c.third(yield)
						} else if yield(v) {
							yield(v + 10)
						}
					}
				}).Subscribe(ctx, p)
				if c.more > 0 {
					p.Request(c.more)
				}
				switch {
				case c.err != nil:
					p.Failed(t, c.err, c.want...)
				case c.cancelAt != 0:
					p.Open(t, c.want...)
				default:
					p.Done(t, c.want...)
				}
				assert.Equal(t, c.begun, begun)
				assert.Equal(t, begun, ended)
				assert.Empty(t, hooks.Errs)
			})
		}
	}
}

// A Goexit of a sequence that is not the first on its coroutine ends the goroutine that asks, and the stream.
func TestFlatMapSeqInTurnEndsTheGoroutine(t *testing.T) {
	p := probeOf[int](9)
	racetest.Aside(func() {
		FlatMapSeq(Range(1, 4), func(v int) iter.Seq[int] {
			return func(yield func(int) bool) {
				if yield(v) && v == 2 {
					runtime.Goexit()
				}
			}
		}).Subscribe(t.Context(), p)
		assert.Fail(t, "the goroutine goes on")
	})
	p.Failed(t, reactor.ErrGoexit, 1, 2)
}

// coroutines returns how many there are.
func coroutines() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "[coroutine")
}

// A subscription that waits for its source keeps no coroutine, so that it can be dropped.
func TestFlatMapSeqWaitsWithoutACoroutine(t *testing.T) {
	src := &puppet[int]{}
	before := coroutines()
	p := probeOf[int](1)
	FlatMapSeq(src, func(v int) iter.Seq[int] { return slices.Values([]int{v, v + 10}) }).Subscribe(t.Context(), p)
	for v := range 3 {
		src.last().OnNext(v)
	}
	p.Open(t, 0)
	assert.Equal(t, before+1, coroutines(), "the first one is suspended")
	p.Request(4)
	p.Open(t, 0, 10, 1, 11, 2)
	src.last().OnNext(3)
	p.Request(reactor.Unbounded) // what follows is run as a whole
	p.Open(t, 0, 10, 1, 11, 2, 12, 3, 13)
	assert.Equal(t, before, coroutines())
}

// A source that sends where it is asked may send more, so that the coroutine stays until the request is over, or all of it is.
func TestFlatMapSeqKeepsItsCoroutineWithinTheRequest(t *testing.T) {
	for name, c := range map[string]struct {
		then func(src *puppet[int], p *probe.Probe[int])
		ends bool
	}{
		"it goes on":         {func(*puppet[int], *probe.Probe[int]) {}, false},
		"it completes":       {func(src *puppet[int], _ *probe.Probe[int]) { src.last().OnComplete() }, true},
		"it fails":           {func(src *puppet[int], _ *probe.Probe[int]) { src.last().OnError(errBoom) }, true},
		"cancelled":          {func(_ *puppet[int], p *probe.Probe[int]) { p.Cancel() }, true},
		"the goroutine ends": {func(*puppet[int], *probe.Probe[int]) { runtime.Goexit() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := coroutines()
			src := &puppet[int]{}
			p := probeOf[int](9)
			asked := false
			feed := DoOnRequest[int](src, func(int64) {
				if asked {
					return
				}
				asked = true
				for v := range 2 {
					src.last().OnNext(v)
					assert.Equal(t, before+1, coroutines(), v)
				}
				c.then(src, p)
				want := before + 1
				if c.ends {
					want = before
				}
				assert.Equal(t, want, coroutines())
			})
			racetest.Aside(func() {
				FlatMapSeq(feed, func(v int) iter.Seq[int] { return slices.Values([]int{v, v + 10}) }).Subscribe(t.Context(), p)
			})
			p.Items(t, 0, 10, 1, 11)
			assert.Equal(t, before, coroutines())
		})
	}
}

// TestFlatMapSeqOfNoSequence runs sequences that break the rules for calling yield.
func TestFlatMapSeqOfNoSequence(t *testing.T) {
	var kept func(int) bool
	fails := func(yield func(int) bool) (failed bool) {
		defer func() { failed = recover() != nil }()
		yield(5)
		return false
	}
	for name, c := range map[string]struct {
		seq      iter.Seq[int]
		panics   int   // at this element, downstream
		cancels  int   // at this one, it cancels
		want     []int // 1 is before it, and 2 behind it unless the stream fails
		says     string
		discards []any
	}{
		"it goes on after a panic": {
			seq:    func(yield func(int) bool) { fails(yield) },
			panics: 5, want: []int{1, 5}, says: "recovered from a panic of yield", discards: []any{5},
		},
		"it goes on after a panic, and calls again": {
			seq:    func(yield func(int) bool) { fails(yield); yield(6) },
			panics: 5, want: []int{1, 5}, says: "recovered from a panic of yield", discards: []any{5},
		},
		"it calls again after false": {
			seq:     func(yield func(int) bool) { yield(5); yield(6) },
			cancels: 5, want: []int{1, 5}, discards: []any{6},
		},
		"it calls after its end": {
			seq:  func(yield func(int) bool) { kept = yield; yield(5) },
			want: []int{1, 5, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			kept = nil
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(v int) {
				switch v {
				case c.panics:
					panic(errBoom)
				case c.cancels:
					p.Cancel()
				}
			}
			FlatMapSeq(Hide(Range(0, 3)), func(i int) iter.Seq[int] {
				return []iter.Seq[int]{slices.Values([]int{1}), c.seq, slices.Values([]int{2})}[i]
			}).Subscribe(ctx, p)
			switch {
			case c.says != "":
				p.Items(t, c.want...)
				assert.ErrorIs(t, p.Failure(), reactor.ErrIllegalState)
				assert.ErrorContains(t, p.Failure(), "flatMapSeq")
				assert.ErrorContains(t, p.Failure(), c.says)
			case c.cancels != 0:
				p.Open(t, c.want...)
			default:
				p.Done(t, c.want...)
			}
			assert.Equal(t, c.discards, hooks.Discarded)
			if kept != nil {
				assert.True(t, fails(kept), "yield is over")
			}
		})
	}
}

// TestFlatMapSeq2Errors lets sequences go on behind their error, and report one as they are let go of.
func TestFlatMapSeq2Errors(t *testing.T) {
	for name, initial := range map[string]int64{"run as a whole": reactor.Unbounded, "suspended": 9} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			goesOn := func(int) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					assert.True(t, yield(1, nil))
					assert.False(t, yield(2, errBoom))
					assert.False(t, yield(3, nil))
					assert.False(t, yield(4, assert.AnError))
				}
			}
			p := probeOf[int](initial)
			FlatMapSeq2(Hide(Range(1, 3)), goesOn).Subscribe(ctx, p)
			p.Failed(t, errBoom, 1)
			assert.Empty(t, hooks.Errs)

			ends := func(v int) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					for yield(v, nil) {
					}
					yield(0, errBoom)
				}
			}
			p = probeOf[int](initial)
			p.Each = func(int) { p.Cancel() }
			FlatMapSeq2(Hide(Just(7)), ends).Subscribe(ctx, p)
			p.Open(t, 7)
			assert.Equal(t, []any{errBoom}, hooks.Errs)

			ctx, hooks = probe.Recorded()
			panics := func(v int) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					defer panic(assert.AnError)
					yield(0, errBoom)
				}
			}
			p = probeOf[int](initial)
			FlatMapSeq2(Hide(Just(7)), panics).Subscribe(ctx, p)
			p.Failed(t, assert.AnError)
			assert.Equal(t, []any{errBoom}, hooks.Errs, "the other one")
		})
	}
}

// What may have to be told that it is discarded is asked for in batches as anything else, and told. With a hook, which hears of what
// is left, it comes through the queue.
func TestFlatMapSeqTellsWhatItHasAhead(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"no hook": t.Context(), "a hook": reactor.AddDiscard(t.Context(), func(any) {}),
	} {
		t.Run(name, func(t *testing.T) {
			told := make([]int, 100)
			list := make([]any, len(told))
			for i := range list {
				list[i] = owner{&told[i]}
			}
			p := probeOf[int](2)
			FlatMapSeq(FromSlice(list), func(any) iter.Seq[int] { return func(yield func(int) bool) { yield(1) } }).Subscribe(ctx, p)
			p.Cancel()
			p.Open(t, 1, 1)
			assert.Equal(t, append(make([]int, 3), slices.Repeat([]int{1}, 97)...), told, "one is computed ahead")
		})
	}
}
