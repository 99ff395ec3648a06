package stages

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// company is a stage that cancels another publisher while a signal of its source is on the way. The
// other is silent, or sends one element and is silent then. What hears of its cancellation ends the
// goroutine.
type company struct {
	name  string
	build func(src, other, one publisher) reactor.Publisher[element]
}

// latest is the first of two.
func latest(v, _ element) element { return v }

var companies = []company{
	{"firstWithValue", func(src, other, one publisher) publisher { return operators.FirstWithValue(other, src) }},
	{"firstWithValue, before", func(src, other, one publisher) publisher { return operators.FirstWithValue(src, other) }},
	{"firstWithSignal", func(src, other, one publisher) publisher { return operators.FirstWithSignal(other, src) }},
	{"or", func(src, other, one publisher) publisher { return operators.Or(other, src) }},
	{"timeoutFirst", func(src, other, one publisher) publisher { return operators.TimeoutFirst(src, other) }},
	{"timeoutFirstFallback", func(src, other, one publisher) publisher {
		return operators.TimeoutFirstFallback(src, other, operators.Empty[element]())
	}},
	{"timeoutWhen", func(src, other, one publisher) publisher {
		return operators.TimeoutWhen(src, operators.Never[int](), func(element) publisher { return other })
	}},
	{"timeoutWhenFallback", func(src, other, one publisher) publisher {
		return operators.TimeoutWhenFallback(src, operators.Never[int](), func(element) publisher { return other }, operators.Empty[element]())
	}},
	{"timeoutWhen, the first", func(src, other, one publisher) publisher {
		return operators.TimeoutWhen(src, other, func(element) publisher { return operators.Never[element]() })
	}},
	{"takeUntilOther", func(src, other, one publisher) publisher { return operators.TakeUntilOther(src, other) }},
	{"skipUntilOther", func(src, other, one publisher) publisher { return operators.SkipUntilOther(src, other) }},
	{"skipUntilOther, open", func(src, other, one publisher) publisher { return operators.SkipUntilOther(src, one) }},
	{"withLatestFrom", func(src, other, one publisher) publisher { return operators.WithLatestFrom(src, other, latest) }},
	{"withLatestFrom, with a value", func(src, other, one publisher) publisher {
		return operators.WithLatestFrom(src, one, latest)
	}},
	{"zipWith", func(src, other, one publisher) publisher { return operators.ZipWith(src, other, latest) }},
	{"zipWith, one pair", func(src, other, one publisher) publisher { return operators.ZipWith(src, one, latest) }},
	{"zip2", func(src, other, one publisher) publisher { return operators.Zip2(src, one, latest) }},
	{"monoZip2", func(src, other, one publisher) publisher {
		return operators.MonoZip2(operators.Next(src), operators.Next(other), latest)
	}},
	{"when", func(src, other, one publisher) publisher {
		return operators.Map(operators.When([]publisher{src, other}), func(struct{}) element { return nil })
	}},
	{"combineLatest", func(src, other, one publisher) publisher { return operators.CombineLatest2(src, one, latest) }},
	{"merge", func(src, other, one publisher) publisher { return operators.Merge(src, other) }},
	{"mergeSequential", func(src, other, one publisher) publisher {
		return operators.MergeSequential([]publisher{src, other})
	}},
	{"mergeSequential, second", func(src, other, one publisher) publisher {
		return operators.MergeSequential([]publisher{other, src})
	}},
	{"mergeComparing", func(src, other, one publisher) publisher {
		return operators.MergeComparing(func(a, b element) int { return 0 }, []publisher{src, other})
	}},
	{"mergePriority", func(src, other, one publisher) publisher {
		return operators.MergePriority(func(a, b element) int { return 0 }, []publisher{src, other})
	}},
	{"sequenceEqual", func(src, other, one publisher) publisher {
		equal := operators.SequenceEqualFunc(src, other, func(a, b element) bool { return false })
		return operators.Map(equal, func(bool) element { return nil })
	}},
	{"sequenceEqual, unequal", func(src, other, one publisher) publisher {
		equal := operators.SequenceEqualFunc(src, one, func(a, b element) bool { return false })
		return operators.Map(equal, func(bool) element { return nil })
	}},
	{"switchMap", func(src, other, one publisher) publisher {
		return operators.SwitchMap(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) })
	}},
	{"switchMap, hidden", func(src, other, one publisher) publisher {
		return operators.SwitchMap(src, func(v element) publisher { return operators.Hide(operators.Concat(operators.Just(v), other)) })
	}},
	{"switchMap, the same", func(src, other, one publisher) publisher {
		return operators.SwitchMap(operators.Just(0), func(int) publisher { return operators.TakeUntilOther(src, other) })
	}},
	{"exhaustMap", func(src, other, one publisher) publisher {
		return operators.ExhaustMap(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) })
	}},
	{"switchOnNext", func(src, other, one publisher) publisher {
		return operators.SwitchOnNext(operators.FromSlice([]publisher{other, src}))
	}},
	{"flatMap", func(src, other, one publisher) publisher {
		return operators.FlatMap(operators.Range(0, 2), func(i int) publisher { return []publisher{other, src}[i] })
	}},
	{"flatMapSequential", func(src, other, one publisher) publisher {
		return operators.FlatMapSequential(operators.Range(0, 2), func(i int) publisher { return []publisher{other, src}[i] })
	}},
	{"flatMapSequential per element", func(src, other, one publisher) publisher {
		return operators.FlatMapSequential(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) })
	}},
	{"monoFlatMap", func(src, other, one publisher) publisher {
		return operators.MonoFlatMap(operators.Next(src), func(v element) publisher {
			return operators.Next(operators.Concat(operators.Just(v), other))
		})
	}},
	{"monoFlatMapMany", func(src, other, one publisher) publisher {
		return operators.MonoFlatMapMany(operators.Next(src), func(v element) publisher { return operators.Concat(operators.Just(v), one) })
	}},
	{"using", func(src, other, one publisher) publisher {
		return operators.Using(func(context.Context) (int, error) { return 1, nil }, func(int) publisher { return operators.Merge(other, src) }, func(int) error { return nil })
	}},
	{"concatDelayError", func(src, other, one publisher) publisher { return operators.ConcatDelayError(src, other) }},
	{"switchIfEmpty", func(src, other, one publisher) publisher { return operators.SwitchIfEmpty(src, other) }},
	{"flatMap per element", func(src, other, one publisher) publisher {
		return operators.FlatMap(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) })
	}},
	{"concatMap", func(src, other, one publisher) publisher {
		return operators.ConcatMap(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) })
	}},
	{"concatMap without prefetch", func(src, other, one publisher) publisher {
		return operators.ConcatMap(src, func(v element) publisher { return operators.Concat(operators.Just(v), other) }, operators.Prefetch(0))
	}},
	{"expand", func(src, other, one publisher) publisher {
		return operators.Expand(src, func(v element) publisher { return other })
	}},
	{"expandDeep", func(src, other, one publisher) publisher {
		return operators.ExpandDeep(src, func(v element) publisher { return other })
	}},
	{"filterWhen", func(src, other, one publisher) publisher {
		return operators.FilterWhen(src, func(element) reactor.Publisher[bool] { return operators.Map(one, yes) })
	}},
	{"filterWhenMono", func(src, other, one publisher) publisher {
		return operators.FilterWhenMono(operators.Next(src), func(element) reactor.Publisher[bool] { return operators.Map(one, yes) })
	}},
	{"delayUntil", func(src, other, one publisher) publisher {
		return operators.DelayUntil(src, func(element) publisher { return other })
	}},
	{"delayUntil, one", func(src, other, one publisher) publisher {
		return operators.DelayUntil(src, func(element) publisher { return operators.Next(one) })
	}},
	{"monoDelayUntil", func(src, other, one publisher) publisher {
		return operators.MonoDelayUntil(operators.Next(src), func(element) publisher { return one })
	}},
	{"monoZipWhen", func(src, other, one publisher) publisher {
		return operators.MonoZipWhen(operators.Next(src), func(element) publisher { return one }, latest)
	}},
	{"delaySubscription", func(src, other, one publisher) publisher { return operators.DelaySubscription(src, one) }},
	{"sample", func(src, other, one publisher) publisher { return operators.Sample(src, other) }},
	{"sample, taken", func(src, other, one publisher) publisher { return operators.Sample(src, one) }},
	{"sampleFirst", func(src, other, one publisher) publisher {
		return operators.SampleFirst(src, func(element) publisher { return other })
	}},
	{"sampleFirst, one", func(src, other, one publisher) publisher {
		return operators.SampleFirst(src, func(element) publisher { return one })
	}},
	{"sampleTimeout", func(src, other, one publisher) publisher {
		return operators.SampleTimeout(src, func(element) publisher { return other })
	}},
	{"sampleTimeout, one", func(src, other, one publisher) publisher {
		return operators.SampleTimeout(src, func(element) publisher { return one })
	}},
	{"bufferOther", func(src, other, one publisher) publisher { return heads(operators.BufferOther(src, other)) }},
	{"bufferWhen", func(src, other, one publisher) publisher {
		return heads(operators.BufferWhen(src, operators.Just(0), func(int) publisher { return other }))
	}},
	{"bufferWhen, one", func(src, other, one publisher) publisher {
		return heads(operators.BufferWhen(src, operators.Just(0), func(int) publisher { return one }))
	}},
	{"bufferWhen, open", func(src, other, one publisher) publisher {
		return heads(operators.BufferWhen(src, one, func(element) publisher { return operators.Never[element]() }))
	}},
	{"windowOther", func(src, other, one publisher) publisher {
		return operators.MergeAll(operators.WindowOther(src, other, the[publisher]))
	}},
	{"windowWhen", func(src, other, one publisher) publisher {
		return operators.MergeAll(operators.WindowWhen(src, operators.Just(0), func(int) publisher { return other }, the[publisher]))
	}},
	{"windowWhen, one", func(src, other, one publisher) publisher {
		return operators.MergeAll(operators.WindowWhen(src, operators.Just(0), func(int) publisher { return one }, the[publisher]))
	}},
	{"windowWhen, open", func(src, other, one publisher) publisher {
		return operators.MergeAll(operators.WindowWhen(src, one, func(element) publisher { return operators.Never[element]() }, the[publisher]))
	}},
	{"join", func(src, other, one publisher) publisher {
		never := func(element) reactor.Publisher[int] { return operators.Never[int]() }
		return operators.Join(src, one, never, never, latest)
	}},
	{"join, spans", func(src, other, one publisher) publisher {
		return operators.Join(src, operators.Just[element](nil), func(element) publisher { return one }, func(element) publisher { return other }, latest)
	}},
	{"groupJoin", func(src, other, one publisher) publisher {
		return operators.GroupJoin(src, operators.Just[element](nil), func(element) publisher { return other }, func(element) publisher { return other },
			func(v element, _ reactor.Publisher[element]) element { return v })
	}},
	{"publishSelector", func(src, other, one publisher) publisher {
		return operators.PublishSelector(src, func(shared publisher) publisher { return operators.TakeUntilOther(shared, other) })
	}},
	{"retryWhen", func(src, other, one publisher) publisher {
		return operators.RetryWhen(src, operators.RetryFrom(func(reactor.Publisher[operators.RetrySignal]) publisher { return other }))
	}},
	{"repeatWhen", func(src, other, one publisher) publisher {
		return operators.RepeatWhen(src, operators.RepeatFrom(func(reactor.Publisher[int64]) publisher { return other }))
	}},
	{"usingWhen", func(src, other, one publisher) publisher {
		return operators.UsingWhen(one, func(element) publisher { return src }, operators.AsyncCleanup[element, int]{
			Complete: func(element) reactor.Publisher[int] { return operators.Empty[int]() },
		})
	}},
	{"next", func(src, other, one publisher) publisher { return operators.Next(operators.Merge(other, src)) }},
	{"monoTimeoutFirst", func(src, other, one publisher) publisher { return operators.TimeoutFirst(operators.Next(src), other) }},
}

