package mono_test

import (
	"context"
	"fmt"
	"strconv"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
)

func ExampleMono_Handle() {
	fmt.Println(mono.Just("12").Handle(func(s string, sink *mono.SyncSink[int]) {
		if n, err := strconv.Atoi(s); err != nil {
			sink.Error(err)
		} else if n > 0 {
			sink.Next(n)
		}
	}).Block(context.Background()))
	// Output: 12 <nil>
}

func ExampleMono_MapOptional() {
	prices := map[string]int{"tea": 3}
	price := func(name string) (int, bool) { p, ok := prices[name]; return p, ok }
	fmt.Println(mono.Just("tea").MapOptional(price).BlockOptional(context.Background()))
	fmt.Println(mono.Just("milk").MapOptional(price).BlockOptional(context.Background()))
	// Output:
	// 3 true <nil>
	// 0 false <nil>
}

func ExampleMono_TryMapOptional() {
	parse := func(s string) (int, bool, error) { n, err := strconv.Atoi(s); return n, n > 0, err }
	fmt.Println(mono.Just("-1").TryMapOptional(parse).BlockOptional(context.Background()))
	// Output: 0 false <nil>
}

func ExampleMono_Cast() {
	fmt.Println(mono.Just[any]("x").Cast[string]().Block(context.Background()))
	// Output: x <nil>
}

func ExampleMono_OfType() {
	fmt.Println(mono.Just[any]("x").OfType[int]().BlockOptional(context.Background()))
	// Output: 0 false <nil>
}

func ExampleMono_Materialize() {
	fmt.Println(mono.Just(1).Materialize().Block(context.Background()))
	fmt.Println(mono.Empty[int]().Materialize().Block(context.Background()))
	// Output:
	// onNext(1) <nil>
	// onComplete() <nil>
}

func ExampleDematerialize() {
	fmt.Println(mono.Dematerialize(mono.Just(1).Materialize()).Block(context.Background()))
	// Output: 1 <nil>
}

func ExampleMono_Dematerialize() {
	fmt.Println(mono.Just(1).Dematerialize(reactor.NextSignal[int]).Block(context.Background()))
	// Output: 1 <nil>
}
