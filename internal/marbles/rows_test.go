package marbles

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

const steps = time.Millisecond

// row puts a call on the streams of a diagram.
type row = func(s *sources) reactor.Publisher[any]

// boxed makes any stream one of anything.
func boxed[T any](p reactor.Publisher[T]) reactor.Publisher[any] {
	return operators.Map(p, func(v T) any { return v })
}

// streams makes a stream of streams one of boxed streams, which the recorder subscribes.
func streams[T any, P reactor.Publisher[T]](p reactor.Publisher[P]) reactor.Publisher[any] {
	return operators.Map(p, func(v P) any { return stream{boxed[T](v)} })
}

// onInts is the row of an operator on f, a stream of numbers.
func onInts[R any, P reactor.Publisher[R]](op func(f flux.Flux[int]) P) row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(flux.From(s.ints("f")))) }
}

// onTexts is the row of an operator on f, a stream of letters.
func onTexts[R any, P reactor.Publisher[R]](op func(f flux.Flux[string]) P) row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(flux.From(s.texts("f")))) }
}

// onMono is the row of an operator on m, a Mono of a number.
func onMono[R any, P reactor.Publisher[R]](op func(m mono.Mono[int]) P) row {
	return func(s *sources) reactor.Publisher[any] { return boxed[R](op(mono.From(s.ints("m")))) }
}

// onTwo is the row of an operator on two streams of numbers, whose labels are given.
func onTwo[R any, P reactor.Publisher[R]](a, b string, op func(a, b flux.Flux[int]) P) row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[R](op(flux.From(s.ints(a)), flux.From(s.ints(b))))
	}
}

type (
	ints  = flux.Flux[int]
	texts = flux.Flux[string]
	one   = mono.Mono[int]
)

func even(n int) bool           { return n%2 == 0 }
func odd(n int) bool            { return n%2 != 0 }
func sum(a, b int) int          { return a + b }
func tens(n int) int            { return 10 * n }
func both(n int) []int          { return []int{n, 10 * n} }
func identity[T any](v T) T     { return v }
func late(int) mono.Mono[int64] { return mono.Delay(7 * steps) }
func refuse(n, from int) error {
	if n >= from {
		return errors.New("refused")
	}
	return nil
}

func trySum(a, b int) (int, error) { return a + b, refuse(b, 4) }
func tryBoth(n int) (ints, error)  { return flux.FromSlice(both(n)), refuse(n, 4) }

func evenTens(n int) (int, bool) { return 10 * n, even(n) }

// rows are those of all families.
var rows = union(elementRows, groupRows, backpressureRows, combineRows, flattenRows, timeRows, sourceRows, peekRows, errorRows, parallelRows, shareRows, adaptRows)

// union returns all rows; a name has one of them.
func union(families ...map[string]row) map[string]row {
	all := map[string]row{}
	for _, family := range families {
		for name, r := range family {
			if all[name] != nil {
				panic("two rows for " + name)
			}
			all[name] = r
		}
	}
	return all
}

