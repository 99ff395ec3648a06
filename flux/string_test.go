package flux_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

type named struct{ src reactor.Publisher[int] }

func (n named) Subscribe(ctx context.Context, s reactor.Subscriber[int]) { n.src.Subscribe(ctx, s) }

func TestStringNamesTheOperators(t *testing.T) {
	one, even := flux.Range(0, 3), func(n int) bool { return n%2 == 0 }
	for _, c := range []struct {
		f    fmt.Stringer
		want string
	}{
		{flux.Flux[int]{}, "Flux: empty"},
		{one.Hide().SkipUntil(even).SkipWhile(even).TakeUntil(even).TakeWhile(even), "Flux: range → hide → skipUntil → skipWhile → takeUntil → takeWhile"},
		{one.Scan(func(a, b int) int { return a + b }).DistinctUntilChanged(func(n int) int { return n }), "Flux: range → scan → distinctUntilChanged"},
		{flux.Just(1).Map(func(n int) int { return n }).CollectSlice(), "Mono: just → map → collectSlice"},
		{flux.From(mono.Just(1).TryMap(func(n int) (int, error) { return n, nil })).HasElements(), "Mono: just → tryMap → hasElements"},
		{one, "Flux: range"},
		{one.Filter(even).Map(func(n int) string { return fmt.Sprint(n) }).PublishOn(schedulers.Parallel()), "Flux: range → filter → map → publishOn"},
		{one.FlatMap(func(n int) flux.Flux[int] { return one }).Timeout(time.Second).RetryWhen(flux.RetryMax(1)), "Flux: range → flatMap → timeout → retryWhen"},
		{one.DoOnCancel(func() {}).DoOnError(func(error) {}).DoOnTerminate(func() {}).DoOnRequest(func(int64) {}), "Flux: range → doOnCancel → doOnError → doOnTerminate → doOnRequest"},
		{one.DoOnComplete(func() {}).DoOnSubscribe(func(reactor.Subscription) {}).DoFinally(func(reactor.SignalKind) {}).DoAfterTerminate(func() {}), "Flux: range → doOnComplete → doOnSubscribe → doFinally → doAfterTerminate"},
		{flux.Merge(one.Take(2), one.Skip(1)).OnBackpressureDrop(), "Flux: merge(range → take, range → skip) → onBackpressureDrop"},
		{one.Map(func(n int) int { return n }).Publish(), "ConnectableFlux: range → map → publish"},
		{one.Parallel(2).RunOn(schedulers.Parallel()).Map(func(n int) int { return n }), "ParallelFlux: range → parallel → runOn → rails"},
		{one.Parallel(2).RunOn(schedulers.Parallel()).Sequential(), "Flux: range → parallel → runOn → sequential"},
		{flux.ParallelFrom[int](one, flux.Just(1)), "ParallelFlux: parallelFrom(range, just)"},
		{flux.Concat(one, flux.Just(1)), "Flux: concat(range, just)"},
		{flux.Interval(time.Second).BufferTimeout(3, time.Second), "Flux: interval → bufferTimeout"},
		{one.Name("orders").GroupBy(even), "Flux: range → name → groupBy"},
		{one.Replay().AutoConnect(1), "Flux: range → replay → autoConnect"},
		{flux.Defer(func(context.Context) flux.Flux[int] { return one }), "Flux: defer"},
		{flux.From(named{one}).Take(1), "Flux: flux_test.named → take"},
		{flux.From(one.Count()), "Flux: range → count"},
		{flux.From(sinks.Many().Unicast().OnBackpressureBuffer[int]()).Filter(even), "Flux: sinks.unicastBuffer → filter"},
		{mono.FromFunc(func(context.Context) (int, error) { return 1, nil }).Retry(mono.Times(2)), "Mono: fromFunc → retry"},
		{one.Next().Cache(), "Mono: range → next → cache"},
		{mono.Just(1).DoOnSuccess(func(int, bool) {}).DelayElement(time.Second), "Mono: just → doOnSuccess → delayElement"},
	} {
		assert.Equal(t, c.want, c.f.String())
		assert.Equal(t, c.want, fmt.Sprint(c.f), "by fmt")
	}
}

func TestStringOfALongChain(t *testing.T) {
	f := flux.Range(0, 3)
	for range 1000 {
		f = f.Map(func(n int) int { return n })
	}
	text := f.String()
	assert.Equal(t, 64, strings.Count(text, "map"))
	assert.True(t, strings.HasPrefix(text, "Flux: … → map"), text)
}

func ExampleFlux_String() {
	orders := flux.FromSlice([]int{12, 7, 31}).
		Filter(func(cents int) bool { return cents > 10 }).
		PublishOn(schedulers.BoundedElastic())
	fmt.Println(orders)
	// Output: Flux: fromSlice → filter → publishOn
}
