package flux_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

func ExampleFlux_Timeout() {
	_, err := flux.Never[int]().Timeout(time.Millisecond).Collect(context.Background())
	fmt.Println(errors.Is(err, reactor.ErrTimeout))
	// Output: true
}

func ExampleFlux_TimeoutFallback() {
	fmt.Println(flux.Never[int]().TimeoutFallback(time.Millisecond, flux.Range(1, 3)).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_TimeoutFirst() {
	_, err := flux.Never[int]().TimeoutFirst(mono.Just("now")).Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: timeout: no signal before the trigger
}

func ExampleFlux_TimeoutWhen() {
	patience := func(v int) mono.Mono[int64] { return mono.Delay(time.Duration(v) * time.Millisecond) }
	_, err := flux.Just(1, 2).ConcatWith(flux.Never[int]()).
		TimeoutWhen(mono.Delay(time.Minute), patience).
		Collect(context.Background())
	fmt.Println(errors.Is(err, reactor.ErrTimeout))
	// Output: true
}

func ExampleFlux_TimeoutWhenFallback() {
	patience := func(int) mono.Mono[int64] { return mono.Delay(time.Millisecond) }
	fmt.Println(flux.Just(1).ConcatWith(flux.Never[int]()).
		TimeoutWhenFallback(mono.Delay(time.Minute), patience, flux.Just(2, 3)).
		Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_DelayElements() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 2).
		DelayElements(time.Second, flux.On(clock)).
		DoOnNext(func(v int) { fmt.Println(clock.Now().Unix(), v) }).
		DoOnComplete(func() { fmt.Println("end") }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 1 1
	// 2 2
	// end
}

func ExampleFlux_DelayUntil() {
	saved := func(v int) mono.Mono[string] { return mono.Just(fmt.Sprint("row ", v)) }
	fmt.Println(flux.Range(1, 3).DelayUntil(saved).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_DelaySequence() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 2).
		DelaySequence(time.Second, flux.On(clock)).
		DoOnNext(func(v int) { fmt.Println(clock.Now().Unix(), v) }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 1 1
	// 1 2
}

// Two calls per second, and a pause of the source that is not made up for.
func ExampleFlux_Throttle() {
	clock := reactortest.NewVirtualTime()
	late := flux.Range(4, 3).DelaySubscriptionFor(5*time.Second, flux.On(clock))
	flux.Concat(flux.Range(1, 3), late).
		Throttle(2, time.Second, flux.On(clock)).
		DoOnNext(func(v int) { fmt.Println(clock.Now().UnixMilli(), v) }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 0 1
	// 500 2
	// 1000 3
	// 5000 4
	// 5500 5
	// 6000 6
}

// As many as four at once after a pause, such as an API allows that counts per minute.
func ExampleBurst() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 6).
		Throttle(2, time.Second, flux.Burst(4), flux.On(clock)).
		DoOnNext(func(v int) { fmt.Println(clock.Now().UnixMilli(), v) }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 0 1
	// 0 2
	// 0 3
	// 0 4
	// 500 5
	// 1000 6
}

func ExampleFlux_DelaySubscription() {
	fmt.Println(flux.Range(1, 3).DelaySubscription(mono.Just("ready")).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_DelaySubscriptionFor() {
	fmt.Println(flux.Range(1, 3).DelaySubscriptionFor(time.Millisecond).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_Sample() {
	fmt.Println(flux.Range(1, 5).Sample(flux.Never[int]()).Collect(context.Background()))
	// Output: [5] <nil>
}

func ExampleFlux_SampleEvery() {
	fmt.Println(flux.Range(1, 5).SampleEvery(time.Minute).Collect(context.Background())) // what is left at the end is a sample, too
	// Output: [5] <nil>
}

func ExampleFlux_SampleFirst() {
	fmt.Println(flux.Range(1, 5).SampleFirst(func(int) mono.Mono[int] { return mono.Never[int]() }).Collect(context.Background()))
	// Output: [1] <nil>
}

func ExampleFlux_SampleFirstFor() {
	fmt.Println(flux.Range(1, 5).SampleFirstFor(time.Minute).Collect(context.Background()))
	// Output: [1] <nil>
}

func ExampleFlux_SampleTimeout() {
	fmt.Println(flux.Range(1, 5).SampleTimeout(func(int) mono.Mono[int64] { return mono.Delay(time.Minute) }).Collect(context.Background()))
	// Output: [5] <nil>
}

func ExampleFlux_SampleTimeoutFor() {
	fmt.Println(flux.Range(1, 5).SampleTimeoutFor(time.Minute).Collect(context.Background()))
	// Output: [5] <nil>
}

func ExampleFlux_Elapsed() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 2).
		DelayElements(time.Second, flux.On(clock)).
		Elapsed(func(d time.Duration, v int) string { return fmt.Sprint(v, " after ", d) }, flux.On(clock)).
		DoOnNext(func(s string) { fmt.Println(s) }).
		Subscribe(context.Background(), askForAll[string]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 1 after 1s
	// 2 after 1s
}

func ExampleFlux_Timestamp() {
	clock := reactortest.NewVirtualTime()
	fmt.Println(flux.Just("a", "b").
		Timestamp(func(t time.Time, v string) string { return fmt.Sprint(v, " at ", t.Unix()) }, flux.On(clock)).
		Collect(context.Background()))
	// Output: [a at 0 b at 0] <nil>
}

func ExampleFlux_Timed() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 2).
		DelayElements(time.Second, flux.On(clock)).
		Timed(flux.On(clock)).
		DoOnNext(func(t reactor.Timed[int]) { fmt.Println(t.Value, t.Elapsed, t.Total) }).
		Subscribe(context.Background(), askForAll[reactor.Timed[int]]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 1 1s 1s
	// 2 1s 2s
}

func ExampleFlux_TakeFor() {
	clock := reactortest.NewVirtualTime()
	flux.Range(1, 9).
		DelayElements(time.Second, flux.On(clock)).
		TakeFor(2500*time.Millisecond, flux.On(clock)).
		DoOnNext(func(v int) { fmt.Println(clock.Now().Unix(), v) }).
		DoOnComplete(func() { fmt.Println("end") }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 1 1
	// 2 2
	// end
}

func ExampleFlux_TakeUntilOther() {
	fmt.Println(flux.Never[int]().TakeUntilOther(mono.Just("stop")).Collect(context.Background()))
	// Output: [] <nil>
}

func ExampleFlux_SkipFor() {
	fmt.Println(flux.Range(1, 3).SkipFor(time.Minute).Collect(context.Background()))
	// Output: [] <nil>
}

func ExampleFlux_SkipUntilOther() {
	fmt.Println(flux.Range(1, 3).SkipUntilOther(mono.Just("go")).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

// askForAll asks for everything and does nothing with it.
type askForAll[T any] struct{}

func (askForAll[T]) OnSubscribe(s reactor.Subscription) { s.Request(reactor.Unbounded) }
func (askForAll[T]) OnNext(T)                           {}
func (askForAll[T]) OnError(error)                      {}
func (askForAll[T]) OnComplete()                        {}
