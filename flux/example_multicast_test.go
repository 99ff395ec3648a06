package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// numbers is a source that tells when it runs.
func numbers() flux.Flux[int] {
	return flux.Range(1, 3).DoFirst(func() { fmt.Println("subscribed") })
}

// listen prints what p sends, with a name in front.
func listen[T any](name string, p reactor.Publisher[T]) reactor.Disposable {
	return flux.From(p).SubscribeFunc(context.Background(),
		func(v T) { fmt.Println(name, v) },
		flux.OnError(func(err error) { fmt.Println(name, err) }),
		flux.OnComplete(func() { fmt.Println(name, "done") }))
}

func ExampleFlux_Publish() {
	shared := numbers().Publish()
	listen("a", shared)
	listen("b", shared)
	shared.Connect(context.Background())
	// Output:
	// subscribed
	// a 1
	// b 1
	// a 2
	// b 2
	// a 3
	// b 3
	// a done
	// b done
}

func ExampleConnectableFlux_Connect() {
	shared := flux.Never[int]().Publish()
	listen("a", shared)
	connection := shared.Connect(context.Background())
	connection.Dispose()
	// Output: a reactor: publish: cancelled: disconnected
}

func ExampleConnectableFlux_ConnectWith() {
	shared := flux.Range(1, 1000).Publish()
	var connection reactor.Disposable
	flux.From(shared).SubscribeFunc(context.Background(), func(v int) {
		if v == 3 {
			connection.Dispose() // from within Connect
		}
	}, flux.OnError(func(err error) { fmt.Println(err) }))
	shared.ConnectWith(context.Background(), func(d reactor.Disposable) { connection = d })
	// Output: reactor: publish: cancelled: disconnected
}

func ExampleConnectableFlux_AutoConnect() {
	shared := numbers().Publish().AutoConnect(2)
	listen("a", shared)
	fmt.Println("one subscriber is not enough")
	listen("b", shared.Take(1))
	// Output:
	// one subscriber is not enough
	// subscribed
	// a 1
	// b 1
	// b done
	// a 2
	// a 3
	// a done
}

func ExampleConnectableFlux_RefCount() {
	shared := flux.Never[int]().
		DoFirst(func() { fmt.Println("subscribed") }).
		DoOnCancel(func() { fmt.Println("cancelled") }).
		Publish().
		RefCount(2)
	a := listen("a", shared)
	b := listen("b", shared)
	a.Dispose()
	b.Dispose()
	// Output:
	// subscribed
	// cancelled
}

func ExampleGrace() {
	shared := flux.Never[int]().
		DoFirst(func() { fmt.Println("subscribed") }).
		Publish().
		RefCount(1, flux.Grace(time.Minute), flux.On(schedulers.Parallel()))
	listen("a", shared).Dispose()
	listen("b", shared).Dispose() // in time: the source still runs
	// Output: subscribed
}

func ExampleOnConnect() {
	var connection reactor.Disposable
	shared := flux.Never[int]().
		DoOnCancel(func() { fmt.Println("cancelled") }).
		Publish().
		AutoConnect(1, flux.OnConnect(func(d reactor.Disposable) { connection = d }))
	listen("a", shared).Dispose()
	fmt.Println("the source goes on")
	connection.Dispose()
	// Output:
	// the source goes on
	// cancelled
}

func ExampleFlux_PublishSelector() {
	sums, err := numbers().
		PublishSelector(func(shared flux.Flux[int]) flux.Flux[int] {
			return flux.Merge(shared.Map(func(v int) int { return 10 * v }), shared.Filter(func(v int) bool { return v > 1 }))
		}).
		Collect(context.Background())
	fmt.Println(sums, err)
	// Output:
	// subscribed
	// [10 20 2 30 3] <nil>
}

func ExampleFlux_Replay() {
	shared := numbers().Replay()
	shared.Connect(context.Background())
	listen("late", shared)
	// Output:
	// subscribed
	// late 1
	// late 2
	// late 3
	// late done
}

func ExampleHistory() {
	latest := numbers().Replay(flux.History(1))
	listen("a", latest)
	latest.Connect(context.Background())
	listen("late", latest)
	// Output:
	// subscribed
	// a 1
	// a 2
	// a 3
	// a done
	// late 3
	// late done
}

func ExampleFlux_Share() {
	shared := flux.Never[int]().
		DoFirst(func() { fmt.Println("subscribed") }).
		DoOnCancel(func() { fmt.Println("cancelled") }).
		Share()
	a, b := listen("a", shared), listen("b", shared)
	a.Dispose()
	b.Dispose()
	// Output:
	// subscribed
	// cancelled
}

func ExampleFlux_ShareNext() {
	first := numbers().ShareNext()
	listen("a", first)
	listen("b", first)
	// Output:
	// subscribed
	// a 1
	// a done
	// b 1
	// b done
}

func ExampleFlux_Cache() {
	cached := numbers().Cache()
	for range 2 {
		fmt.Println(cached.Collect(context.Background()))
	}
	// Output:
	// subscribed
	// [1 2 3] <nil>
	// [1 2 3] <nil>
}

func ExampleTTL() {
	clock := reactortest.NewVirtualTime()
	runs := 0
	cached := flux.Defer(func(context.Context) flux.Flux[int] { runs++; return flux.Just(runs) }).
		Cache(flux.TTL(time.Minute), flux.On(clock))
	fmt.Println(cached.Collect(context.Background()))
	clock.AdvanceBy(time.Minute)
	fmt.Println(cached.Collect(context.Background()))
	clock.AdvanceBy(time.Second)
	fmt.Println(cached.Collect(context.Background()))
	// Output:
	// [1] <nil>
	// [1] <nil>
	// [2] <nil>
}
