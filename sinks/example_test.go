package sinks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/sinks"
)

// listen prints what p sends, with a name in front.
func listen[T any](name string, p reactor.Publisher[T]) reactor.Disposable {
	return flux.From(p).SubscribeFunc(context.Background(),
		func(v T) { fmt.Println(name, v) },
		flux.OnError(func(err error) { fmt.Println(name, err) }),
		flux.OnComplete(func() { fmt.Println(name, "done") }))
}

// asking subscribes p without any demand; ask requests one element.
func asking[T any](name string, p reactor.Publisher[T]) (ask func()) {
	var up reactor.Subscription
	flux.From(p).SubscribeFunc(context.Background(),
		func(v T) { fmt.Println(name, v) },
		flux.OnSubscribe(func(s reactor.Subscription) { up = s }))
	return func() { up.Request(1) }
}

func Example() {
	clicks := sinks.Many().Multicast().DirectBestEffort[string]()
	flux.From(clicks).
		Filter(func(button string) bool { return button != "" }).
		Take(2).
		SubscribeFunc(context.Background(), func(button string) { fmt.Println("clicked", button) })

	for _, button := range []string{"left", "", "right", "left"} {
		fmt.Println(clicks.TryEmitNext(button))
	}
	// Output:
	// clicked left
	// OK
	// OK
	// clicked right
	// OK
	// FailZeroSubscriber
}

func ExampleEmpty() {
	started := sinks.Empty[struct{}]()
	listen("a", started)
	started.TryEmitEmpty()
	listen("late", started)
	// Output:
	// a done
	// late done
}

func ExampleOne() {
	answer := sinks.One[int]()
	go answer.TryEmitValue(42)
	fmt.Println(mono.FromDirect(answer).Block(context.Background()))
	fmt.Println(mono.FromDirect(answer).Block(context.Background()))
	// Output:
	// 42 <nil>
	// 42 <nil>
}

func ExampleMany() {
	all := sinks.Many().Replay().All[int]()
	listen("a", all)
	all.TryEmitNext(1)
	listen("late", all)
	all.TryEmitNext(2)
	all.TryEmitError(errors.New("disk full"))
	// Output:
	// a 1
	// late 1
	// a 2
	// late 2
	// a disk full
	// late disk full
}

func ExampleUnicastSpec_OnBackpressureBuffer() {
	queue := sinks.Many().Unicast().OnBackpressureBuffer[int]()
	queue.TryEmitNext(1)
	queue.TryEmitNext(2)
	queue.TryEmitComplete()
	listen("a", queue)
	listen("b", queue)
	// Output:
	// a 1
	// a 2
	// a done
	// b reactor: unicast sink: illegal state: only one subscriber is allowed, this is another one
}

func ExampleUnicastSpec_OnBackpressureError() {
	sink := sinks.Many().Unicast().OnBackpressureError[int]()
	fmt.Println(sink.TryEmitNext(1))
	ask := asking("a", sink)
	fmt.Println(sink.TryEmitNext(2))
	ask()
	fmt.Println(sink.TryEmitNext(3))
	// Output:
	// FailZeroSubscriber
	// FailOverflow
	// a 3
	// OK
}

func ExampleMulticastSpec_OnBackpressureBuffer() {
	sink := sinks.Many().Multicast().OnBackpressureBuffer[int]()
	sink.TryEmitNext(1) // waits for the first subscriber
	listen("a", sink)
	ask := asking("slow", sink)
	sink.TryEmitNext(2)
	fmt.Println("slow has not asked yet")
	ask()
	// Output:
	// a 1
	// slow has not asked yet
	// a 2
	// slow 2
}

func ExampleMulticastSpec_DirectAllOrNothing() {
	sink := sinks.Many().Multicast().DirectAllOrNothing[int]()
	listen("a", sink)
	ask := asking("slow", sink)
	fmt.Println(sink.TryEmitNext(1))
	ask()
	fmt.Println(sink.TryEmitNext(2))
	// Output:
	// FailOverflow
	// a 2
	// slow 2
	// OK
}

func ExampleMulticastSpec_DirectBestEffort() {
	sink := sinks.Many().Multicast().DirectBestEffort[int]()
	listen("a", sink)
	ask := asking("slow", sink)
	fmt.Println(sink.TryEmitNext(1))
	ask()
	fmt.Println(sink.TryEmitNext(2))
	// Output:
	// a 1
	// OK
	// a 2
	// slow 2
	// OK
}

func ExampleReplaySpec_All() {
	all := sinks.Many().Replay().All[int]()
	all.TryEmitNext(1)
	all.TryEmitNext(2)
	all.TryEmitComplete()
	listen("late", all)
	// Output:
	// late 1
	// late 2
	// late done
}

func ExampleReplaySpec_Latest() {
	latest := sinks.Many().Replay().Latest[int]()
	latest.TryEmitNext(1)
	latest.TryEmitNext(2)
	listen("late", latest)
	// Output: late 2
}

func ExampleReplaySpec_LatestOrDefault() {
	state := sinks.Many().Replay().LatestOrDefault("starting")
	listen("a", state)
	state.TryEmitNext("ready")
	listen("b", state)
	// Output:
	// a starting
	// a ready
	// b ready
}

