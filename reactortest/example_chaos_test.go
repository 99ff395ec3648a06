package reactortest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// What holds over a scheduler that starts tasks late and in any order holds in production.
func ExampleNewChaosScheduler() {
	chaos := reactortest.NewChaosScheduler(t, reactortest.ChaosDelays(80, time.Millisecond))

	squares := flux.Range(1, 5).
		FlatMapSequential(func(n int) flux.Flux[int] {
			return flux.Just(n * n).SubscribeOn(chaos)
		}).
		PublishOn(chaos)
	for v, err := range squares.All(context.Background()) {
		fmt.Println(v, err)
	}
	// Output:
	// 1 <nil>
	// 4 <nil>
	// 9 <nil>
	// 16 <nil>
	// 25 <nil>
}

// On a virtual clock the same seed decides the same, to the nanosecond.
func ExampleChaosOver() {
	clock := reactortest.NewVirtualTime()
	chaos := reactortest.NewChaosScheduler(t, reactortest.ChaosOver(clock), reactortest.ChaosSeed(1), reactortest.ChaosDelays(100, time.Second))

	for i := range 3 {
		_ = chaos.Execute(func(context.Context) { fmt.Println("task", i) })
	}
	clock.AdvanceBy(time.Second)
	// Output:
	// task 1
	// task 2
	// task 0
}

// A pipeline that finds no worker fails with an error that says so.
func ExampleChaosRejections() {
	chaos := reactortest.NewChaosScheduler(t, reactortest.ChaosRejections(100))

	for _, err := range flux.Just(1).PublishOn(chaos).All(context.Background()) {
		fmt.Println(errors.Is(err, schedulers.ErrRejected), errors.Is(err, reactortest.ErrInjected))
	}
	// Output:
	// true true
}

// The second scheduler decides what the first one has decided.
func ExampleChaosSeed() {
	order := func(opts ...reactortest.ChaosOption) (list []int, seed uint64) {
		clock := reactortest.NewVirtualTime()
		chaos := reactortest.NewChaosScheduler(t, append(opts, reactortest.ChaosOver(clock))...)
		for i := range 10 {
			_ = chaos.Execute(func(context.Context) { list = append(list, i) })
		}
		clock.AdvanceBy(time.Second)
		return list, chaos.Seed()
	}
	first, seed := order()
	again, _ := order(reactortest.ChaosSeed(seed))
	fmt.Println(slices.Equal(first, again))
	// Output:
	// true
}

// Every tick is late, none is early and none gets lost.
func ExampleChaosDelays() {
	clock := reactortest.NewVirtualTime()
	chaos := reactortest.NewChaosScheduler(t, reactortest.ChaosOver(clock), reactortest.ChaosDelays(100, 10*time.Millisecond))
	ticks := flux.Interval(time.Second, flux.On(chaos)).Take(3).DoOnNext(func(int64) {
		late := clock.Now().Sub(clock.Now().Truncate(time.Second))
		fmt.Println(late > 0 && late <= 10*time.Millisecond)
	})
	sub := reactortest.Subscribe(t, ticks)
	clock.AdvanceBy(4 * time.Second)
	sub.ExpectNext(0, 1, 2)
	// Output:
	// true
	// true
	// true
}
