package benchmarks

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// This library. The context never ends, but in P1c.

func libSum(f flux.Flux[int]) int {
	sum := 0
	if err := f.ForEach(context.Background(), func(v int) { sum += v }); err != nil {
		panic(err)
	}
	return sum
}

func libMapFilter() int { return libSum(flux.Range(0, Size).Map(plusOne).Filter(even)) }

func libMaps(n int) int {
	f := flux.Range(0, Size)
	for range n {
		f = f.Map(plusOne)
	}
	return libSum(f)
}

func libHop() int { return libSum(flux.Range(0, Size).PublishOn(schedulers.Parallel())) }

func libFlatMap() int {
	return libSum(flux.Range(0, Inner).FlatMap(func(i int) flux.Flux[int] { return flux.Range(i, Inner) }))
}

func libOnce() int {
	v, err := mono.Just(6).
		Map(plusOne).
		FlatMap(func(v int) mono.Mono[int] { return mono.Just(double(v)) }).
		Block(context.Background())
	if err != nil {
		panic(err)
	}
	return v
}
