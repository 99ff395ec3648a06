package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

// ask subscribes to f as somebody who wants n elements and cancels after he has got
// them, and prints what came.
func ask(n int64, f flux.Flux[int]) {
	var got []any
	s := operators.NewSubscriber(context.Background(), operators.SubscriberHooks[int]{
		OnSubscribe: func(s *operators.BaseSubscriber[int]) { s.Request(n) },
		OnNext:      func(_ *operators.BaseSubscriber[int], v int) { got = append(got, v) },
		OnError:     func(err error) { got = append(got, err) },
		OnComplete:  func() { got = append(got, "complete") },
	})
	f.Subscribe(context.Background(), s)
	fmt.Println(got...)
	s.Cancel()
}

func ExampleFlux_LimitRate() {
	f := flux.Range(1, 10).
		DoOnRequest(func(n int64) { fmt.Println("requested", n) }).
		LimitRate(4)
	fmt.Println(f.Count().Block(context.Background()))
	// Output:
	// requested 4
	// requested 3
	// requested 3
	// requested 3
	// 10 <nil>
}

func ExampleLowTide() {
	f := flux.Range(1, 25).
		DoOnRequest(func(n int64) { fmt.Println("requested", n) }).
		LimitRate(10, flux.LowTide(8))
	fmt.Println(f.Count().Block(context.Background()))
	// Output:
	// requested 10
	// requested 8
	// requested 8
	// requested 8
	// 25 <nil>
}

// With room for two elements that nobody has asked for yet, the third one that
// comes pushes the oldest out.
func ExampleFlux_OnBackpressureBuffer() {
	ask(1, flux.Range(1, 5).OnBackpressureBuffer(flux.Capacity(2)))
	ask(5, flux.Range(1, 5).OnBackpressureBuffer(flux.Capacity(2), flux.BufferDropOldest))
	// Output:
	// 1
	// 1 2 3 4 5 complete
}

func ExampleFlux_OnBackpressureBufferFunc() {
	ask(1, flux.Range(1, 5).
		OnBackpressureBufferFunc(func(v int) { fmt.Println("no room for", v) }, flux.Capacity(2), flux.BufferDropOldest))
	// Output:
	// no room for 2
	// no room for 3
	// 1
}

func ExampleCapacity() {
	ask(1, flux.Range(1, 5).
		OnBackpressureBufferFunc(func(v int) { fmt.Println("no room for", v) }, flux.Capacity(2), flux.BufferDropLatest))
	// Output:
	// no room for 4
	// no room for 5
	// 1
}

func ExampleFlux_OnBackpressureBufferTimeout() {
	ask(1, flux.Range(1, 5).
		OnBackpressureBufferTimeout(time.Hour, 2, func(v int) { fmt.Println("given up:", v) }))
	// Output:
	// given up: 2
	// given up: 3
	// 1
	// given up: 4
	// given up: 5
}

func ExampleFlux_OnBackpressureDrop() {
	ask(3, flux.Range(1, 5).OnBackpressureDrop())
	// Output: 1 2 3 complete
}

func ExampleFlux_OnBackpressureDropFunc() {
	ask(3, flux.Range(1, 5).OnBackpressureDropFunc(func(v int) { fmt.Println("dropped", v) }))
	// Output:
	// dropped 4
	// dropped 5
	// 1 2 3 complete
}

// Somebody who asks for two elements, and for one more later, gets the latest one
// then.
func ExampleFlux_OnBackpressureLatest() {
	s := operators.NewSubscriber(context.Background(), operators.SubscriberHooks[int]{
		OnSubscribe: func(s *operators.BaseSubscriber[int]) { s.Request(2) },
		OnNext:      func(_ *operators.BaseSubscriber[int], v int) { fmt.Println(v) },
	})
	flux.Range(1, 5).OnBackpressureLatest().Subscribe(context.Background(), s)
	fmt.Println("later")
	s.Request(1)
	// Output:
	// 1
	// 2
	// later
	// 5
}

func ExampleFlux_OnBackpressureError() {
	ask(3, flux.Range(1, 5).OnBackpressureError())
	// Output: 1 2 3 reactor: onBackpressureError: overflow: no demand for the element
}
