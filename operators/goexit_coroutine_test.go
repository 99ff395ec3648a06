package operators

import (
	"context"
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A sequence that is suspended runs in a coroutine. If it cancels, and who hears of that ends the goroutine, that of whoever asks for
// the next element ends as well: with the same Goexit, which was reported.
func TestGoexitInACoroutineIsReportedOnce(t *testing.T) {
	for name, build := range map[string]func(all iter.Seq[int]) reactor.Publisher[int]{
		"fromSeq": FromSeq[int],
		"fromSeq2": func(all iter.Seq[int]) reactor.Publisher[int] {
			return FromSeq2(func(yield func(int, error) bool) { all(func(v int) bool { return yield(v, nil) }) })
		},
		"flatMapSeq": func(all iter.Seq[int]) reactor.Publisher[int] {
			return FlatMapSeq(Hide(Just(1)), func(int) iter.Seq[int] { return all })
		},
		"zipWithSeq": func(all iter.Seq[int]) reactor.Publisher[int] {
			return ZipWithSeq(Hide(Range(1, 5)), all, func(_, v int) int { return v })
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int{2, 3} { // the element of the sequence before which it cancels
				ctx, hooks := probe.Recorded()
				up, got := make(chan reactor.Subscription, 1), []int(nil)
				src := build(func(yield func(int) bool) {
					for v := 1; yield(v); v++ {
						if v == at-1 {
							(<-up).Cancel()
						}
					}
				})
				p := NewSubscriber(ctx, SubscriberHooks[int]{
					OnSubscribe: func(s *BaseSubscriber[int]) { up <- s },
					OnNext:      func(_ *BaseSubscriber[int], v int) { got = append(got, v) },
				})
				racetest.Aside(func() {
					DoOnCancel(src, runtime.Goexit).Subscribe(ctx, p)
					for range 5 {
						p.Request(1)
					}
				})
				assert.Equal(t, []int{1, 2}[:at-1], got)
				if assert.Len(t, hooks.Errs, 1, "%v", hooks.Errs) {
					assert.ErrorContains(t, hooks.Errs[0].(error), "doOnCancel: user function called runtime.Goexit")
				}
			}
		})
	}
}

// One that nobody has dealt with in the coroutine is reported by who waits for it.
func TestGoexitOfACoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var errs []error
	racetest.Aside(func() {
		src := FromSeq(func(yield func(int) bool) {
			yield(1)
			runtime.Goexit()
		})
		oneByOne(ctx, src, &errs)
	})
	assert.Empty(t, hooks.Errs)
	if assert.Len(t, errs, 1) {
		assert.ErrorContains(t, errs[0], "fromSeq: user function called runtime.Goexit")
	}
}

// oneByOne asks for one element at a time.
func oneByOne(ctx context.Context, src reactor.Publisher[int], errs *[]error) {
	src.Subscribe(ctx, NewSubscriber(ctx, SubscriberHooks[int]{
		OnSubscribe: func(s *BaseSubscriber[int]) { s.Request(1) },
		OnNext:      func(s *BaseSubscriber[int], _ int) { s.Request(1) },
		OnError:     func(err error) { *errs = append(*errs, err) },
	}))
}