func ExampleReplaySpec_Limit() {
	recent := sinks.Many().Replay().Limit[int](sinks.History(2))
	for v := range 5 {
		recent.TryEmitNext(v)
	}
	listen("late", recent)
	// Output:
	// late 3
	// late 4
}

func ExampleUnsafe() {
	sink := sinks.Unsafe().Many().Unicast().OnBackpressureBuffer[int]()
	// The signals of a stream come one at a time, so nobody needs to look after that.
	flux.Range(1, 3).SubscribeFunc(context.Background(),
		func(v int) { sink.TryEmitNext(v) },
		flux.OnComplete(func() { sink.TryEmitComplete() }))
	fmt.Println(flux.From(sink).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleUpstreamSink_SubscribeTo() {
	sink := sinks.Unsafe().ManyWithUpstream[int]()
	listen("a", sink)
	listen("b", sink)
	_, err := sink.SubscribeTo(context.Background(), flux.Range(1, 2))
	fmt.Println(err)
	// Output:
	// a 1
	// b 1
	// a 2
	// b 2
	// a done
	// b done
	// <nil>
}

func ExampleManySink_EmitNext() {
	sink := sinks.Many().Unicast().OnBackpressureBuffer[int]()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for v := range 100 {
				// Four goroutines get in each other's way; each tries again.
				if err := sink.EmitNext(v, sinks.BusyLooping(time.Minute)); err != nil {
					fmt.Println(err)
				}
			}
		})
	}
	wg.Wait()
	sink.TryEmitComplete()
	fmt.Println(flux.From(sink).Count().Block(context.Background()))
	// Output: 400 <nil>
}

// Several goroutines emit as they would send on a channel: each waits for its turn, and for
// room, of which there is little.
func ExampleManySink_EmitNextWait() {
	sink := sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.Capacity(2))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var emitters sync.WaitGroup
	for range 4 {
		emitters.Go(func() {
			for v := range 100 {
				if err := sink.EmitNextWait(ctx, v); err != nil {
					fmt.Println(err)
				}
			}
		})
	}
	go func() {
		emitters.Wait()
		sink.TryEmitComplete()
	}()
	fmt.Println(flux.From(sink).LimitRate(1).Count().Block(ctx))
	// Output: 400 <nil>
}

func ExampleEmitResult_Err() {
	sink := sinks.One[int]()
	sink.TryEmitValue(1)
	err := sink.TryEmitValue(2).Err()
	var emission *sinks.EmissionError
	if errors.As(err, &emission) {
		fmt.Println(emission.Result, errors.Is(err, reactor.ErrIllegalState))
	}
	// Output: FailTerminated true
}

func ExampleFailFast() {
	sink := sinks.Many().Multicast().DirectBestEffort[int]()
	fmt.Println(sink.EmitNext(1, sinks.FailFast))
	// Output: reactor: sink: nobody has subscribed
}

func ExampleBusyLooping() {
	sink := sinks.One[int]()
	fmt.Println(sink.EmitValue(1, sinks.BusyLooping(100*time.Millisecond)))
	// Output: <nil>
}

func ExampleCapacity() {
	sink := sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.Capacity(1))
	ask := asking("a", sink)
	fmt.Println(sink.TryEmitNext(1), sink.TryEmitNext(2))
	ask()
	// Output:
	// OK FailOverflow
	// a 1
}

func ExampleOnEnd() {
	sink := sinks.Many().Unicast().OnBackpressureBuffer[int](sinks.OnEnd(func() { fmt.Println("closing the file") }))
	listen("a", sink).Dispose()
	fmt.Println(sink.TryEmitNext(1))
	// Output:
	// closing the file
	// FailCancelled
}

func ExampleAutoCancel() {
	sink := sinks.Many().Multicast().OnBackpressureBuffer[int](sinks.AutoCancel(false))
	listen("a", sink).Dispose()
	sink.TryEmitNext(1)
	listen("b", sink)
	// Output: b 1
}

func ExampleHistory() {
	sink := sinks.Many().Replay().Limit[string](sinks.History(1))
	sink.TryEmitNext("old")
	sink.TryEmitNext("new")
	listen("late", sink)
	// Output: late new
}

func ExampleTTL() {
	clock := reactortest.NewVirtualTime()
	sink := sinks.Many().Replay().Limit[string](sinks.TTL(time.Minute), sinks.On(clock))
	sink.TryEmitNext("old")
	clock.AdvanceBy(45 * time.Second)
	sink.TryEmitNext("new")
	clock.AdvanceBy(30 * time.Second)
	listen("late", sink)
	// Output: late new
}

func ExampleOn() {
	clock := reactortest.NewVirtualTime()
	sink := sinks.Many().Replay().Limit[int](sinks.TTL(time.Second), sinks.On(clock))
	sink.TryEmitNext(1)
	clock.AdvanceBy(time.Hour) // nobody waits
	listen("late", sink)
	sink.TryEmitNext(2)
	// Output: late 2
}
