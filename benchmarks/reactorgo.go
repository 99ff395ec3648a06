package benchmarks

import (
	"context"

	reactorgo "github.com/jjeffcaii/reactor-go"
	"github.com/jjeffcaii/reactor-go/flux"
	"github.com/jjeffcaii/reactor-go/mono"
)

// reactor-go. Its Flux has neither publishOn nor flatMap, its Mono has flatMap.

func rgMapFilter() int {
	sum := 0
	flux.Range(0, Size).
		Map(func(v reactorgo.Any) (reactorgo.Any, error) { return plusOne(v.(int)), nil }).
		Filter(func(v reactorgo.Any) bool { return even(v.(int)) }).
		Subscribe(context.Background(), reactorgo.OnNext(func(v reactorgo.Any) error {
			sum += v.(int)
			return nil
		}))
	return sum
}

func rgMaps(n int) int {
	sum := 0
	f := flux.Range(0, Size)
	for range n {
		f = f.Map(func(v reactorgo.Any) (reactorgo.Any, error) { return plusOne(v.(int)), nil })
	}
	f.Subscribe(context.Background(), reactorgo.OnNext(func(v reactorgo.Any) error {
		sum += v.(int)
		return nil
	}))
	return sum
}

func rgOnce() int {
	v, err := mono.Just(6).
		Map(func(v reactorgo.Any) (reactorgo.Any, error) { return plusOne(v.(int)), nil }).
		FlatMap(func(v reactorgo.Any) mono.Mono { return mono.Just(double(v.(int))) }).
		Block(context.Background())
	if err != nil {
		panic(err)
	}
	return v.(int)
}

func rgOnceUser() int {
	v, err := mono.Just(someone).
		Map(func(v reactorgo.Any) (reactorgo.Any, error) { return verified(v.(*user)), nil }).
		FlatMap(func(v reactorgo.Any) mono.Mono { return mono.Just(saved(v.(*user))) }).
		Block(context.Background())
	if err != nil {
		panic(err)
	}
	return v.(*user).id
}
