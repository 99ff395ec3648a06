package flux_test

import (
	"context"
	"fmt"
	"strconv"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func ExampleFlux_Handle() {
	fmt.Println(flux.Just("1", "", "2", "end", "3").Handle(func(s string, sink *flux.SyncSink[int]) {
		switch {
		case s == "":
		case s == "end":
			sink.Complete()
		default:
			if n, err := strconv.Atoi(s); err != nil {
				sink.Error(err)
			} else {
				sink.Next(n)
			}
		}
	}).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_MapOptional() {
	prices := map[string]int{"tea": 3, "coffee": 4}
	fmt.Println(flux.Just("tea", "milk", "coffee").
		MapOptional(func(name string) (int, bool) { p, ok := prices[name]; return p, ok }).
		Collect(context.Background()))
	// Output: [3 4] <nil>
}

func ExampleFlux_TryMapOptional() {
	parse := func(s string) (int, bool, error) {
		if s == "" {
			return 0, false, nil
		}
		n, err := strconv.Atoi(s)
		return n, true, err
	}
	fmt.Println(flux.Just("1", "", "2").TryMapOptional(parse).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_Cast() {
	fmt.Println(flux.Just[any](1, 2).Cast[int]().Collect(context.Background()))
	_, err := flux.Just[any](1, "two").Cast[int]().Collect(context.Background())
	fmt.Println(err)
	// Output:
	// [1 2] <nil>
	// reactor: cast: illegal argument: an element is of type string, not int
}

func ExampleFlux_OfType() {
	fmt.Println(flux.Just[any](1, "two", 3).OfType[int]().Collect(context.Background()))
	// Output: [1 3] <nil>
}

func add(a, b int) int { return a + b }

// addUpTo10 fails when a sum exceeds 10.
func addUpTo10(a, b int) (int, error) {
	if a+b > 10 {
		return 0, fmt.Errorf("%d is too much", a+b)
	}
	return a + b, nil
}

func ExampleFlux_Scan() {
	fmt.Println(flux.Range(1, 4).Scan(add).Collect(context.Background()))
	// Output: [1 3 6 10] <nil>
}

func ExampleFlux_Pairwise() {
	fmt.Println(flux.Just(1, 2, 4, 8).Pairwise(func(a, b int) int { return b - a }).Collect(context.Background()))
	// Output: [1 2 4] <nil>
}

func ExampleFlux_TryScan() {
	err := flux.Range(1, 9).TryScan(addUpTo10).ForEach(context.Background(), func(sum int) { fmt.Print(sum, " ") })
	fmt.Println(err)
	// Output: 1 3 6 10 15 is too much
}

func ExampleFlux_ScanSeed() {
	fmt.Println(flux.Just("a", "b").
		ScanSeed(0, func(length int, s string) int { return length + len(s) }).
		Collect(context.Background()))
	// Output: [0 1 2] <nil>
}

func ExampleFlux_TryScanSeed() {
	err := flux.Range(1, 9).TryScanSeed(5, addUpTo10).ForEach(context.Background(), func(sum int) { fmt.Print(sum, " ") })
	fmt.Println(err)
	// Output: 5 6 8 11 is too much
}

func ExampleFlux_ScanWith() {
	balances := flux.Just(5, -3).ScanWith(func() int { return 10 }, add)
	fmt.Println(balances.Collect(context.Background()))
	// Output: [10 15 12] <nil>
}

func ExampleFlux_TryScanWith() {
	load := func() (int, error) { return strconv.Atoi("7") }
	fmt.Println(flux.Just(1, 2).TryScanWith(load, addUpTo10).Collect(context.Background()))
	// Output: [7 8 10] <nil>
}

func ExampleFlux_Index() {
	for line, err := range flux.Just("a", "b").Index().All(context.Background()) {
		fmt.Println(line.Index, line.Value, err)
	}
	// Output:
	// 0 a <nil>
	// 1 b <nil>
}

func ExampleFlux_MapIndexed() {
	fmt.Println(flux.Just("a", "b").
		MapIndexed(func(i int, s string) string { return fmt.Sprint(i+1, ". ", s) }).
		Collect(context.Background()))
	// Output: [1. a 2. b] <nil>
}

func ExampleFlux_Materialize() {
	fmt.Println(flux.Just(1, 2).Materialize().Collect(context.Background()))
	// Output: [onNext(1) onNext(2) onComplete()] <nil>
}

func ExampleDematerialize() {
	signals := flux.Just(1, 2).Materialize()
	fmt.Println(flux.Dematerialize(signals).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_Dematerialize() {
	toSignal := func(s string) reactor.Signal[string] {
		if s == "quit" {
			return reactor.CompleteSignal[string]()
		}
		return reactor.NextSignal(s)
	}
	fmt.Println(flux.Just("a", "b", "quit", "c").Dematerialize(toSignal).Collect(context.Background()))
	// Output: [a b] <nil>
}
