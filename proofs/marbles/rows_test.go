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
)

const steps = time.Millisecond

type row = Row

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
	"Flux.Reduce":               OnInts(func(f ints) one { return f.Reduce(sum) }),
	"Flux.Fold":                 OnInts(func(f ints) one { return f.Fold(10, sum) }),
	"Flux.FoldWith":             OnInts(func(f ints) one { return f.FoldWith(func() int { return 10 }, sum) }),
	"Flux.TryReduce":            OnInts(func(f ints) one { return f.TryReduce(trySum) }),
	"Flux.TryFold":              OnInts(func(f ints) one { return f.TryFold(10, trySum) }),
	"Flux.TryFoldWith":          OnInts(func(f ints) one { return f.TryFoldWith(func() int { return 10 }, trySum) }),
	"Flux.TryFlatMap":           OnInts(func(f ints) ints { return f.TryFlatMap(tryBoth) }),
	"Flux.CollectSlice":         OnInts(func(f ints) mono.Mono[[]int] { return f.CollectSlice() }),
	"Flux.Count":                OnTexts(func(f texts) one { return f.Count() }),
	"Flux.Buffer":               OnInts(func(f ints) flux.Flux[[]int] { return f.Buffer(2) }),
	"Flux.BufferAll":            OnInts(func(f ints) flux.Flux[[]int] { return f.BufferAll() }),
	"Flux.BufferTimeout":        OnInts(func(f ints) flux.Flux[[]int] { return f.BufferTimeout(3, 9*steps) }),
	"Flux.BufferUntil":          OnInts(func(f ints) flux.Flux[[]int] { return f.BufferUntil(even) }),
	"Flux.BufferUntilChanged":   OnTexts(func(f texts) flux.Flux[[]string] { return f.BufferUntilChanged(identity[string]) }),
	"Flux.BufferWhile":          OnInts(func(f ints) flux.Flux[[]int] { return f.BufferWhile(odd) }),
	"Flux.Checkpoint":           OnInts(func(f ints) ints { return f.Checkpoint("orders") }),
	"Flux.DefaultIfEmpty":       OnInts(func(f ints) ints { return f.DefaultIfEmpty(9) }),
	"Flux.ContextWriteValue":    OnInts(func(f ints) ints { return f.ContextWriteValue("tenant", "acme") }),
	"Flux.OnErrorReturn":        OnInts(func(f ints) ints { return f.OnErrorReturn(9) }),
	"Flux.OnErrorResume":        OnInts(func(f ints) ints { return f.OnErrorResume(func(error) ints { return flux.Just(9) }) }),
	"Flux.OnErrorComplete":      OnInts(func(f ints) ints { return f.OnErrorComplete() }),
	"Flux.Filter":               OnInts(func(f ints) ints { return f.Filter(even) }),
	"Flux.TryFilter":            OnTexts(func(f texts) texts { return f.TryFilter(isFile) }),
	"Flux.Take":                 OnInts(func(f ints) ints { return f.Take(2) }),
	"Flux.TakeLast":             OnInts(func(f ints) ints { return f.TakeLast(2) }),
	"Flux.TakeWhile":            OnInts(func(f ints) ints { return f.TakeWhile(func(n int) bool { return n < 3 }) }),
	"Flux.TakeUntil":            OnInts(func(f ints) ints { return f.TakeUntil(func(n int) bool { return n == 3 }) }),
	"Flux.Skip":                 OnInts(func(f ints) ints { return f.Skip(2) }),
	"Flux.SkipLast":             OnInts(func(f ints) ints { return f.SkipLast(2) }),
	"Flux.SkipWhile":            OnInts(func(f ints) ints { return f.SkipWhile(func(n int) bool { return n < 3 }) }),
	"Flux.SkipUntil":            OnInts(func(f ints) ints { return f.SkipUntil(func(n int) bool { return n == 2 }) }),
	"Flux.Distinct":             OnTexts(func(f texts) texts { return f.Distinct(identity[string]) }),
	"Flux.DistinctUntilChanged": OnTexts(func(f texts) texts { return f.DistinctUntilChanged(identity[string]) }),
	"flux.Distinct":             OnTexts(func(f texts) texts { return flux.Distinct(f) }),
	"flux.DistinctUntilChanged": OnTexts(func(f texts) texts { return flux.DistinctUntilChanged(f) }),
	"Flux.Sort":                 OnInts(func(f ints) ints { return f.Sort(cmp.Compare[int]) }),
	"Flux.ElementAt":            OnTexts(func(f texts) mono.Mono[string] { return f.ElementAt(1) }),
	"Flux.Last":                 OnTexts(func(f texts) mono.Mono[string] { return f.Last() }),
	"Flux.AllMatch":             OnInts(func(f ints) mono.Mono[bool] { return f.AllMatch(even) }),
	"Flux.AnyMatch":             OnInts(func(f ints) mono.Mono[bool] { return f.AnyMatch(even) }),
	"Flux.HasElements":          OnInts(func(f ints) mono.Mono[bool] { return f.HasElements() }),
	"Flux.FlatMapSlice":         OnInts(func(f ints) ints { return f.FlatMapSlice(both) }),
	"Flux.ConcatMapSlice":       OnInts(func(f ints) ints { return f.ConcatMapSlice(both) }),
	"Flux.FlatMapSeq": OnInts(func(f ints) ints {
		return f.FlatMapSeq(func(n int) iter.Seq[int] { return slices.Values(both(n)) })
	}),
	"Flux.MapOptional":       OnInts(func(f ints) ints { return f.MapOptional(evenTens) }),
	"Flux.DoFirst":           OnInts(func(f ints) ints { return f.DoFirst(func() {}) }),
	"Flux.DoOnNext":          OnInts(func(f ints) ints { return f.DoOnNext(func(int) {}) }),
	"Flux.DoOnComplete":      OnInts(func(f ints) ints { return f.DoOnComplete(func() {}) }),
	"Flux.DoOnError":         OnInts(func(f ints) ints { return f.DoOnError(func(error) {}) }),
	"Flux.DoOnTerminate":     OnInts(func(f ints) ints { return f.DoOnTerminate(func() {}) }),
	"Flux.DoAfterTerminate":  OnInts(func(f ints) ints { return f.DoAfterTerminate(func() {}) }),
	"Flux.DoFinally":         OnInts(func(f ints) ints { return f.DoFinally(func(reactor.SignalKind) {}) }),
	"Flux.DoOnEach":          OnInts(func(f ints) ints { return f.DoOnEach(func(context.Context, reactor.Signal[int]) {}) }),
	"Flux.Scan":              OnInts(func(f ints) ints { return f.Scan(sum) }),
	"Flux.TryScan":           OnInts(func(f ints) ints { return f.TryScan(func(a, b int) (int, error) { return a + b, refuse(a+b, 6) }) }),
	"Flux.MapIndexed":        OnTexts(func(f texts) texts { return f.MapIndexed(func(i int, v string) string { return strconv.Itoa(i) + v }) }),
	"Flux.Next":              OnInts(func(f ints) one { return f.Next() }),
	"Flux.Single":            OnInts(func(f ints) one { return f.Single() }),
	"Flux.SingleOrDefault":   OnInts(func(f ints) one { return f.SingleOrDefault(9) }),
	"Flux.SingleOrEmpty":     OnInts(func(f ints) one { return f.SingleOrEmpty() }),
	"Flux.Then":              OnInts(func(f ints) mono.Mono[struct{}] { return f.Then() }),
	"Flux.ThenReturn":        OnInts(func(f ints) one { return f.ThenReturn(9) }),
	"Flux.IgnoreElements":    OnInts(func(f ints) one { return f.IgnoreElements() }),
	"Flux.Timeout":           OnInts(func(f ints) ints { return f.Timeout(6 * steps) }),
	"Flux.DelayElements":     OnInts(func(f ints) ints { return f.DelayElements(7 * steps) }),
	"Flux.DelayUntil":        OnInts(func(f ints) ints { return f.DelayUntil(late) }),
	"Flux.DelaySequence":     OnInts(func(f ints) ints { return f.DelaySequence(4 * steps) }),
	"Flux.SampleEvery":       OnInts(func(f ints) ints { return f.SampleEvery(7 * steps) }),
	"Flux.SampleFirstFor":    OnInts(func(f ints) ints { return f.SampleFirstFor(10 * steps) }),
	"Flux.SampleTimeoutFor":  OnInts(func(f ints) ints { return f.SampleTimeoutFor(5 * steps) }),
	"Flux.TakeFor":           OnInts(func(f ints) ints { return f.TakeFor(15 * steps) }),
	"Flux.SkipFor":           OnInts(func(f ints) ints { return f.SkipFor(13 * steps) }),
	"Flux.Map":               OnInts(func(f ints) ints { return f.Map(tens) }),
	"Flux.TryMap":            OnTexts(func(f texts) ints { return f.TryMap(strconv.Atoi) }),
	"Flux.ZipWithSlice":      OnInts(func(f ints) ints { return f.ZipWithSlice([]int{10, 20}, sum) }),
	"Flux.TryDoOnNext":       OnInts(func(f ints) ints { return f.TryDoOnNext(func(n int) error { return refuse(n, 3) }) }),
	"flux.CombineLatest":     OnTwo("a", "b", func(a, b ints) ints { return flux.CombineLatest(a, b, sum) }),
	"Flux.WithLatestFrom":    OnTwo("f", "other", func(f, other ints) ints { return f.WithLatestFrom(other, sum) }),
	"flux.Merge":             OnTwo("a", "b", func(a, b ints) ints { return flux.Merge[int](a, b) }),
	"flux.FirstWithSignal":   OnTwo("a", "b", func(a, b ints) ints { return flux.FirstWithSignal[int](a, b) }),
	"flux.MergeComparing":    OnTwo("a", "b", func(a, b ints) ints { return flux.MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{a, b}) }),
	"flux.Zip":               OnTwo("a", "b", func(a, b ints) ints { return flux.Zip(a, b, sum) }),
	"Flux.ZipWith":           OnTwo("f", "other", func(f, other ints) ints { return f.ZipWith(other, sum) }),
	"Mono.DefaultIfEmpty":    OnMono(func(m one) one { return m.DefaultIfEmpty(9) }),
	"Mono.ContextWriteValue": OnMono(func(m one) one { return m.ContextWriteValue("tenant", "acme") }),
	"Mono.DoOnTerminate":     OnMono(func(m one) one { return m.DoOnTerminate(func() {}) }),
	"Mono.DoAfterTerminate":  OnMono(func(m one) one { return m.DoAfterTerminate(func() {}) }),
	"Mono.DoOnError":         OnMono(func(m one) one { return m.DoOnError(func(error) {}) }),
	"Mono.HasElement":        OnMono(func(m one) mono.Mono[bool] { return m.HasElement() }),
	"Mono.DelayElement":      OnMono(func(m one) one { return m.DelayElement(4 * steps) }),
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
