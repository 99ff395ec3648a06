package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/flux"
)

func ExampleFlux_LimitRate() {
	items, err := flux.Range(1, 5).LimitRate(2).Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3 4 5] <nil>
}

func ExampleFlux_OnBackpressureBuffer() {
	items, err := flux.Range(1, 5).
		OnBackpressureBuffer(flux.Capacity(100), flux.BufferDropOldest).
		Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3 4 5] <nil>
}

func ExampleFlux_OnBackpressureBufferFunc() {
	items, err := flux.Range(1, 5).
		OnBackpressureBufferFunc(func(v int) { fmt.Println("no room for", v) }, flux.Capacity(100)).
		Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3 4 5] <nil>
}

func ExampleFlux_OnBackpressureBufferTimeout() {
	items, err := flux.Range(1, 3).
		OnBackpressureBufferTimeout(time.Second, 100, func(v int) { fmt.Println("too old:", v) }).
		Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}

func ExampleFlux_OnBackpressureDrop() {
	items, err := flux.Range(1, 3).OnBackpressureDrop().Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}

func ExampleFlux_OnBackpressureDropFunc() {
	items, err := flux.Range(1, 3).
		OnBackpressureDropFunc(func(v int) { fmt.Println("dropped", v) }).
		Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}

func ExampleFlux_OnBackpressureLatest() {
	items, err := flux.Range(1, 3).OnBackpressureLatest().Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}

func ExampleFlux_OnBackpressureError() {
	items, err := flux.Range(1, 3).OnBackpressureError().Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}
