package flux_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

var errLate = errors.New("late")

// pages returns the two pages of a book.
func pages(book int) flux.Flux[string] {
	return flux.Just(fmt.Sprintf("book %d, page 1", book), fmt.Sprintf("book %d, page 2", book))
}

func ExampleFlux_ConcatMap() {
	all, err := flux.Range(1, 2).ConcatMap(pages).Collect(context.Background())
	fmt.Printf("%q %v\n", all, err)
	// Output: ["book 1, page 1" "book 1, page 2" "book 2, page 1" "book 2, page 2"] <nil>
}

func ExampleFlux_ConcatMap_delayErrors() {
	all, err := flux.Range(1, 3).
		ConcatMap(func(n int) flux.Flux[int] {
			if n == 2 {
				return flux.Error[int](errLate)
			}
			return flux.Range(10*n, 2)
		}, flux.DelayErrors()).
		OnErrorReturn(-1).
		Collect(context.Background())
	fmt.Println(all, err)
	// Output: [10 11 30 31 -1] <nil>
}

func ExampleDelayErrorsToBoundary() {
	err := flux.ConcatDelayError[int](flux.Range(1, 2), flux.Error[int](errLate)).
		ConcatMap(func(n int) flux.Flux[int] { return flux.Range(10*n, 2) }, flux.DelayErrorsToBoundary()).
		ForEach(context.Background(), func(v int) { fmt.Print(v, " ") })
	fmt.Println(err)
	// Output: 10 11 20 21 late
}

func ExampleParallelFlux_ConcatMap() {
	fmt.Println(flux.Range(1, 4).
		Parallel(2).
		ConcatMap(func(n int) flux.Flux[int] { return flux.Range(10*n, 2) }, operators.Prefetch(1)).
		Ordered(cmp.Compare[int]).
		Collect(context.Background()))
	// Output: [10 11 20 21 30 31 40 41] <nil>
}

func ExampleFlux_SwitchMap() {
	words := flux.Just("r", "re", "rea") // what somebody types
	found, err := words.
		SwitchMap(func(word string) flux.Flux[string] {
			search := flux.Just("results for " + word)
			if word != "rea" {
				return search.DelaySequence(time.Hour) // too slow: the next letter cancels it
			}
			return search
		}).
		Collect(context.Background())
	fmt.Printf("%q %v\n", found, err)
	// Output: ["results for rea"] <nil>
}

func ExampleFlux_ExhaustMap() {
	clock := reactortest.NewVirtualTime()
	clicks := flux.Interval(10*time.Millisecond, flux.On(clock)).Take(5) // on a button that saves
	saved := clicks.ExhaustMap(func(click int64) mono.Mono[string] {
		return mono.Just(fmt.Sprint("saved by click ", click)).DelayElement(25*time.Millisecond, mono.On(clock))
	})
	saved.SubscribeFunc(context.Background(), func(s string) { fmt.Println(s) })
	clock.AdvanceBy(time.Second)
	// Output:
	// saved by click 0
	// saved by click 3
}

func ExampleSwitchOnNext() {
	channels := flux.Just(flux.Never[int](), flux.Range(1, 3))
	fmt.Println(flux.SwitchOnNext(channels).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_FlatMapSequential() {
	wait := []time.Duration{time.Millisecond, 0} // the first one takes longer
	fmt.Println(flux.Range(0, 2).
		FlatMapSequential(func(n int) flux.Flux[int] { return flux.Range(10*n, 2).DelaySequence(wait[n]) }).
		Collect(context.Background()))
	// Output: [0 1 10 11] <nil>
}

func ExampleMergeSequential() {
	slow := flux.Range(1, 2).DelaySequence(time.Millisecond)
	fast := flux.Range(10, 2)
	fmt.Println(flux.MergeSequential([]reactor.Publisher[int]{slow, fast}).Collect(context.Background()))
	// Output: [1 2 10 11] <nil>
}

func ExampleMergeSequentialAll() {
	both := flux.Just(flux.Range(1, 2), flux.Range(10, 2))
	fmt.Println(flux.MergeSequentialAll(both, flux.Concurrency(4)).Collect(context.Background()))
	// Output: [1 2 10 11] <nil>
}

func ExampleMergeComparing() {
	a := flux.Just(1, 4, 6)
	b := flux.Just(2, 3, 7)
	fmt.Println(flux.MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{a, b}).Collect(context.Background()))
	// Output: [1 2 3 4 6 7] <nil>
}

func ExampleFlux_MergeComparingWith() {
	fmt.Println(flux.Just(1, 4).MergeComparingWith(flux.Just(2, 5), cmp.Compare[int]).Collect(context.Background()))
	// Output: [1 2 4 5] <nil>
}

func ExampleMergePriority() {
	clock := reactortest.NewVirtualTime()
	urgent, rest := flux.Just(1, 2), flux.Just(8, 9)
	work := func(v int) flux.Flux[int] { return flux.Just(v).DelaySequence(time.Second, flux.On(clock)) }
	flux.MergePriority(cmp.Compare[int], []reactor.Publisher[int]{rest, urgent}).
		ConcatMap(work, flux.Prefetch(0)). // one after the other
		DoOnNext(func(v int) { fmt.Print(v, " ") }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output: 8 1 2 9
}

func ExampleFlux_SwitchOnFirst() {
	// The first line of a message says how to read the others.
	lines := flux.Just("upper", "hello", "world")
	text, err := lines.
		SwitchOnFirst(func(first reactor.Signal[string], all flux.Flux[string]) flux.Flux[string] {
			if mode, _ := first.Value(); mode == "upper" {
				return all.Skip(1).Map(strings.ToUpper)
			}
			return all
		}).
		Collect(context.Background())
	fmt.Println(text, err)
	// Output: [HELLO WORLD] <nil>
}

func ExampleKeepSource() {
	fmt.Println(flux.Range(1, 3).
		SwitchOnFirst(func(_ reactor.Signal[int], all flux.Flux[int]) flux.Flux[int] { return all.Take(2) }, flux.KeepSource()).
		Collect(context.Background()))
	// Output: [1 2] <nil>
}

// Calls that wait, such as I/O, run at the same time where each has a worker of its own:
// without SubscribeOn the first one would keep the others waiting.
func ExampleFlux_FlatMap_io() {
	var started sync.WaitGroup
	started.Add(3)
	fetch := func(ctx context.Context, id int) (string, error) {
		started.Done()
		started.Wait() // as an answer that takes a while: all three are on their way
		return fmt.Sprint("page ", id), nil
	}
	pages, err := flux.Just(1, 2, 3).
		FlatMap(func(id int) mono.Mono[string] {
			return mono.FromFunc(func(ctx context.Context) (string, error) { return fetch(ctx, id) }).
				SubscribeOn(schedulers.BoundedElastic())
		}, flux.Concurrency(16)).
		Sort(cmp.Compare[string]).
		Collect(context.Background())
	fmt.Println(pages, err)
	// Output: [page 1 page 2 page 3] <nil>
}
