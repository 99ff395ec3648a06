package benchmarks

import (
	"context"
	"fmt"
	"runtime"

	reactorgo "github.com/jjeffcaii/reactor-go"
	rgflux "github.com/jjeffcaii/reactor-go/flux"
	"github.com/reactivex/rxgo/v2"
	"github.com/samber/ro"

	"github.com/goreactor/reactor/flux"
)

// M1: what a subscription holds that waits, heap and stacks, for a source that says
// nothing, map, filter and map.

// idle makes many subscriptions and returns the bytes that each of them holds. What
// subscribe returns ends it.
func idle(many int, subscribe func() (end func())) (float64, error) {
	ends := make([]func(), many)
	settle := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc + m.StackInuse)
	}
	before := settle()
	for i := range ends {
		ends[i] = subscribe()
	}
	held := settle() - before
	for _, end := range ends {
		end()
	}
	if held <= 0 {
		return 0, fmt.Errorf("%d subscriptions hold %v bytes", many, held)
	}
	return held / float64(many), nil
}

func idleLibrary() (float64, error) {
	f := flux.Never[int]().Map(plusOne).Filter(even).Map(double)
	return idle(10_000, func() func() { return f.SubscribeFunc(context.Background(), func(int) {}).Dispose })
}

func idleChannels() (float64, error) {
	return idle(1_000, func() func() {
		source := make(chan int, chanRoom)
		sink := chanMap(chanFilter(chanMap(source, plusOne), even), double)
		go chanSum(sink)
		return func() { close(source) }
	})
}

func idleRo() (float64, error) {
	return idle(1_000, func() func() {
		subject := ro.NewPublishSubject[int]()
		return ro.Pipe3(subject, ro.Map(plusOne), ro.Filter(even), ro.Map(double)).
			Subscribe(ro.NewObserver(func(int) {}, func(error) {}, func() {})).Unsubscribe
	})
}

func idleRxGo() (float64, error) {
	return idle(1_000, func() func() {
		items := make(chan rxgo.Item)
		apply := func(_ context.Context, v any) (any, error) { return v, nil }
		out := rxgo.FromChannel(items).Map(apply).Filter(func(any) bool { return true }).Map(apply).Observe()
		go func() {
			for range out {
			}
		}()
		return func() { close(items) }
	})
}

func idleReactorGo() (float64, error) {
	apply := func(v reactorgo.Any) (reactorgo.Any, error) { return v, nil }
	return idle(1_000, func() func() {
		var sink rgflux.Sink
		rgflux.Create(func(_ context.Context, s rgflux.Sink) { sink = s }).
			Map(apply).Filter(func(reactorgo.Any) bool { return true }).Map(apply).
			Subscribe(context.Background(), reactorgo.OnNext(func(reactorgo.Any) error { return nil }))
		return sink.Complete
	})
}