func yes(element) bool { return true }
func the[T any](v T) T { return v }

// heads takes slices apart.
func heads(src reactor.Publisher[[]element]) publisher {
	return operators.FlatMapSlice(src, the[[]element])
}

// TestGoexitInTheCancellationOfAnother lets what hears of the cancellation of another publisher, a
// companion or one of several sources, end the goroutine of the source, in the middle of a signal.
// Its element is delivered or discarded all the same, and who waits is told of an end.
func TestGoexitInTheCancellationOfAnother(t *testing.T) {
	for _, c := range companies {
		t.Run(c.name, func(t *testing.T) {
			for end, rest := range map[string]publisher{
				"completes": operators.Empty[element](), "fails": operators.Error[element](errBoom), "is silent": operators.Never[element](),
			} {
				for _, sent := range []int{0, 1, 5} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						for _, both := range []bool{false, true} {
							t.Run(fmt.Sprintf("the source %s after %d, %d requested, of the source too: %t", end, sent, demand, both), func(t *testing.T) {
								synctest.Test(t, func(t *testing.T) { goexitInCompany(t, c, sent, rest, demand, both) })
							})
						}
					}
				}
			}
		})
	}
}

func goexitInCompany(t *testing.T, c company, elements int, rest publisher, demand int64, both bool) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	down := &watcher{demand: demand, onNext: s.delivered}
	s.down = down
	src := operators.Concat(operators.FromSeq(func(yield func(element) bool) {
		for range elements {
			if !yield(s.books.Produce()) {
				return
			}
		}
	}), rest)
	open, others, cancelled := 0, 0, 0 // publishers that are subscribed
	if both {
		src = operators.DoOnCancel(src, runtime.Goexit)
	}
	src = operators.DoFinally(operators.DoFirst(src, func() { open++ }), func(reactor.SignalKind) { open-- })
	ending := func(p publisher) publisher {
		return operators.DoFirst(operators.DoOnCancel(p, func() { others--; cancelled++; runtime.Goexit() }), func() { others++ })
	}
	other := ending(operators.Never[element]())
	one := ending(operators.Concat(operators.Just[element](nil), operators.Never[element]()))
	racetest.Aside(func() {
		untyped := operators.Map(c.build(src, other, one), func(v element) any { return v })
		untyped.Subscribe(reactor.WithHooks(context.Background(), s.hooks()), down)
	})
	for range 12 {
		if demand != reactor.Unbounded {
			racetest.Aside(func() { down.request(1) })
		}
	}
	_, ended, faults, _ := down.state()
	assert.Empty(t, faults)
	if cancelled > 0 && open == 0 {
		assert.True(t, ended, "the other was cancelled, the source is over, and nobody is told of an end")
	}
	racetest.Aside(down.cancel)
	racetest.Aside(func() { s.clock.pass(time.Hour) })
	synctest.Wait()
	s.books.Check()
	assert.Zero(t, open, "the source goes on")
	assert.Zero(t, others, "the other goes on")
}
