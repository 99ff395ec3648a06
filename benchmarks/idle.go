package benchmarks

import (
	"context"
	"fmt"
	"runtime"

	reactorgo "github.com/jjeffcaii/reactor-go"
	rgflux "github.com/jjeffcaii/reactor-go/flux"
	"github.com/reactivex/rxgo/v2"
	"github.com/samber/ro"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// M1: what a subscription holds that waits, for a source that says nothing, map, filter and
// map.

// idle is a way to subscribe, and how many subscriptions are made. What subscribe returns is what
// a user keeps, and end takes: a pointer, so that nothing is counted that this program makes.
type idle struct {
	many      int
	subscribe func() (kept any)
	end       func(kept any)
}

// held makes the subscriptions and returns how much of something there is for each of them.
func (i idle) held(count func() float64) float64 {
	kept := make([]any, i.many)
	before := count()
	for at := range kept {
		kept[at] = i.subscribe()
	}
	held := count() - before
	for _, k := range kept {
		i.end(k)
	}
	return held / float64(i.many)
}

// bytes is the heap and the stacks.
func (i idle) bytes() (float64, error) {
	held := i.held(func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc + m.StackInuse)
	})
	if held <= 0 {
		return 0, fmt.Errorf("%d subscriptions hold %v bytes each", i.many, held)
	}
	return held, nil
}

// goroutines are counted: those of runs before may end meanwhile.
func (i idle) goroutines() (float64, error) {
	return max(0, i.held(func() float64 { return float64(runtime.NumGoroutine()) })), nil
}

// idleStage is one object with all that there is to do.
type idleStage struct {
	first, last func(int) int
	keep        func(int) bool
	to          func(int)
}

var idleHand = idle{10_000, func() any {
	return &idleStage{plusOne, double, even, func(int) {}}
}, func(s any) { s.(*idleStage).to = nil }}

func closeSource(source any) { close(source.(chan int)) }

var idleGoroutine = idle{1_000, func() any {
	source := make(chan int)
	go func() {
		sum := 0
		for v := range source {
			if v = plusOne(v); even(v) {
				sum += double(v)
			}
		}
	}()
	return source
}, closeSource}

func idleChain() flux.Flux[int] { return flux.Never[int]().Map(plusOne).Filter(even).Map(double) }

var idleLibrary = func() idle {
	f := idleChain()
	return idle{10_000, func() any {
		return f.SubscribeFunc(context.Background(), func(int) {})
	}, func(s any) { s.(reactor.Disposable).Dispose() }}
}()

// libIdle has n subscriptions.
func libIdle() Life {
	type chain struct {
		f flux.Flux[int]
		n int
	}
	return of(func(n int) chain { return chain{idleChain(), n} }, func(c chain) int {
		ends := make([]reactor.Disposable, c.n)
		for i := range ends {
			ends[i] = c.f.SubscribeFunc(context.Background(), func(int) {})
		}
		for _, end := range ends {
			end.Dispose()
		}
		return c.n
	})
}

var idleChannels = idle{1_000, func() any {
	source := make(chan int, chanRoom)
	sink := chanMap(chanFilter(chanMap(source, plusOne), even), double)
	go chanSum(sink)
	return source
}, closeSource}

var idleRo = idle{1_000, func() any {
	subject := ro.NewPublishSubject[int]()
	return ro.Pipe3(subject, ro.Map(plusOne), ro.Filter(even), ro.Map(double)).
		Subscribe(ro.NewObserver(func(int) {}, func(error) {}, func() {}))
}, func(s any) { s.(ro.Subscription).Unsubscribe() }}

var idleRxGo = idle{1_000, func() any {
	items := make(chan rxgo.Item)
	apply := func(_ context.Context, v any) (any, error) { return v, nil }
	out := rxgo.FromChannel(items).Map(apply).Filter(func(any) bool { return true }).Map(apply).Observe()
	go func() {
		for range out {
		}
	}()
	return items
}, func(items any) { close(items.(chan rxgo.Item)) }}

var idleReactorGo = func() idle {
	apply := func(v reactorgo.Any) (reactorgo.Any, error) { return v, nil }
	return idle{1_000, func() any {
		var sink rgflux.Sink
		rgflux.Create(func(_ context.Context, s rgflux.Sink) { sink = s }).
			Map(apply).Filter(func(reactorgo.Any) bool { return true }).Map(apply).
			Subscribe(context.Background(), reactorgo.OnNext(func(reactorgo.Any) error { return nil }))
		return sink
	}, func(s any) { s.(rgflux.Sink).Complete() }}
}()