// elementRows are those of what looks at one element, or at the end.
var elementRows = map[string]row{
	"Flux.Reduce":               onInts(func(f ints) one { return f.Reduce(sum) }),
	"Flux.Fold":                 onInts(func(f ints) one { return f.Fold(10, sum) }),
	"Flux.FoldWith":             onInts(func(f ints) one { return f.FoldWith(func() int { return 10 }, sum) }),
	"Flux.TryReduce":            onInts(func(f ints) one { return f.TryReduce(trySum) }),
	"Flux.TryFold":              onInts(func(f ints) one { return f.TryFold(10, trySum) }),
	"Flux.TryFoldWith":          onInts(func(f ints) one { return f.TryFoldWith(func() int { return 10 }, trySum) }),
	"Flux.TryFlatMap":           onInts(func(f ints) ints { return f.TryFlatMap(tryBoth) }),
	"Flux.CollectSlice":         onInts(func(f ints) mono.Mono[[]int] { return f.CollectSlice() }),
	"Flux.Count":                onTexts(func(f texts) one { return f.Count() }),
	"Flux.Buffer":               onInts(func(f ints) flux.Flux[[]int] { return f.Buffer(2) }),
	"Flux.BufferAll":            onInts(func(f ints) flux.Flux[[]int] { return f.BufferAll() }),
	"Flux.BufferTimeout":        onInts(func(f ints) flux.Flux[[]int] { return f.BufferTimeout(3, 9*steps) }),
	"Flux.BufferUntil":          onInts(func(f ints) flux.Flux[[]int] { return f.BufferUntil(even) }),
	"Flux.BufferUntilChanged":   onTexts(func(f texts) flux.Flux[[]string] { return f.BufferUntilChanged(identity[string]) }),
	"Flux.BufferWhile":          onInts(func(f ints) flux.Flux[[]int] { return f.BufferWhile(odd) }),
	"Flux.Checkpoint":           onInts(func(f ints) ints { return f.Checkpoint("orders") }),
	"Flux.DefaultIfEmpty":       onInts(func(f ints) ints { return f.DefaultIfEmpty(9) }),
	"Flux.ContextWriteValue":    onInts(func(f ints) ints { return f.ContextWriteValue("tenant", "acme") }),
	"Flux.OnErrorReturn":        onInts(func(f ints) ints { return f.OnErrorReturn(9) }),
	"Flux.OnErrorResume":        onInts(func(f ints) ints { return f.OnErrorResume(func(error) ints { return flux.Just(9) }) }),
	"Flux.OnErrorComplete":      onInts(func(f ints) ints { return f.OnErrorComplete() }),
	"Flux.Filter":               onInts(func(f ints) ints { return f.Filter(even) }),
	"Flux.TryFilter":            onTexts(func(f texts) texts { return f.TryFilter(isFile) }),
	"Flux.Take":                 onInts(func(f ints) ints { return f.Take(2) }),
	"Flux.TakeLast":             onInts(func(f ints) ints { return f.TakeLast(2) }),
	"Flux.TakeWhile":            onInts(func(f ints) ints { return f.TakeWhile(func(n int) bool { return n < 3 }) }),
	"Flux.TakeUntil":            onInts(func(f ints) ints { return f.TakeUntil(func(n int) bool { return n == 3 }) }),
	"Flux.Skip":                 onInts(func(f ints) ints { return f.Skip(2) }),
	"Flux.SkipLast":             onInts(func(f ints) ints { return f.SkipLast(2) }),
	"Flux.SkipWhile":            onInts(func(f ints) ints { return f.SkipWhile(func(n int) bool { return n < 3 }) }),
	"Flux.SkipUntil":            onInts(func(f ints) ints { return f.SkipUntil(func(n int) bool { return n == 2 }) }),
	"Flux.Distinct":             onTexts(func(f texts) texts { return f.Distinct(identity[string]) }),
	"Flux.DistinctUntilChanged": onTexts(func(f texts) texts { return f.DistinctUntilChanged(identity[string]) }),
	"flux.Distinct":             onTexts(func(f texts) texts { return flux.Distinct(f) }),
	"flux.DistinctUntilChanged": onTexts(func(f texts) texts { return flux.DistinctUntilChanged(f) }),
	"Flux.Sort":                 onInts(func(f ints) ints { return f.Sort(cmp.Compare[int]) }),
	"Flux.ElementAt":            onTexts(func(f texts) mono.Mono[string] { return f.ElementAt(1) }),
	"Flux.Last":                 onTexts(func(f texts) mono.Mono[string] { return f.Last() }),
	"Flux.AllMatch":             onInts(func(f ints) mono.Mono[bool] { return f.AllMatch(even) }),
	"Flux.AnyMatch":             onInts(func(f ints) mono.Mono[bool] { return f.AnyMatch(even) }),
	"Flux.HasElements":          onInts(func(f ints) mono.Mono[bool] { return f.HasElements() }),
	"Flux.FlatMapSlice":         onInts(func(f ints) ints { return f.FlatMapSlice(both) }),
	"Flux.ConcatMapSlice":       onInts(func(f ints) ints { return f.ConcatMapSlice(both) }),
	"Flux.FlatMapSeq": onInts(func(f ints) ints {
		return f.FlatMapSeq(func(n int) iter.Seq[int] { return slices.Values(both(n)) })
	}),
	"Flux.MapOptional":       onInts(func(f ints) ints { return f.MapOptional(evenTens) }),
	"Flux.DoFirst":           onInts(func(f ints) ints { return f.DoFirst(func() {}) }),
	"Flux.DoOnNext":          onInts(func(f ints) ints { return f.DoOnNext(func(int) {}) }),
	"Flux.DoOnComplete":      onInts(func(f ints) ints { return f.DoOnComplete(func() {}) }),
	"Flux.DoOnError":         onInts(func(f ints) ints { return f.DoOnError(func(error) {}) }),
	"Flux.DoOnTerminate":     onInts(func(f ints) ints { return f.DoOnTerminate(func() {}) }),
	"Flux.DoAfterTerminate":  onInts(func(f ints) ints { return f.DoAfterTerminate(func() {}) }),
	"Flux.DoFinally":         onInts(func(f ints) ints { return f.DoFinally(func(reactor.SignalKind) {}) }),
	"Flux.DoOnEach":          onInts(func(f ints) ints { return f.DoOnEach(func(context.Context, reactor.Signal[int]) {}) }),
	"Flux.Scan":              onInts(func(f ints) ints { return f.Scan(sum) }),
	"Flux.TryScan":           onInts(func(f ints) ints { return f.TryScan(func(a, b int) (int, error) { return a + b, refuse(a+b, 6) }) }),
	"Flux.MapIndexed":        onTexts(func(f texts) texts { return f.MapIndexed(func(i int, v string) string { return strconv.Itoa(i) + v }) }),
	"Flux.Next":              onInts(func(f ints) one { return f.Next() }),
	"Flux.Single":            onInts(func(f ints) one { return f.Single() }),
	"Flux.SingleOrDefault":   onInts(func(f ints) one { return f.SingleOrDefault(9) }),
	"Flux.SingleOrEmpty":     onInts(func(f ints) one { return f.SingleOrEmpty() }),
	"Flux.Then":              onInts(func(f ints) mono.Mono[struct{}] { return f.Then() }),
	"Flux.ThenReturn":        onInts(func(f ints) one { return f.ThenReturn(9) }),
	"Flux.IgnoreElements":    onInts(func(f ints) one { return f.IgnoreElements() }),
	"Flux.Timeout":           onInts(func(f ints) ints { return f.Timeout(6 * steps) }),
	"Flux.DelayElements":     onInts(func(f ints) ints { return f.DelayElements(7 * steps) }),
	"Flux.DelayUntil":        onInts(func(f ints) ints { return f.DelayUntil(late) }),
	"Flux.DelaySequence":     onInts(func(f ints) ints { return f.DelaySequence(4 * steps) }),
	"Flux.SampleEvery":       onInts(func(f ints) ints { return f.SampleEvery(7 * steps) }),
	"Flux.SampleFirstFor":    onInts(func(f ints) ints { return f.SampleFirstFor(10 * steps) }),
	"Flux.SampleTimeoutFor":  onInts(func(f ints) ints { return f.SampleTimeoutFor(5 * steps) }),
	"Flux.TakeFor":           onInts(func(f ints) ints { return f.TakeFor(15 * steps) }),
	"Flux.SkipFor":           onInts(func(f ints) ints { return f.SkipFor(13 * steps) }),
	"Flux.Map":               onInts(func(f ints) ints { return f.Map(tens) }),
	"Flux.TryMap":            onTexts(func(f texts) ints { return f.TryMap(strconv.Atoi) }),
	"Flux.ZipWithSlice":      onInts(func(f ints) ints { return f.ZipWithSlice([]int{10, 20}, sum) }),
	"Flux.TryDoOnNext":       onInts(func(f ints) ints { return f.TryDoOnNext(func(n int) error { return refuse(n, 3) }) }),
	"flux.CombineLatest":     onTwo("a", "b", func(a, b ints) ints { return flux.CombineLatest(a, b, sum) }),
	"Flux.WithLatestFrom":    onTwo("f", "other", func(f, other ints) ints { return f.WithLatestFrom(other, sum) }),
	"flux.Merge":             onTwo("a", "b", func(a, b ints) ints { return flux.Merge[int](a, b) }),
	"flux.FirstWithSignal":   onTwo("a", "b", func(a, b ints) ints { return flux.FirstWithSignal[int](a, b) }),
	"flux.MergeComparing":    onTwo("a", "b", func(a, b ints) ints { return flux.MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{a, b}) }),
	"flux.Zip":               onTwo("a", "b", func(a, b ints) ints { return flux.Zip(a, b, sum) }),
	"Flux.ZipWith":           onTwo("f", "other", func(f, other ints) ints { return f.ZipWith(other, sum) }),
	"Mono.DefaultIfEmpty":    onMono(func(m one) one { return m.DefaultIfEmpty(9) }),
	"Mono.ContextWriteValue": onMono(func(m one) one { return m.ContextWriteValue("tenant", "acme") }),
	"Mono.DoOnTerminate":     onMono(func(m one) one { return m.DoOnTerminate(func() {}) }),
	"Mono.DoAfterTerminate":  onMono(func(m one) one { return m.DoAfterTerminate(func() {}) }),
	"Mono.DoOnError":         onMono(func(m one) one { return m.DoOnError(func(error) {}) }),
	"Mono.HasElement":        onMono(func(m one) mono.Mono[bool] { return m.HasElement() }),
	"Mono.DelayElement":      onMono(func(m one) one { return m.DelayElement(4 * steps) }),
	"flux.Range":             func(*sources) reactor.Publisher[any] { return boxed[int](flux.Range(5, 3)) },
	"flux.FromSlice":         func(*sources) reactor.Publisher[any] { return boxed[string](flux.FromSlice(strings.Fields("a b c"))) },
	"flux.Just":              func(*sources) reactor.Publisher[any] { return boxed[string](flux.Just("a", "b", "c")) },
	"flux.ErrorFrom": func(*sources) reactor.Publisher[any] {
		return boxed[int](flux.ErrorFrom[int](func() error { return errMarble }))
	},
}

func isFile(name string) (bool, error) {
	if !strings.HasSuffix(name, ".txt") {
		return false, errors.New("no file")
	}
	return true, nil
}
