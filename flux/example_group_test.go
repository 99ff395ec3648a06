package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

func ExampleFlux_GroupBy() {
	words := flux.Just("go", "is", "fun", "and", "fast", "to", "run")
	err := words.
		GroupBy(func(w string) int { return len(w) }).
		FlatMap(func(g flux.GroupedFlux[int, string]) mono.Mono[string] {
			return g.CollectSlice().Map(func(list []string) string { return fmt.Sprint(g.Key(), " letters: ", list) })
		}).
		ForEach(context.Background(), func(line string) { fmt.Println(line) })
	fmt.Println(err)
	// Output:
	// 2 letters: [go is to]
	// 3 letters: [fun and run]
	// 4 letters: [fast]
	// <nil>
}

func ExampleFlux_GroupByMap() {
	type order struct {
		customer string
		cents    int
	}
	orders := flux.Just(order{"ann", 250}, order{"bob", 100}, order{"ann", 50})
	totals, err := orders.
		GroupByMap(
			func(o order) string { return o.customer },
			func(o order) int { return o.cents },
		).
		FlatMap(func(g flux.GroupedFlux[string, int]) mono.Mono[string] {
			total := g.Reduce(func(sum, cents int) int { return sum + cents })
			return total.Map(func(cents int) string { return fmt.Sprintf("%s: %d", g.Key(), cents) })
		}).
		Collect(context.Background())
	fmt.Println(totals, err)
	// Output: [ann: 300 bob: 100] <nil>
}

func ExampleGroupedFlux_Key() {
	groups, _ := flux.Range(1, 4).GroupBy(func(n int) bool { return n%2 == 0 }).Collect(context.Background())
	for _, g := range groups {
		even, _ := g.Collect(context.Background())
		fmt.Println(g.Key(), even)
	}
	// Output:
	// false [1 3]
	// true [2 4]
}

func ExampleMaxGroups() {
	digits := flux.Range(0, 100).GroupBy(func(n int) int { return n % 10 }, flux.MaxGroups(4))
	_, err := digits.FlatMap(func(g flux.GroupedFlux[int, int]) flux.Flux[int] { return g.Flux }, flux.Concurrency(4)).
		Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: groupBy: overflow: no group for key 4: 4 are open, and no more may be
}

func ExamplePatience() {
	clock := reactortest.NewVirtualTime()
	digits := flux.Range(0, 1000).GroupBy(func(n int) int { return n % 10 }, flux.Patience(time.Minute), flux.On(clock))
	digits.FlatMap(func(g flux.GroupedFlux[int, int]) flux.Flux[int] { return g.Flux }, flux.Concurrency(4)).
		DoOnError(func(err error) { fmt.Println(err) }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// reactor: groupBy: overflow: nothing has moved for 1m0s: all elements that src may be asked for wait in 6 groups that nobody has subscribed to, of 10 that are open
}
