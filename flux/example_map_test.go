package flux_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleFlux_Map() {
	f := flux.Range(1, 3).Map(func(n int) string { return fmt.Sprint("#", n) })
	fmt.Println(f.Collect(context.Background()))
	// Output: [#1 #2 #3] <nil>
}

// A call that waits, such as one of a database, gets the context of the subscription: the
// deadline of the reader is the deadline of the call.
func ExampleFlux_TryMapContext() {
	load := func(ctx context.Context, id int) (string, error) {
		if _, limited := ctx.Deadline(); !limited {
			return "", errors.New("no deadline")
		}
		return fmt.Sprint("user ", id), ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(flux.Range(1, 3).
		PublishOn(schedulers.BoundedElastic()).
		TryMapContext(load).
		Collect(ctx))
	// Output: [user 1 user 2 user 3] <nil>
}

func ExampleFlux_TryMap() {
	fmt.Println(flux.Just("1", "2", "x", "4").TryMap(strconv.Atoi).Collect(context.Background()))
	// Output: [] strconv.Atoi: parsing "x": invalid syntax
}

func ExampleFlux_FlatMap() {
	pair := func(n int) flux.Flux[int] { return flux.Just(n, 10*n) }
	fmt.Println(flux.Range(1, 3).FlatMap(pair).Collect(context.Background()))
	// Output: [1 10 2 20 3 30] <nil>
}

// One request at a time: the second one begins when the first has its answer.
func ExampleConcurrency() {
	fetch := func(ms int) mono.Mono[int] { return mono.Just(ms).DelayElement(time.Duration(ms) * time.Millisecond) }
	f := flux.Just(20, 1).FlatMap(fetch, flux.Concurrency(1))
	fmt.Println(f.Collect(context.Background()))
	// Output: [20 1] <nil>
}

func ExampleDelayErrors() {
	fetch := func(n int) mono.Mono[int] {
		if n == 2 {
			return mono.Error[int](errors.New("no number 2"))
		}
		return mono.Just(n)
	}
	show := func(n int) { fmt.Println(n) }
	fmt.Println(flux.Range(1, 3).FlatMap(fetch).ForEach(context.Background(), show))
	fmt.Println(flux.Range(1, 3).FlatMap(fetch, flux.DelayErrors()).ForEach(context.Background(), show))
	// Output:
	// 1
	// no number 2
	// 1
	// 3
	// no number 2
}

// PublishOn asks its source for four elements at first, then for three whenever
// it has passed on three.
func ExamplePrefetch() {
	f := flux.Range(1, 9).
		DoOnRequest(func(n int64) { fmt.Println("requested", n) }).
		PublishOn(schedulers.Single(), flux.Prefetch(4))
	fmt.Println(f.Count().Block(context.Background()))
	// Output:
	// requested 4
	// requested 3
	// requested 3
	// requested 3
	// 9 <nil>
}

func ExampleMerge() {
	fmt.Println(flux.Merge[int](flux.Just(1, 2), mono.Just(3)).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleMergeDelayError() {
	f := flux.MergeDelayError[int](flux.Just(1), flux.Error[int](errors.New("broken")), flux.Just(2))
	fmt.Println(f.ForEach(context.Background(), func(n int) { fmt.Println(n) }))
	// Output:
	// 1
	// 2
	// broken
}

func ExampleMergeSlice() {
	var shards []reactor.Publisher[string]
	for _, name := range []string{"a", "b", "c"} {
		shards = append(shards, flux.Just(name+"1", name+"2"))
	}
	fmt.Println(flux.MergeSlice(shards).Collect(context.Background()))
	// Output: [a1 a2 b1 b2 c1 c2] <nil>
}

func ExampleMergeAll() {
	sources := flux.Just(flux.Just(1, 2), flux.Just(3))
	fmt.Println(flux.MergeAll[int](sources).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_MergeWith() {
	fmt.Println(flux.Just(1, 2).MergeWith(flux.Just(3)).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

// The error overtakes what the subscriber has not asked for yet; by default it
// comes after everything else.
func ExampleEagerErrors() {
	broken := flux.Concat(flux.Just(1, 2), flux.Error[int](errors.New("broken")))
	ask(1, broken.PublishOn(schedulers.Immediate(), flux.EagerErrors()))
	ask(1, broken.PublishOn(schedulers.Immediate()))
	// Output:
	// 1 broken
	// 1
}

// A source that emits by itself, such as a listener, and only wants to know of the
// demand, need not hear of it on the worker.
func ExampleRequestInPlace() {
	f := flux.Just(1, 2).SubscribeOn(schedulers.BoundedElastic(), flux.RequestInPlace())
	fmt.Println(f.Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleOn() {
	timers := schedulers.NewSingle("timers")
	defer timers.Dispose()
	f := flux.Just("late").DelaySequence(time.Millisecond, flux.On(timers))
	fmt.Println(f.Collect(context.Background()))
	// Output: [late] <nil>
}
