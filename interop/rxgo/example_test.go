package rxgo_test

import (
	"context"
	"fmt"
	"time"

	rx "github.com/reactivex/rxgo/v2"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/interop/rxgo"
)

// The first half of a pipeline is still RxGo, the second is not.
func ExampleToFlux() {
	prices := rx.Just(350, 120, 280)().
		Map(func(_ context.Context, v any) (any, error) { return v.(int) * 2, nil })

	total, err := rxgo.ToFlux[int](prices).
		Filter(func(cents int) bool { return cents > 300 }).
		Reduce(func(a, b int) int { return a + b }).
		Block(context.Background())
	fmt.Println(total, err)

	err = rxgo.ToFlux[int](rx.Just(1, "two")()).ForEach(context.Background(), func(n int) { fmt.Println(n) })
	fmt.Println(err)
	// Output:
	// 1260 <nil>
	// 1
	// reactor: rxgo.toFlux: illegal argument: item 2 is of type string, not int: two
}

// The source is moved already, what observes it is not.
func ExampleFromFlux() {
	temperatures := flux.Just(20.5, 21.0, 19.5).Map(func(c float64) float64 { return c*9/5 + 32 })

	for item := range rxgo.FromFlux(temperatures).
		Filter(func(v any) bool { return v.(float64) > 68 }).
		Observe() {
		fmt.Println(item.V, item.E)
	}
	// Output:
	// 68.9 <nil>
	// 69.8 <nil>
}

func ExamplePatience() {
	// A producer that looks at no context gets a second to notice that nobody reads.
	o := rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
		for i := range 5 {
			next <- rx.Of(i)
		}
	}})
	first, err := rxgo.ToFlux[int](o, rxgo.Patience(time.Second)).BlockFirst(context.Background())
	fmt.Println(first, err)
	// Output:
	// 0 <nil>
}

func ExamplePrefetch() {
	o := rxgo.FromFlux(flux.Concat(flux.Range(0, 2), flux.Just(2)).DoOnRequest(func(n int64) { fmt.Println("requested", n) }), rxgo.Prefetch(2))
	for item := range o.Observe() {
		fmt.Println(item.V)
	}
	// Unordered output:
	// requested 2
	// 0
	// 1
	// requested 2
	// 2
}
