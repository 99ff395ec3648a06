package flux_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
)

func ExampleFlux_Collect() {
	items, err := flux.Range(1, 3).Collect(context.Background())
	fmt.Println(items, err)
	// Output: [1 2 3] <nil>
}

func ExampleFlux_ForEach() {
	err := flux.Just("a", "b").ForEach(context.Background(), func(s string) { fmt.Println(s) })
	fmt.Println(err)
	// Output:
	// a
	// b
	// <nil>
}

func ExampleFlux_TryForEach() {
	err := flux.Range(1, 5).TryForEach(context.Background(), func(n int) error {
		fmt.Println(n)
		if n == 2 {
			return errors.New("enough")
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1
	// 2
	// enough
}

func ExampleFlux_Run() {
	err := flux.Just(1).DoOnNext(func(n int) { fmt.Println("saved", n) }).Run(context.Background())
	fmt.Println(err)
	// Output:
	// saved 1
	// <nil>
}

func ExampleFlux_All() {
	for v, err := range flux.Range(1, 1000).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if v > 3 {
			break // cancels
		}
		fmt.Println(v)
	}
	// Output:
	// 1
	// 2
	// 3
}

func ExampleFlux_BlockFirst() {
	fmt.Println(flux.Range(5, 100).BlockFirst(context.Background()))
	// Output: 5 <nil>
}

func ExampleFlux_BlockLast() {
	fmt.Println(flux.Range(5, 3).BlockLast(context.Background()))
	_, err := flux.Empty[int]().BlockLast(context.Background())
	fmt.Println(errors.Is(err, reactor.ErrNoElements))
	// Output:
	// 7 <nil>
	// true
}

func ExampleFlux_ToChan() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel() // for a reader that stops early
	elements, failure := flux.Just(1, 2).ToChan(ctx)
	for v := range elements {
		fmt.Println(v)
	}
	fmt.Println(<-failure)
	// Output:
	// 1
	// 2
	// <nil>
}

func ExampleFlux_SubscribeFunc() {
	d := flux.Just(1, 2).SubscribeFunc(context.Background(), func(n int) { fmt.Println(n) })
	fmt.Println(d.IsDisposed()) // it has ended
	// Output:
	// 1
	// 2
	// true
}

func ExampleOnError() {
	flux.Error[int](io.EOF).SubscribeFunc(context.Background(), nil,
		flux.OnError(func(err error) { fmt.Println("failed:", err) }))
	// Output: failed: EOF
}

func ExampleOnComplete() {
	flux.Empty[int]().SubscribeFunc(context.Background(), nil,
		flux.OnComplete(func() { fmt.Println("complete") }))
	// Output: complete
}

func ExampleOnSubscribe() {
	flux.Range(1, 100).SubscribeFunc(context.Background(), func(n int) { fmt.Println(n) },
		flux.OnSubscribe(func(s reactor.Subscription) { s.Request(2) }))
	// Output:
	// 1
	// 2
}

func ExampleFlux_SubscribeWith() {
	ctx := context.Background()
	oneAtATime := operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{
		OnSubscribe: func(s *operators.BaseSubscriber[int]) { s.Request(1) },
		OnNext: func(s *operators.BaseSubscriber[int], v int) {
			fmt.Println(v)
			s.Request(1)
		},
		Finally: func(how reactor.SignalKind) { fmt.Println(how) },
	})
	flux.Range(1, 2).SubscribeWith(ctx, oneAtATime)
	// Output:
	// 1
	// 2
	// onComplete
}
